package spawn_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/spawn"
)

func TestKilledHarnessLeavesNothing(t *testing.T) {
	for _, options := range []string{"", "no-cgroups", "no-cgroups,no-mark"} {
		for _, kind := range kinds {
			if strings.Contains(options, "no-mark") && kind == "bare" {
				continue // the documented limit: no control group, no mark, no environment, no parent
			}
			t.Run(options+"/"+kind, func(t *testing.T) { testKilledHarness(t, options, kind, syscall.SIGKILL) })
		}
	}
	t.Run("SIGQUIT", func(t *testing.T) { testKilledHarness(t, "", "bare", syscall.SIGQUIT) })
}

func testKilledHarness(t *testing.T, options, kind string, sig syscall.Signal) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	harness := exec.Command(exe, "harness", options, "family", kind, "deaf")
	harness.Args[0], harness.Dir = stubName, dir
	if err := harness.Start(); err != nil {
		t.Fatal(err)
	}
	defer harness.Wait()
	defer harness.Process.Kill()
	waitFor(t, "the run is ready", func() bool { text, _ := os.ReadFile(dir + "/run.stdout"); return string(text) == "ready\n" })
	var child int
	for _, pid := range childrenOf(t, harness.Process.Pid) {
		if pid != number(t, dir+"/watchdog") && !slices.Contains(descendants(t, dir), pid) {
			child = pid
		}
	}
	all := append(descendants(t, dir), child, number(t, dir+"/watchdog"))
	for _, pid := range all {
		if pid == 0 || !runs(pid) {
			t.Fatalf("of %v, %d does not run before the harness is killed", all, pid)
		}
	}
	if err := harness.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	harness.Wait()
	for _, pid := range all {
		waitFor(t, "process "+itoa(pid)+" ends", func() bool { return !runs(pid) })
	}
	for _, pid := range all {
		syscall.Wait4(pid, nil, 0, nil) // other tests made this process a subreaper
	}
}

// A whole harness that ends by itself leaves no watchdog.
func TestHarnessEndsCleanly(t *testing.T) {
	c := stubCommand(t, newHarness(t), "harness", "", "exit", "3")
	r := mustRun(t, c)
	if got := read(t, c.Stdout); got != "exit 3 signal \"\" leftover 0\n" || r.Leftover != 0 {
		t.Errorf("printed %q, %+v, stderr %q", got, r, read(t, c.Stderr))
	}
	mustBeGone(t, number(t, c.Dir+"/watchdog"))
}

// Ctrl-C reaches the terminal's whole process group: the watchdog must not be in it, and must survive signals anyway.
func TestWatchdogSurvivesSignals(t *testing.T) {
	h := newHarness(t)
	pid := spawn.WatchdogPid(h)
	group, err := syscall.Getpgid(pid)
	if err != nil || group != pid {
		t.Errorf("the watchdog's group is %d, %v", group, err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if r := mustRun(t, stubCommand(t, h, "exit", "0")); r.Exit != 0 {
		t.Errorf("%+v", r)
	}
	for fd, want := range map[string]string{"1": "/dev/null", "2": "/dev/null", "0": "pipe:", "3": "memfd:"} {
		target, err := os.Readlink("/proc/" + itoa(pid) + "/fd/" + fd)
		if err != nil || !strings.Contains(target, want) {
			t.Errorf("descriptor %s of the watchdog is %q, %v; want %q", fd, target, err, want)
		}
	}
}

func TestNoRunWithoutWatchdog(t *testing.T) {
	h, err := spawn.Setup(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := syscall.Kill(spawn.WatchdogPid(h), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c := stubCommand(t, h, "exit", "0")
	c.Stdout, c.Stderr = "", ""
	waitFor(t, "runs are refused", func() bool {
		r, err := spawn.Run(context.Background(), c)
		return err != nil && strings.Contains(err.Error(), "watchdog") && !r.Started
	})
}

func TestSetupNamesTheMissingCall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	exe := t.TempDir() + "/forgetful"
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/forgetful").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(exe).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "must call spawn.WatchdogMain") {
		t.Errorf("%v: %s", err, out)
	}
}

func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/" + itoa(pid) + "/task")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, task := range tasks {
		for _, field := range strings.Fields(read(t, "/proc/"+itoa(pid)+"/task/"+task.Name()+"/children")) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, child)
		}
	}
	return pids
}

func number(t *testing.T, path string) int {
	t.Helper()
	n, err := strconv.Atoi(read(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
