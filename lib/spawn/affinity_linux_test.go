package spawn_test

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/spawn"
)

func TestAllowedIsTheKernels(t *testing.T) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "Cpus_allowed_list:")
	if got, want := spawn.FormatCPUs(allowed(t)), strings.Fields(rest)[0]; got != want {
		t.Errorf("allowed %s, /proc/self/status says %s", got, want)
	}
}

func TestSiblingsIncludeTheCPU(t *testing.T) {
	for _, cpu := range allowed(t) {
		if s := spawn.Siblings(cpu); s != nil && !slices.Contains(s, cpu) {
			t.Errorf("siblings of %d: %v", cpu, s)
		}
	}
	if s := spawn.Siblings(60000); s != nil {
		t.Errorf("siblings of a CPU that is not there: %v", s)
	}
}

// Never a fall-back to unpinned.
func TestCPUThatIsNotThere(t *testing.T) {
	h := newHarness(t)
	for _, cpus := range [][]int{{60000}, {allowed(t)[0], 60000}, {-1}, {1 << 20}} {
		c := stubCommand(t, h, "exit", "0")
		c.CPUs = cpus
		r, err := spawn.Run(context.Background(), c)
		if err == nil || r.Started || !strings.Contains(err.Error(), "CPU") {
			t.Errorf("%v: %+v, %v", cpus, r, err)
		}
	}
	// And the thread that tried is not left half pinned.
	c := stubCommand(t, h, "exit", "0")
	if r := mustRun(t, c); !slices.Equal(r.CPUs, allowed(t)) {
		t.Errorf("afterwards an unpinned process ran on %v", r.CPUs)
	}
}

func TestStraceShowsAffinityBeforeExec(t *testing.T) {
	strace, err := exec.LookPath("strace")
	need(t, err == nil, "strace is not installed")
	err = exec.Command(strace, "-o", "/dev/null", "true").Run()
	need(t, err == nil, "strace may not trace here")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cpus := allowed(t)
	cpu := cpus[len(cpus)-1]
	dir := t.TempDir()
	cmd := exec.Command(strace, "-f", "-o", dir+"/trace", "-s", "200", "-e", "trace=execve,sched_setaffinity", exe, "harness", "pin="+itoa(cpu), "exit", "41")
	// strace gives argv[0] its own way, so a link carries the stub's name.
	if err := os.Symlink(exe, dir+"/"+stubName); err != nil {
		t.Fatal(err)
	}
	cmd.Args[len(cmd.Args)-5], cmd.Dir = stubName, dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "exit 41") {
		t.Fatalf("%v: %s", err, out)
	}
	trace := strings.Split(read(t, dir+"/trace"), "\n")
	execve := slices.IndexFunc(trace, func(line string) bool {
		return strings.Contains(line, "execve(") && strings.Contains(line, `"exit", "41"`) && !strings.Contains(line, "harness")
	})
	if execve < 0 {
		t.Fatalf("no execve of the stub in\n%s", strings.Join(trace, "\n"))
	}
	child := strings.Fields(trace[execve])[0]
	last := -1
	for i, line := range trace[:execve] {
		if strings.Contains(line, "sched_setaffinity(0,") {
			last = i
		}
	}
	pinned := regexp.MustCompile(`^\d+ +sched_setaffinity\(0, \d+, \[` + itoa(cpu) + `\]\) += 0$`)
	if last < 0 || !pinned.MatchString(trace[last]) {
		t.Errorf("the last sched_setaffinity before %q is not to CPU %d:\n%s", trace[execve], cpu, strings.Join(trace, "\n"))
	}
	for _, line := range trace[execve:] {
		if strings.HasPrefix(line, child+" ") && strings.Contains(line, "sched_setaffinity") {
			t.Errorf("the process sets its own affinity after exec: %s", line)
		}
	}
}
