package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// served is a phase with a service that listens, carries a token in its argv, and is watched by a ceiling.
func served(address, token, arm string) string {
	return fmt.Sprintf(`
phase(
    "served",
    question = "Does the service live as long as the phase, and no longer?",
    arms = [arm("a"), arm("b")],
    cases = [case("c")],
    command = lambda arm, case: command(["./stub"] + (%s if arm.name == "b" else ["replay", "good.txt"]), format = "gobench", names = ["BenchmarkStub"]),
    design = counterbalanced(blocks = 2, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(timeout = "1m"),
    services = [service("kv", command = ["./stub", "listen", "%s", "%s"], ready = tcp("%s"))],
    before_phase = [step("greet", command = ["sh", "-c", "echo hello"])],
    after_each = [ceiling("load", command = ["sh", "-c", "echo 1"], max = 1)],
)
`, arm, address, token, address)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func servedFolder(t *testing.T, token, arm string) (dir string) {
	t.Helper()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("there is no /proc to look for processes in")
	}
	dir = inFolder(t, served(freeAddress(t), token, arm))
	if err := os.WriteFile(filepath.Join(dir, "good.txt"), []byte("BenchmarkStub 100 5 ns/op\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A service is there while the phase runs and gone after it; what it and the steps did is in the folder, and is audited.
func TestServiceOfAPhase(t *testing.T) {
	token := fmt.Sprintf("token-%d-served", os.Getpid())
	dir := servedFolder(t, token, `["replay", "good.txt"]`)
	if code, out := phaselock(t, dir, "run", "p.star", "--out", "out", "-q"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if left := running(token); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	_, kinds := lastEvents(t, dir)
	want := []string{"opened", "pin-verified", "service-started", "step-finished"}
	for range 4 {
		want = append(want, "run-started", "step-finished", "run-finished")
	}
	want = append(want, "service-ended", "pin-verified", "closed")
	if !slices.Equal(kinds, want) {
		t.Errorf("events %v\nwant %v", kinds, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "out", "steps", "0001", "stdout")); err != nil || string(text) != "hello\n" {
		t.Errorf("%q, %v", text, err)
	}
	if code, out := phaselock(t, dir, "audit", "out"); code != 0 {
		t.Errorf("the audit: exit code %d\n%s", code, out)
	}
	if code, out := phaselock(t, dir, "run", "--resume", "out"); code != 0 || !strings.Contains(out, "complete") {
		t.Errorf("nothing to do: exit code %d\n%s", code, out)
	}
}

// However the harness ends, no service stays; what was interrupted is gone on with, with a service of its own.
func TestServiceEndsWithTheHarness(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"kill -9": syscall.SIGKILL, "Ctrl-C": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			token := fmt.Sprintf("token-%d-%d", os.Getpid(), signal)
			dir := servedFolder(t, token, `["hang"]`)
			c := exec.Command("phaselock", "run", "p.star", "--out", "out", "-q")
			c.Dir = dir
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "no run hangs", func() bool {
				log, err := ledger.Read(filepath.Join(dir, "out"))
				if err != nil || len(log.Entries) == 0 {
					return false
				}
				b, ok := log.Entries[len(log.Entries)-1].Body.(*ledger.RunStarted)
				return ok && b.Arm == "b" && len(running(token)) == 1
			})
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = c.Wait()
			eventually(t, "the service is still there", func() bool { return len(running(token)) == 0 })
			if signal == syscall.SIGINT && c.ProcessState.ExitCode() != 130 {
				t.Errorf("exit code %d", c.ProcessState.ExitCode())
			}
			if err := os.WriteFile(filepath.Join(dir, "hang.txt"), []byte("BenchmarkStub 100 5 ns/op\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if code, out := phaselock(t, dir, "run", "--resume", "out", "-q"); code != 0 {
				t.Errorf("resumed: exit code %d\n%s", code, out)
			}
			if _, err := os.Stat(filepath.Join(dir, "out", "services", "01.2", "stderr")); err != nil {
				t.Error(err)
			}
			if code, out := phaselock(t, dir, "audit", "out"); code != 0 {
				t.Errorf("the audit: exit code %d\n%s", code, out)
			}
			if left := running(token); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

// A service whose port is taken is an error of the machine that names it.
func TestServiceWhosePortIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := inFolder(t, served(l.Addr().String(), "token", `["replay", "good.txt"]`))
	code, out := phaselock(t, dir, "run", "p.star", "--out", "out", "-q")
	if code != 4 || !strings.Contains(strings.Join(strings.Fields(out), " "), "another program listens there") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
