package host_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/host"
)

// files makes a file system of paths and texts.
func files(texts map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for path, text := range texts {
		fs[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

// metal is a quiet machine with two cores of two threads.
var metal = map[string]string{
	"proc/sys/kernel/osrelease": "6.12.1\n",
	"proc/cmdline":              "root=/dev/sda1 mitigations=auto mitigations=off\n",
	"proc/cpuinfo":              "processor\t: 0\nmodel name\t: Fast CPU @ 3.00GHz: special\nflags\t\t: fpu vme\ncpu MHz\t\t: 3000.000\n\nprocessor\t: 1\nmodel name\t: Fast CPU\ncpu MHz\t\t: 3000.000\n",
	"proc/uptime":               "12.50 99.00\n",
	"proc/self/status":          "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
	"proc/meminfo":              "MemTotal:       16384000 kB\nMemAvailable:   1000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n",
	"proc/loadavg":              "0.00 0.01 0.05 1/123 4567\n",
	"proc/stat":                 "cpu  1 2 3 4 5 6 7 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\ncpu3 1 2 3 4 5 6 7 20 0 0\nintr 5\nctxt 1000\n",
	"proc/pressure/cpu":         "some avg10=0.00 avg60=1.25 avg300=0.38 total=8452266\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",

	"proc/sys/kernel/randomize_va_space":                              "0\n",
	"proc/sys/kernel/numa_balancing":                                  "0\n",
	"proc/self/cgroup":                                                "0::/user.slice/run\n",
	"proc/self/mountinfo":                                             "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
	"sys/fs/cgroup/user.slice/run/cpu.max":                            "max 100000\n",
	"sys/fs/cgroup/user.slice/run/cpu.stat":                           "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
	"sys/fs/cgroup/user.slice/cpu.max":                                "max 100000\n",
	"sys/devices/system/cpu/online":                                   "0-3\n",
	"sys/devices/system/cpu/isolated":                                 "\n",
	"sys/devices/system/cpu/nohz_full":                                "  (null)\n",
	"sys/devices/system/cpu/smt/active":                               "0\n",
	"sys/devices/system/cpu/intel_pstate/no_turbo":                    "1\n",
	"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "performance\n",
	"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "performance\n",
	"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor":            "performance\n",
	"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor":            "performance\n",
	"sys/devices/system/cpu/vulnerabilities/meltdown":                 "Not affected\n",
	"sys/devices/system/cpu/vulnerabilities/spectre_v1":               "Mitigation: barriers\n",
	"sys/devices/system/cpu/vulnerabilities/spectre_v2":               "Vulnerable\n",
	"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
	"sys/kernel/mm/ksm/run":                                           "0\n",
	"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
}

// with returns metal with some files changed; "" removes one.
func with(changes map[string]string) fstest.MapFS {
	m := maps.Clone(metal)
	for path, text := range changes {
		if m[path] = text; text == "" {
			delete(m, path)
		}
	}
	return files(m)
}

func TestRead(t *testing.T) {
	f := host.Read(files(metal))
	for name, want := range map[string]string{
		"kernel": "6.12.1", "mitigations": "off", "cpu_model": "Fast CPU @ 3.00GHz: special", "uptime_s": "12.50",
		"cpus_allowed": "0-3", "cpus_online": "0-3", "cpu_count": "4", "cpus_isolated": "none", "cpus_nohz_full": "none", "memory_kb": "16384000",
		"swap_kb": "0", "load_average": "0.00 0.01 0.05 1/123", "steal_ticks": "30", "cpu_mhz": "3000.000",
		"pressure_cpu": "some avg10=0.00 avg60=1.25 avg300=0.38; full avg10=0.00 avg60=0.00 avg300=0.00",
		"aslr":         "0", "numa_balancing": "off", "cgroup": "v2=/user.slice/run", "cpu_quota": "none", "cpu_throttled": "0 times",
		"smt_active": "off", "turbo": "off", "governor": "performance", "thp": "madvise", "ksm": "off", "clocksource": "tsc",
		"vulnerabilities": "spectre_v1: Mitigation: barriers; spectre_v2: Vulnerable",
		"virtual":         "no hypervisor flag", "machine": host.Unknown, "energy_preference": host.Unknown, "pressure_io": host.Unknown,
	} {
		if got := f.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := host.Noise(f); len(got) != 0 {
		t.Errorf("a quiet machine is said to be noisy: %+v", got)
	}
}

func TestFactsOneByOne(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	hybrid := map[string]string{
		"proc/self/cgroup":                         "3:cpu,cpuacct:/job/7\n0::/\n",
		"proc/self/mountinfo":                      "1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n2 0 0:2 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
		"sys/fs/cgroup/cpu/job/7/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000", "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
		"sys/fs/cgroup/cpu/job/7/cpu.stat": "nr_periods 9\nnr_throttled 3\nthrottled_time 5000\n",
	}
	for _, tt := range []struct {
		name       string
		changes    map[string]string
		fact, want string
	}{
		{"governors differ", map[string]string{cpu + "cpu2/cpufreq/scaling_governor": "powersave"}, "governor", "cpu0=performance cpu1=performance cpu2=powersave cpu3=performance"},
		{"one governor cannot be read", map[string]string{cpu + "cpu2/cpufreq/scaling_governor": "", cpu + "cpu2/online": "0"}, "governor", "cpu0=performance cpu1=performance cpu2=unknown cpu3=performance"},
		{"turbo by boost", map[string]string{cpu + "intel_pstate/no_turbo": "", cpu + "cpufreq/boost": "1"}, "turbo", "on"},
		{"turbo of Intel", map[string]string{cpu + "intel_pstate/no_turbo": "0"}, "turbo", "on"},
		{"turbo is garbage", map[string]string{cpu + "intel_pstate/no_turbo": "x"}, "turbo", "unknown"},
		{"isolated", map[string]string{cpu + "isolated": "2-3\n"}, "cpus_isolated", "2-3"},
		{"isolated unknown", map[string]string{cpu + "isolated": ""}, "cpus_isolated", "unknown"},
		{"hypervisor", map[string]string{"proc/cpuinfo": "flags : fpu hypervisor\n"}, "virtual", "yes"},
		{"a flag like hypervisor", map[string]string{"proc/cpuinfo": "flags : fpu hypervisor_x\n"}, "virtual", "no hypervisor flag"},
		{"no flags", map[string]string{"proc/cpuinfo": "Features : fp asimd\n"}, "virtual", "unknown"},
		{"arm64", map[string]string{"proc/cpuinfo": "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"}, "cpu_model", "implementer 0x41 part 0xd0c"},
		{"no mitigations in cmdline", map[string]string{"proc/cmdline": "quiet"}, "mitigations", "default"},
		{"no cmdline", map[string]string{"proc/cmdline": ""}, "mitigations", "unknown"},
		{"quota", map[string]string{"sys/fs/cgroup/user.slice/run/cpu.max": "50000 100000\n"}, "cpu_quota", "50000/100000 us"},
		{"quota of the parent", map[string]string{"sys/fs/cgroup/user.slice/cpu.max": "20000 100000\n"}, "cpu_quota", "20000/100000 us"},
		{"quota, version 1", hybrid, "cpu_quota", "50000/100000 us"},
		{"throttled, version 1", hybrid, "cpu_throttled", "3 times"},
		{"groups of both versions", hybrid, "cgroup", "v2=/ cpu=/job/7"},
		{"a group outside the namespace", map[string]string{"proc/self/cgroup": "0::/../x\n"}, "cpu_quota", "unknown"},
		{"no groups", map[string]string{"proc/self/cgroup": ""}, "cpu_quota", "unknown"},
		{"thp without selection", map[string]string{"sys/kernel/mm/transparent_hugepage/enabled": "always\n"}, "thp", "unknown"},
		{"not affected", map[string]string{cpu + "vulnerabilities/spectre_v1": "", cpu + "vulnerabilities/spectre_v2": ""}, "vulnerabilities", "not affected"},
		{"load cut short", map[string]string{"proc/loadavg": "0.00"}, "load_average", "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := host.Read(with(tt.changes)).Get(tt.fact); got != tt.want {
				t.Errorf("%s is %q, want %q", tt.fact, got, tt.want)
			}
		})
	}
}

// A virtual machine without cpufreq, and nothing at all: unknown, no crash, never "ok".
func TestNothingCanBeRead(t *testing.T) {
	f := host.Read(fstest.MapFS{})
	runtimes := []string{"os", "arch", "page_size"}
	for _, fact := range f {
		if slices.Contains(runtimes, fact.Name) {
			continue
		}
		if fact.Value != host.Unknown {
			t.Errorf("%s is %q though nothing can be read", fact.Name, fact.Value)
		}
	}
	var unseen []string
	for _, c := range host.Noise(f) {
		if c.Value != host.Unknown || c.Why == "" {
			t.Errorf("%+v", c)
		}
		unseen = append(unseen, c.Fact)
	}
	if want := []string{"virtual", "governor", "turbo", "cpu_quota", "pressure_cpu"}; !slices.Equal(unseen, want) {
		t.Errorf("what could hide: %v, want %v", unseen, want)
	}
	if c := host.ReadCounters(fstest.MapFS{}); c.Steal != nil || c.Pressure != nil || c.Throttled != nil || c.ThrottledUS != nil || c.Switches != nil {
		t.Errorf("counters of nothing: %+v", c)
	}
}

func TestNoise(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	for _, tt := range []struct {
		fact    string
		changes map[string]string
	}{
		{"smt_active", map[string]string{cpu + "smt/active": "1"}},
		{"virtual", map[string]string{"proc/cpuinfo": "flags : hypervisor\n"}},
		{"governor", map[string]string{cpu + "cpu3/cpufreq/scaling_governor": "powersave"}},
		{"turbo", map[string]string{cpu + "intel_pstate/no_turbo": "0"}},
		{"thermal_throttles", map[string]string{cpu + "cpu1/thermal_throttle/core_throttle_count": "2"}},
		{"aslr", map[string]string{"proc/sys/kernel/randomize_va_space": "2"}},
		{"thp", map[string]string{"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"}},
		{"ksm", map[string]string{"sys/kernel/mm/ksm/run": "1"}},
		{"numa_balancing", map[string]string{"proc/sys/kernel/numa_balancing": "1"}},
		{"swap_kb", map[string]string{"proc/meminfo": "SwapTotal: 5 kB\n"}},
		{"cpu_quota", map[string]string{"sys/fs/cgroup/user.slice/run/cpu.max": "5 10"}},
		{"cpu_throttled", map[string]string{"sys/fs/cgroup/user.slice/run/cpu.stat": "nr_throttled 1\n"}},
		{"clocksource", map[string]string{"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet"}},
		{"load_average", map[string]string{"proc/loadavg": "1.50 0.00 0.00 1/100 7"}},
		{"pressure_cpu", map[string]string{"proc/pressure/cpu": "some avg10=10.90 avg60=0.00 avg300=0.00 total=1\n"}},
		{"pressure_io", map[string]string{"proc/pressure/io": "some avg10=3.00 avg60=0.00 avg300=0.00 total=1\n"}},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			var got []string
			for _, c := range host.Noise(host.Read(with(tt.changes))) {
				got = append(got, c.Fact)
				if c.Value == "" || c.Why == "" {
					t.Errorf("%+v", c)
				}
			}
			if !slices.Equal(got, []string{tt.fact}) {
				t.Errorf("noisy: %v, want %s alone", got, tt.fact)
			}
		})
	}
	quiet := map[string]string{cpu + "cpu1/thermal_throttle/core_throttle_count": "0"}
	if got := host.Noise(host.Read(with(quiet))); len(got) != 0 {
		t.Errorf("no throttling is said to be noisy: %+v", got)
	}
}

