package host

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// table is every fact, in the order in which they are shown. A reader that returns "" does not know.
var table = []struct {
	name string
	read func(reader) string
}{
	{"os", func(reader) string { return runtime.GOOS }},
	{"arch", func(reader) string { return runtime.GOARCH }},
	{"hostname", file("proc/sys/kernel/hostname")},
	{"boot_id", file("proc/sys/kernel/random/boot_id")}, // tells a restart between two readings
	{"kernel", file("proc/sys/kernel/osrelease")},
	{"kernel_build", file("proc/sys/kernel/version")},
	{"cmdline", file("proc/cmdline")},
	{"uptime_s", firstField("proc/uptime")},

	{"cpu_model", cpuModel},
	{"cpu_microcode", cpuinfo("microcode")},
	{"cpu_mhz", cpuMHz},
	{"cpu_count", cpuCount},
	{"cpus_online", file("sys/devices/system/cpu/online")},
	{"cpus_allowed", status("Cpus_allowed_list")},
	{"cpus_isolated", list("sys/devices/system/cpu/isolated")},
	{"cpus_nohz_full", list("sys/devices/system/cpu/nohz_full")},
	{"smt_active", onOff("sys/devices/system/cpu/smt/active")},
	{"smt_control", file("sys/devices/system/cpu/smt/control")},
	{"cpu_siblings", perCPU("topology/thread_siblings_list")},
	{"numa_nodes", file("sys/devices/system/node/online")},
	{"virtual", virtual},
	{"machine", machine},

	{"governor", perCPU("cpufreq/scaling_governor")},
	{"frequency_driver", perCPU("cpufreq/scaling_driver")},
	{"frequency_khz", perCPU("cpufreq/scaling_cur_freq")},
	{"frequency_min_khz", perCPU("cpufreq/scaling_min_freq")},
	{"frequency_max_khz", perCPU("cpufreq/scaling_max_freq")},
	{"energy_preference", perCPU("cpufreq/energy_performance_preference")},
	{"turbo", turbo},
	{"idle_driver", file("sys/devices/system/cpu/cpuidle/current_driver")},
	{"idle_governor", file("sys/devices/system/cpu/cpuidle/current_governor")},
	{"thermal_throttles", perCPU("thermal_throttle/core_throttle_count")},

	{"aslr", file("proc/sys/kernel/randomize_va_space")},
	{"thp", selected("sys/kernel/mm/transparent_hugepage/enabled")},
	{"thp_defrag", selected("sys/kernel/mm/transparent_hugepage/defrag")},
	{"ksm", onOff("sys/kernel/mm/ksm/run")},
	{"numa_balancing", onOff("proc/sys/kernel/numa_balancing")},
	{"page_size", func(reader) string { return strconv.Itoa(os.Getpagesize()) }},
	{"memory_kb", meminfo("MemTotal")},
	{"memory_available_kb", meminfo("MemAvailable")},
	{"swap_kb", meminfo("SwapTotal")},
	{"swap_free_kb", meminfo("SwapFree")},
	{"swappiness", file("proc/sys/vm/swappiness")},

	{"mitigations", mitigations},
	{"vulnerabilities", vulnerabilities},
	{"clocksource", file("sys/devices/system/clocksource/clocksource0/current_clocksource")},
	{"clocksources", file("sys/devices/system/clocksource/clocksource0/available_clocksource")},
	{"nmi_watchdog", onOff("proc/sys/kernel/nmi_watchdog")},
	{"timer_migration", onOff("proc/sys/kernel/timer_migration")},
	{"sched_autogroup", onOff("proc/sys/kernel/sched_autogroup_enabled")},
	{"sched_rt_runtime_us", file("proc/sys/kernel/sched_rt_runtime_us")},
	{"perf_event_paranoid", file("proc/sys/kernel/perf_event_paranoid")},
	{"irq_default_affinity", file("proc/irq/default_smp_affinity")},

	{"cgroup", cgroupPaths},
	{"cpu_quota", cpuQuota},
	{"cpu_throttled", cpuThrottled},

	{"load_average", loadAverage},
	{"pressure_cpu", pressure("cpu")},
	{"pressure_memory", pressure("memory")},
	{"pressure_io", pressure("io")},
	{"steal_ticks", stealTotal},
}

// cpuModel is the model's name; on arm64, which has none, the numbers of the implementer and the part.
func cpuModel(r reader) string {
	if name := r.cpuinfo("model name"); name != "" {
		return name
	}
	implementer, part := r.cpuinfo("CPU implementer"), r.cpuinfo("CPU part")
	if implementer == "" || part == "" {
		return ""
	}
	return "implementer " + implementer + " part " + part
}

func cpuMHz(r reader) string { return strings.Join(distinct(r.cpuinfoAll("cpu MHz")), " ") }

// virtual goes by the CPU's own flag: files such as /.dockerenv exist on machines of any kind. That the flag is missing
// proves nothing, and other architectures have none.
func virtual(r reader) string {
	flags := r.cpuinfo("flags")
	switch {
	case flags == "":
		return ""
	case slices.Contains(strings.Fields(flags), "hypervisor"):
		return "yes"
	}
	return "no hypervisor flag"
}

// cpuCount counts the CPUs that the machine has, online or not, whatever this process may use.
func cpuCount(r reader) string {
	if n := len(r.cpus()); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

func machine(r reader) string {
	return strings.TrimSpace(r.text("sys/class/dmi/id/sys_vendor") + " " + r.text("sys/class/dmi/id/product_name"))
}

// turbo is "on" or "off", from Intel's switch or from everybody else's.
func turbo(r reader) string {
	switch r.text("sys/devices/system/cpu/intel_pstate/no_turbo") {
	case "0":
		return "on"
	case "1":
		return "off"
	}
	return onOff("sys/devices/system/cpu/cpufreq/boost")(r)
}

// mitigations is what the kernel was told of them when it started.
func mitigations(r reader) string {
	cmdline := r.text("proc/cmdline")
	if cmdline == "" {
		return ""
	}
	value := "default"
	for _, word := range strings.Fields(cmdline) {
		if v, ok := strings.CutPrefix(word, "mitigations="); ok {
			value = v // the last one counts
		}
	}
	return value
}

func vulnerabilities(r reader) string {
	const dir = "sys/devices/system/cpu/vulnerabilities"
	var parts []string
	for _, name := range r.names(dir) {
		if text := r.text(dir + "/" + name); text != "" && text != "Not affected" {
			parts = append(parts, name+": "+text)
		}
	}
	if len(parts) == 0 && len(r.names(dir)) > 0 {
		return "not affected"
	}
	return strings.Join(parts, "; ")
}

func loadAverage(r reader) string {
	fields := strings.Fields(r.text("proc/loadavg"))
	if len(fields) < 4 {
		return ""
	}
	return strings.Join(fields[:4], " ")
}

// pressure is the shares of time in which some and all tasks waited, in percent, over 10, 60 and 300 s.
func pressure(resource string) func(reader) string {
	return func(r reader) string {
		var parts []string
		for line := range strings.Lines(r.text("proc/pressure/" + resource)) {
			kept, _, _ := strings.Cut(strings.TrimSpace(line), " total=")
			parts = append(parts, kept)
		}
		return strings.Join(parts, "; ")
	}
}

func stealTotal(r reader) string {
	steal, _ := readStat(r)
	if steal == nil {
		return ""
	}
	var sum uint64
	for _, ticks := range steal {
		sum += ticks
	}
	return strconv.FormatUint(sum, 10)
}
