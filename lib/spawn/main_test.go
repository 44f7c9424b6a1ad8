//go:build unix

package spawn_test

import (
	"context"
	"os"
	"path/filepath"
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