func TestChanges(t *testing.T) {
	before := host.Read(files(metal))
	if got := host.Changes(before, before); len(got) != 0 {
		t.Errorf("nothing changed: %+v", got)
	}
	after := host.Read(with(map[string]string{
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
		"sys/kernel/mm/ksm/run":                                "",
		"proc/uptime":                                          "99 99",
		"proc/loadavg":                                         "5 5 5 1/2 3",
	}))
	want := []host.Change{
		{"governor", "performance", "cpu0=powersave cpu1=performance cpu2=performance cpu3=performance"},
		{"ksm", "off", host.Unknown},
	}
	if diff := cmp.Diff(want, host.Changes(before, after)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSONIsStable(t *testing.T) {
	f := host.Read(files(metal))
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), `{"os":"`) {
		t.Errorf("does not start with the first fact: %.40s", text)
	}
	var back map[string]string
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Map(), back); diff != "" {
		t.Errorf("(-map +json):\n%s", diff)
	}
	if len(back) != len(f) {
		t.Errorf("%d names for %d facts: one is there twice", len(back), len(f))
	}
	again, _ := json.Marshal(host.Read(files(metal)))
	if string(again) != string(text) {
		t.Error("two readings of one machine differ")
	}
}

func TestHere(t *testing.T) {
	f := host.Here()
	if f.Get("os") == host.Unknown || f.Get("arch") == host.Unknown || len(f) != len(host.Read(fstest.MapFS{})) {
		t.Errorf("%+v", f)
	}
	for _, fact := range f {
		if fact.Value == "" || strings.TrimSpace(fact.Value) != fact.Value || strings.Contains(fact.Value, "\n") {
			t.Errorf("%s is %q", fact.Name, fact.Value)
		}
	}
}
