//go:build unix

package spawn_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

// TestMain lets the test binary be the watchdog and the processes that are run, as well as the tests.
func TestMain(m *testing.M) {
	if spawn.WatchdogMain() {
		return
	}
	if os.Args[0] == stubName {
		stub(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// need skips a test on a machine that lacks something, in a sentence; CI must not lack it.
func need(t testing.TB, have bool, sentence string) {
	t.Helper()
	switch {
	case have:
	case os.Getenv("CI") == "true":
		t.Fatal("CI must have what this test needs: " + sentence)
	default:
		t.Skip(sentence)
	}
}

// newHarness returns a harness that is closed when the test ends.
func newHarness(t testing.TB) *spawn.Harness {
	t.Helper()
	h, err := spawn.Setup(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// stubCommand returns a command that runs a stub in a folder of its own, its output in files there.
func stubCommand(t testing.TB, h *spawn.Harness, args ...string) spawn.Command {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return spawn.Command{
		Path: exe, Argv: append([]string{stubName}, args...), Dir: dir,
		Env:    []string{"HOME=" + dir, "TMPDIR=" + dir, "GORACE=atexit_sleep_ms=0"}, // a race-built stub would end a second late
		Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
		Timeout: stubLife, Grace: time.Second, Harness: h,
	}
}

// mustRun runs a command that must not meet an error of the machine.
func mustRun(t testing.TB, c spawn.Command) spawn.Result {
	t.Helper()
	r, err := spawn.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read returns a file's text.
func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// descendants returns the pids that family stubs wrote down in a folder.
func descendants(t testing.TB, dir string) []int {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, pidsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pids []int
	for lines := bufio.NewScanner(f); lines.Scan(); {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) == 0 {
		t.Fatalf("%s names no process", f.Name())
	}
	return pids
}

// waitFor polls until a condition holds; it fails the test if that takes longer than anything reasonable.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(stubLife / 2); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited %v in vain: %s", stubLife/2, what)
}
