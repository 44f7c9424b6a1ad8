package spawn_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/spawn"
)

// allowed returns the CPUs that the tests may use.
func allowed(t testing.TB) []int {
	t.Helper()
	cpus, err := spawn.Allowed()
	if err != nil {
		t.Fatal(err)
	}
	return cpus
}

func runSelf(t *testing.T, c spawn.Command) (self, spawn.Result) {
	t.Helper()
	r := mustRun(t, c)
	if !r.Exited || r.Exit != 0 {
		t.Fatalf("%+v, stderr %q", r, read(t, c.Stderr))
	}
	var s self
	if err := json.Unmarshal([]byte(read(t, c.Stdout)), &s); err != nil {
		t.Fatal(err)
	}
	return s, r
}

func TestProcessIsAsDeclared(t *testing.T) {
	// A descriptor that would be inherited: somebody started this process with it open.
	inherited, err := syscall.Open(t.TempDir(), syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	h := newHarness(t)
	for _, cpu := range allowed(t) {
		c := stubCommand(t, h, "self", "two words", "", "$HOME", "*", "ü\n")
		c.CPUs = []int{cpu}
		c.Env = []string{"B=2", "A=1 2", "EMPTY=", "PHASELOCK_PAD=xxx"}
		var pid int
		var cpus []int
		c.OnStart = func(p int, on []int) { pid, cpus = p, on }
		s, r := runSelf(t, c)
		want := self{
			Argv: c.Argv, Env: c.Env, Dir: c.Dir, CPUs: spawn.FormatCPUs(c.CPUs), Personality: "00000000",
			Pid: pid, Group: pid, Open: []string{"0 /dev/null", "1 " + c.Stdout, "2 " + c.Stderr},
			Netns: s.Netns, Files: s.Files, Core: s.Core, Nice: s.Nice, // other tests
		}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Errorf("CPU %d (-want +got):\n%s", cpu, diff)
		}
		if !slices.Equal(r.CPUs, c.CPUs) || !slices.Equal(cpus, c.CPUs) {
			t.Errorf("CPUs read back are %v, and %v in OnStart; want %v", r.CPUs, cpus, c.CPUs)
		}
	}
}

func TestEmptyEnvironmentIsEmpty(t *testing.T) {
	c := stubCommand(t, nil, "self")
	c.Env = nil
	if s, _ := runSelf(t, c); len(s.Env) != 0 {
		t.Errorf("environment %q", s.Env)
	}
}

func TestUnpinnedProcessHasAllCPUs(t *testing.T) {
	s, r := runSelf(t, stubCommand(t, newHarness(t), "self"))
	if want := spawn.FormatCPUs(allowed(t)); s.CPUs != want || spawn.FormatCPUs(r.CPUs) != want {
		t.Errorf("ran on %s, read back %v, want %s", s.CPUs, r.CPUs, want)
	}
}

func TestThreadAttributes(t *testing.T) {
	h := newHarness(t)
	before, _ := runSelf(t, stubCommand(t, h, "self"))
	nice := before.Nice + 3
	c := stubCommand(t, h, "self")
	c.ASLROff, c.Nice = true, &nice
	c.Rlimits = map[string]int64{"nofile": 77, "core": 0}
	s, _ := runSelf(t, c)
	if s.Personality != "00040000" {
		t.Errorf("personality %s, want ADDR_NO_RANDOMIZE alone", s.Personality)
	}
	if s.Nice != nice {
		t.Errorf("nice %d, want %d", s.Nice, nice)
	}
	if s.Files != "77 77" || s.Core != "0 0" {
		t.Errorf("limits: open files %s, core %s", s.Files, s.Core)
	}
	for range 20 {
		if after, _ := runSelf(t, stubCommand(t, h, "self")); after.Personality != before.Personality || after.Nice != before.Nice ||
			after.Files != before.Files || after.Core != before.Core || after.CPUs != before.CPUs {
			t.Fatalf("a later process inherited something: %+v, before %+v", after, before)
		}
	}
}

