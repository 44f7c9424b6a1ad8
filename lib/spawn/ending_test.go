//go:build unix

package spawn_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

func itoa(n int) string { return strconv.Itoa(n) }

func shell(t *testing.T, h *spawn.Harness, script string) spawn.Command {
	c := stubCommand(t, h)
	c.Path, c.Argv = "/bin/sh", []string{"sh", "-c", script}
	return c
}

func TestExit(t *testing.T) {
	h := newHarness(t)
	for _, code := range []int{0, 1, 3, 255} {
		r := mustRun(t, stubCommand(t, h, "exit", itoa(code)))
		if !r.Started || !r.Exited || r.Exit != code || r.Signal != "" || r.TimedOut || r.Interrupted || r.Leftover != 0 {
			t.Errorf("exit %d: %+v", code, r)
		}
	}
}

func TestSignal(t *testing.T) {
	h := newHarness(t)
	for _, name := range []string{"SEGV", "KILL", "ABRT", "TERM"} {
		r := mustRun(t, shell(t, h, "ulimit -c 0; kill -"+name+" $$"))
		if !r.Started || r.Exited || r.Exit != 0 || r.Signal != "SIG"+name || r.TimedOut || r.Interrupted {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestUsage(t *testing.T) {
	r := mustRun(t, stubCommand(t, newHarness(t), "sleep", "50ms"))
	if r.Wall < 50*time.Millisecond || r.Wall > stubLife {
		t.Errorf("slept 50 ms in %v", r.Wall)
	}
	if r.User+r.Sys <= 0 || r.User < 0 || r.Sys < 0 {
		t.Errorf("user %v, system %v", r.User, r.Sys)
	}
	if r.MinorFaults <= 0 || r.VoluntarySwitches <= 0 {
		t.Errorf("faults %d, switches %d", r.MinorFaults, r.VoluntarySwitches)
	}
}

func TestCannotStart(t *testing.T) {
	h := newHarness(t)
	dir := t.TempDir()
	write := func(name, text string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name   string
		change func(*spawn.Command)
		is     error
		says   string
	}{
		{"missing", func(c *spawn.Command) { c.Path = dir + "/none" }, fs.ErrNotExist, dir + "/none"},
		{"not executable", func(c *spawn.Command) { c.Path = write("plain", "#!/bin/sh\n", 0o644) }, syscall.EACCES, dir + "/plain"},
		{"no interpreter", func(c *spawn.Command) { c.Path = write("script", "#!"+dir+"/none\n", 0o755) }, fs.ErrNotExist, "interpreter"},
		{"not a program", func(c *spawn.Command) { c.Path = write("text", "hello\n", 0o755) }, syscall.ENOEXEC, "#! line"},
		{"a folder", func(c *spawn.Command) { c.Path = dir }, syscall.EACCES, "folder"},
		{"no working folder", func(c *spawn.Command) { c.Dir = dir + "/none" }, fs.ErrNotExist, "working folder"},
		{"working folder is a file", func(c *spawn.Command) { c.Dir = write("file", "", 0o644) }, syscall.ENOTDIR, "working folder"},
		{"no standard input", func(c *spawn.Command) { c.Stdin = dir + "/none" }, fs.ErrNotExist, "standard input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := stubCommand(t, h, "exit", "0")
			tt.change(&c)
			r := mustRun(t, c)
			if r.Started || !errors.Is(r.StartErr, tt.is) || !strings.Contains(r.StartErr.Error(), tt.says) {
				t.Errorf("%+v, want an error that is %v and says %q", r, tt.is, tt.says)
			}
		})
	}
}

func TestMisuse(t *testing.T) {
	nice := 20
	for _, tt := range []struct {
		name   string
		change func(*spawn.Command)
		says   string
	}{
		{"relative path", func(c *spawn.Command) { c.Path = "true" }, "not absolute"},
		{"no argv", func(c *spawn.Command) { c.Argv = nil }, "argv is empty"},
		{"no folder", func(c *spawn.Command) { c.Dir = "" }, "not absolute"},
		{"NUL in argv", func(c *spawn.Command) { c.Argv = append(c.Argv, "a\x00b") }, "NUL"},
		{"NUL in environment", func(c *spawn.Command) { c.Env = []string{"A=\x00"} }, "NUL"},
		{"environment without =", func(c *spawn.Command) { c.Env = []string{"A"} }, "NAME=value"},
		{"environment without name", func(c *spawn.Command) { c.Env = []string{"=A"} }, "NAME=value"},
		{"empty set of CPUs", func(c *spawn.Command) { c.CPUs = []int{} }, "unpinned"},
		{"nice", func(c *spawn.Command) { c.Nice = &nice }, "nice 20"},
		{"negative timeout", func(c *spawn.Command) { c.Timeout = -1 }, "negative"},
		{"unknown limit", func(c *spawn.Command) { c.Rlimits = map[string]int64{"files": 1} }, "nofile"},
		{"negative limit", func(c *spawn.Command) { c.Rlimits = map[string]int64{"nofile": -2} }, "-1 is unlimited"},
		{"one file for both", func(c *spawn.Command) { c.Stderr = c.Stdout }, "one file"},
		{"output exists", func(c *spawn.Command) { os.WriteFile(c.Stdout, []byte("kept"), 0o644) }, "standard output"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := stubCommand(t, nil, "exit", "0")
			tt.change(&c)
			r, err := spawn.Run(context.Background(), c)
			if err == nil || !strings.Contains(err.Error(), tt.says) || r.Started {
				t.Errorf("%+v, error %v, want one that says %q", r, err, tt.says)
			}
			if text, err := os.ReadFile(c.Stdout); err == nil && tt.name == "output exists" && string(text) != "kept" {
				t.Errorf("the file that was there now holds %q", text)
			}
		})
	}
}

func TestStandardInput(t *testing.T) {
	c := stubCommand(t, newHarness(t), "cat")
	c.Stdin = filepath.Join(c.Dir, "in")
	if err := os.WriteFile(c.Stdin, []byte("some input\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, c)
	if got := read(t, c.Stdout); got != "some input\n" {
		t.Errorf("printed %q", got)
	}
}

func TestPrints100MB(t *testing.T) {
	const megabytes = 100
	c := stubCommand(t, newHarness(t), "print", itoa(megabytes))
	if r := mustRun(t, c); !r.Exited || r.Exit != 0 {
		t.Fatalf("%+v", r)
	}
	want := sha256.New()
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for range megabytes {
		want.Write(line)
	}
	if got := sha256.Sum256([]byte(read(t, c.Stdout))); string(got[:]) != string(want.Sum(nil)) {
		t.Error("the file does not hold what was printed")
	}
	if got := read(t, c.Stderr); got != "" {
		t.Errorf("standard error %q", got)
	}
}
