package host

import (
	"strconv"
	"strings"
)

// Condition is a fact that makes measurements noisy, or that would say so if it could be read.
type Condition struct {
	Fact, Value string
	Why         string // what it does to a measurement, and what can be done
}

// Noise returns what on the machine makes measurements noisy, in the order of the facts. An unknown fact that could
// hide such a thing is among them.
func Noise(f Facts) []Condition {
	var out []Condition
	for _, row := range noises {
		value := f.Get(row.fact)
		switch {
		case value == Unknown && row.hidden != "":
			out = append(out, Condition{row.fact, value, row.hidden})
		case value != Unknown && row.noisy(value):
			out = append(out, Condition{row.fact, value, row.why})
		}
	}
	return out
}

// Change is a fact that differs between two readings and should not.
type Change struct{ Fact, Before, After string }

// Changes returns the settings that changed between two readings, in the order of the facts. Facts that move by
// themselves (load, pressure, free memory, frequencies) are not settings.
func Changes(before, after Facts) []Change {
	var out []Change
	for _, fact := range after {
		was := before.Get(fact.Name)
		if was != fact.Value && !moving[fact.Name] {
			out = append(out, Change{fact.Name, was, fact.Value})
		}
	}
	return out
}

var moving = map[string]bool{
	"uptime_s": true, "cpu_mhz": true, "frequency_khz": true, "memory_available_kb": true, "swap_free_kb": true,
	"load_average": true, "pressure_cpu": true, "pressure_memory": true, "pressure_io": true, "steal_ticks": true,
	"thermal_throttles": true, "cpu_throttled": true, "cpus_allowed": true, // the harness pins itself
}

var noises = []struct {
	fact   string
	noisy  func(value string) bool
	why    string
	hidden string // why it matters that it is unknown; "" if it does not
}{
	{"smt_active", is("on"), "two CPUs share a core: what runs on the sibling slows the measured one; leave the sibling idle", ""},
	{
		"virtual", is("yes"), "a virtual machine: the host may slow it without a trace, steal time included; calibrate = \"20ms\" can see that",
		"whether a hypervisor shares this machine with others cannot be told",
	},
	{
		"governor", not("performance"), "the clock frequency follows the load; `cpupower frequency-set -g performance` holds it",
		"the clock frequency may change unseen",
	},
	{"turbo", is("on"), "the clock frequency depends on temperature and on what other cores do", "boost frequencies may come and go unseen"},
	{"thermal_throttles", hasNonZero, "a CPU was slowed because it was hot", ""},
	{"aslr", not("0"), "addresses differ from process to process; process(aslr = False) fixes them", ""},
	{"thp", is("always"), "huge pages come and go with memory fragmentation", ""},
	{"ksm", is("on"), "the kernel scans and merges pages in the background", ""},
	{"numa_balancing", is("on"), "the kernel moves pages between nodes in the background", ""},
	{"swap_kb", not("0"), "memory may be swapped out", ""},
	{"cpu_quota", not("none"), "a control group stops processes that have used their share of CPU time", "a control group may limit CPU time unseen"},
	{"cpu_throttled", not("0 times"), "this control group was stopped for having used its share of CPU time", ""},
	{"clocksource", slowClock, "reading the clock is a system call and slow", ""},
	{"load_average", busy, "other work was running in the last minute", ""},
	{"pressure_cpu", contended, "tasks waited for a CPU in the last ten seconds", "contention for CPUs cannot be seen (no pressure stall information)"},
	{"pressure_memory", contended, "tasks waited for memory in the last ten seconds", ""},
	{"pressure_io", contended, "tasks waited for input and output in the last ten seconds", ""},
}

func is(noisy string) func(string) bool  { return func(v string) bool { return v == noisy } }
func not(quiet string) func(string) bool { return func(v string) bool { return v != quiet } }

// hasNonZero reports whether one of the counts, bare or as "cpu0=3", is not 0.
func hasNonZero(v string) bool {
	for word := range strings.FieldsSeq(v) {
		if _, count, ok := strings.Cut(word, "="); ok {
			word = count
		}
		if n, err := strconv.ParseUint(word, 10, 64); err == nil && n > 0 {
			return true
		}
	}
	return false
}

// slowClock: these are read from a device, the others in user space.
func slowClock(v string) bool {
	return v == "hpet" || v == "acpi_pm" || v == "jiffies" || v == "refined-jiffies"
}

// busy reports whether more than half a task ran or waited on average over the last minute.
func busy(v string) bool {
	first, _, _ := strings.Cut(v, " ")
	load, err := strconv.ParseFloat(first, 64)
	return err == nil && load > 0.5
}

// contended reports whether some task waited for more than 1% of the last ten seconds.
func contended(v string) bool {
	_, rest, _ := strings.Cut(v, "avg10=")
	first, _, _ := strings.Cut(rest, " ")
	share, err := strconv.ParseFloat(first, 64)
	return err == nil && share > 1
}