// A limit that cannot be had is an error of the machine, and the process never ran.
func TestLimitThatCannotBeHad(t *testing.T) {
	c := stubCommand(t, newHarness(t), "exit", "0")
	c.Rlimits = map[string]int64{"nofile": 1 << 40} // above fs.nr_open, which binds root too
	r, err := spawn.Run(context.Background(), c)
	if err == nil || r.Started || !strings.Contains(err.Error(), "limit nofile = 1099511627776") {
		t.Errorf("%+v, %v", r, err)
	}
	if got := children(t); len(got) != 1 {
		t.Errorf("children %v, want the watchdog alone", got)
	}
}

func TestNetworkNamespaceThatIsNotThere(t *testing.T) {
	h := newHarness(t)
	for _, name := range []string{"phaselock-none", "a/b", "/dev/null"} {
		c := stubCommand(t, h, "exit", "0")
		c.Netns = name
		r, err := spawn.Run(context.Background(), c)
		if err == nil || r.Started || !strings.Contains(err.Error(), "network namespace") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestNetworkNamespace(t *testing.T) {
	holder := exec.Command("sleep", "60")
	holder.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	err := holder.Start()
	need(t, err == nil, "a network namespace cannot be made here (it needs root)")
	defer holder.Wait()
	defer holder.Process.Kill()
	path := "/proc/" + itoa(holder.Process.Pid) + "/ns/net"
	want, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	if want == own {
		t.Fatal("the namespace is this process's own")
	}
	h := newHarness(t)
	c := stubCommand(t, h, "self")
	c.Netns = path
	if s, _ := runSelf(t, c); s.Netns != want {
		t.Errorf("ran in %s, want %s", s.Netns, want)
	}
	if s, _ := runSelf(t, stubCommand(t, h, "self")); s.Netns != own {
		t.Errorf("the next one ran in %s, want %s", s.Netns, own)
	}
}

// The harness's own threads must be back on all CPUs after each run.
func TestHarnessKeepsItsAffinity(t *testing.T) {
	h := newHarness(t)
	all := allowed(t)
	for range 5 {
		c := stubCommand(t, h, "exit", "0")
		c.CPUs = all[:1]
		mustRun(t, c)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
		if got := strings.Fields(rest)[0]; got != spawn.FormatCPUs(all) {
			t.Errorf("thread %s is on CPUs %s, want %s", task.Name(), got, spawn.FormatCPUs(all))
		}
	}
}

func TestPinnedHarnessDoesNotPassItsPinOn(t *testing.T) {
	all := allowed(t)
	need(t, len(all) > 1, "this test needs two CPUs")
	for _, tt := range []struct{ options, want string }{
		{"self=" + itoa(all[0]), spawn.FormatCPUs(all)},
		{"self=" + itoa(all[0]) + ",pin=" + itoa(all[1]), itoa(all[1])},
	} {
		outer := stubCommand(t, newHarness(t), "harness", tt.options, "self")
		if r := mustRun(t, outer); r.Exit != 0 {
			t.Fatalf("%+v: %s", r, read(t, outer.Stderr))
		}
		var s self
		if err := json.Unmarshal([]byte(read(t, outer.Dir+"/run.stdout")), &s); err != nil {
			t.Fatal(err)
		}
		if s.CPUs != tt.want {
			t.Errorf("%s: the process ran on %s, want %s", tt.options, s.CPUs, tt.want)
		}
	}
}

// A harness of its own, which is small: this process has grown by the other tests.
func TestMaxRSS(t *testing.T) {
	h := newHarness(t)
	for _, tt := range []struct {
		script string
		known  bool
	}{
		{"dd if=/dev/zero of=/dev/null bs=512M count=1 2>/dev/null", true},
		{"exit 0", false}, // a shell is smaller than any Go program
	} {
		c := stubCommand(t, h, "harness", "shell", tt.script)
		if r := mustRun(t, c); r.Exit != 0 {
			t.Fatalf("%+v: %s", r, read(t, c.Stderr))
		}
		var r spawn.Result
		if err := json.Unmarshal([]byte(read(t, c.Dir+"/result.json")), &r); err != nil {
			t.Fatal(err)
		}
		if r.MaxRSSKnown != tt.known {
			t.Errorf("%s: peak %d bytes, known %v", tt.script, r.MaxRSS, r.MaxRSSKnown)
		}
		if tt.known && (r.MaxRSS < 512<<20 || r.MaxRSS > 544<<20) {
			t.Errorf("%s: peak %d bytes", tt.script, r.MaxRSS)
		}
	}
}
