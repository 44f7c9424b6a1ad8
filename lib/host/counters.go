package host

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Counters are what the kernel counted since it started. Two readings around a run say what happened during it.
type Counters struct {
	// Steal is, by CPU, the time that the hypervisor gave to others, in clock ticks (1/100 s). 0 on a virtual machine is
	// no evidence: not every hypervisor reports it. nil: unknown.
	Steal map[int]uint64 `json:"steal_ticks,omitempty"`
	// Pressure is the time in which some or all tasks waited for a resource, µs, by "cpu some", "io full", …; nil: unknown.
	Pressure map[string]uint64 `json:"pressure_us,omitempty"`
	// Throttled is how often this process's control group had used up its quota, and for how long (µs); nil: unknown.
	Throttled   *uint64 `json:"throttled,omitempty"`
	ThrottledUS *uint64 `json:"throttled_us,omitempty"`
	// Switches is the machine's context switches; nil: unknown.
	Switches *uint64 `json:"context_switches,omitempty"`
}

// ReadCounters reads the counters of a Linux system from its root folder.
func ReadCounters(root fs.FS) Counters {
	r := reader{root}
	var c Counters
	c.Steal, c.Switches = readStat(r)
	for _, resource := range []string{"cpu", "memory", "io"} {
		for line := range strings.Lines(r.text("proc/pressure/" + resource)) {
			kind, _, _ := strings.Cut(line, " ")
			_, total, _ := strings.Cut(line, " total=")
			n, err := strconv.ParseUint(strings.TrimSpace(total), 10, 64)
			if err != nil {
				continue
			}
			if c.Pressure == nil {
				c.Pressure = map[string]uint64{}
			}
			c.Pressure[resource+" "+kind] = n
		}
	}
	c.Throttled, c.ThrottledUS = readThrottled(r)
	return c
}

// Since returns what was counted between two readings. What either does not know, and what ran backwards (another
// control group, another machine), is unknown.
func (c Counters) Since(before Counters) Counters {
	return Counters{
		Steal:       subtractMaps(c.Steal, before.Steal),
		Pressure:    subtractMaps(c.Pressure, before.Pressure),
		Throttled:   subtract(c.Throttled, before.Throttled),
		ThrottledUS: subtract(c.ThrottledUS, before.ThrottledUS),
		Switches:    subtract(c.Switches, before.Switches),
	}
}

func subtract(after, before *uint64) *uint64 {
	if after == nil || before == nil || *after < *before {
		return nil
	}
	d := *after - *before
	return &d
}

func subtractMaps[K comparable](after, before map[K]uint64) map[K]uint64 {
	var out map[K]uint64
	for key, a := range after {
		b, ok := before[key]
		if !ok || a < b {
			continue
		}
		if out == nil {
			out = map[K]uint64{}
		}
		out[key] = a - b
	}
	return out
}

// readStat reads steal by CPU and the context switches from /proc/stat (proc_stat(5)).
func readStat(r reader) (steal map[int]uint64, switches *uint64) {
	for line := range strings.Lines(r.text("proc/stat")) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		if fields[0] == "ctxt" {
			switches = number(fields[1])
			continue
		}
		name, ok := strings.CutPrefix(fields[0], "cpu")
		cpu, err := strconv.Atoi(name)
		const stolen = 8
		if !ok || err != nil || len(fields) <= stolen {
			continue
		}
		if n := number(fields[stolen]); n != nil {
			if steal == nil {
				steal = map[int]uint64{}
			}
			steal[cpu] = *n
		}
	}
	return steal, switches
}

// readThrottled reads cpu.stat of the own group: version 2 counts µs, version 1 ns.
func readThrottled(r reader) (times, us *uint64) {
	if dirs := groupDirs(r, ""); len(dirs) > 0 {
		text := r.text(path.Join(dirs[0], "cpu.stat"))
		if times = number(statValue(text, "nr_throttled")); times != nil {
			return times, number(statValue(text, "throttled_usec"))
		}
	}
	if dirs := groupDirs(r, "cpu"); len(dirs) > 0 {
		text := r.text(path.Join(dirs[0], "cpu.stat"))
		times, us = number(statValue(text, "nr_throttled")), number(statValue(text, "throttled_time"))
		if us != nil {
			*us /= 1000
		}
	}
	return times, us
}

func number(s string) *uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return nil
	}
	return &n
}
