package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
)

// hanging is a phase whose second run never ends; its processes carry a token in their argv.
func hanging(token string) string {
	return fmt.Sprintf(`
phase(
    "hanging",
    question = "Who ends it?",
    arms = [arm("good", args = ["replay", "good.txt"]), arm("bad", args = ["hang", %q])],
    cases = [case("c")],
    command = lambda arm, case: command(["./stub"] + arm.args, format = "gobench", names = ["BenchmarkStub"]),
    design = fixed([["good", "bad"], ["bad", "good"]]),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(timeout = "1m"),
)
`, token)
}

// running returns the processes that carry a token in their argv.
func running(token string) []string {
	var out []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err == nil && bytes.Contains(data, []byte("\x00"+token+"\x00")) {
			out = append(out, f)
		}
	}
	return out
}

// eventually waits for a condition; the limit is far beyond what any machine needs.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("after 30 s: %s", what)
}

// startHanging runs the phase until its second run and that run's grandchild are there.
func startHanging(t *testing.T, token string) (c *exec.Cmd, dir string) {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("there is no /proc to look for processes in")
	}
	dir = inFolder(t, hanging(token))
	if err := os.WriteFile(filepath.Join(dir, "good.txt"), []byte("BenchmarkStub 100 5 ns/op\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c = exec.Command("phaselock", "run", "p.star", "--out", "out")
	c.Dir = dir
	var errs strings.Builder
	c.Stdout, c.Stderr = &errs, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	eventually(t, "the second run and its grandchild are not there", func() bool { return len(running(token)) == 2 })
	return c, dir
}

func lastEvents(t *testing.T, dir string) (log *ledger.Log, kinds []string) {
	t.Helper()
	log, err := ledger.Read(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Entries {
		kinds = append(kinds, e.Event)
	}
	return log, kinds
}

// kill -9 in the middle of a run: no child and no grandchild stays, and the folder can be read and analysed.
func TestKilledHarnessLeavesNothingRunning(t *testing.T) {
	token := fmt.Sprintf("token-%d-kill", os.Getpid())
	c, dir := startHanging(t, token)
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	eventually(t, "processes of the run are still there", func() bool { return len(running(token)) == 0 })
	_, kinds := lastEvents(t, dir)
	if got := kinds[len(kinds)-1]; got != "run-started" {
		t.Errorf("the ledger ends with %s, want run-started", got)
	}
	f, err := campaign.Analyze(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	comp := f.Result.Completeness
	if comp.ProcessesFinished != 1 || comp.ProcessesFailed != 1 || comp.Samples != 1 {
		t.Errorf("completeness %+v; want one process finished and one cut short", comp)
	}
	if f.Result.ExitCode() != campaign.ExitInvalid {
		t.Errorf("exit code %d", f.Result.ExitCode())
	}
}

// Ctrl-C once: the run under way is ended, the ledger is finished, the exit code is 130.
func TestInterrupted(t *testing.T) {
	token := fmt.Sprintf("token-%d-interrupt", os.Getpid())
	c, dir := startHanging(t, token)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d (%v), want 130\n%s", code, err, c.Stderr)
	}
	if left := running(token); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	log, kinds := lastEvents(t, dir)
	if tail := strings.Join(kinds[len(kinds)-4:], " "); tail != "run-interrupted phase-stopped pin-verified closed" {
		t.Errorf("the ledger ends with %s", tail)
	}
	if closed := log.Entries[len(log.Entries)-1].Body.(*ledger.Closed); closed.Finished != 1 || closed.Failed != 0 {
		t.Errorf("closed: %+v", closed)
	}
	for _, name := range []string{"analysis.json", "report.md", "metrics.csv"} {
		if _, err := os.Stat(filepath.Join(dir, "out", name)); err != nil {
			t.Error(err)
		}
	}
}

// A second run into a folder that is in use names the process that holds it.
func TestFolderInUse(t *testing.T) {
	token := fmt.Sprintf("token-%d-holder", os.Getpid())
	c, dir := startHanging(t, token)
	second := exec.Command("phaselock", "run", "p.star", "--out", "out")
	second.Dir = dir
	out, _ := second.CombinedOutput()
	if code := second.ProcessState.ExitCode(); code != campaign.ExitUsage {
		t.Errorf("exit code %d, want 2: %s", code, out)
	}
	if want := fmt.Sprintf("pid %d since ", c.Process.Pid); !strings.Contains(string(out), "out is used already") || !strings.Contains(string(out), want) {
		t.Errorf("message %s", out)
	}
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
}
