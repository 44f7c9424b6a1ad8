package spawn_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const rlimitRTTime = unix.RLIMIT_RTTIME

// self is what a stub says of itself.
type self struct {
	Argv, Env   []string
	Dir         string
	CPUs        string // Cpus_allowed_list
	Personality string
	Nice        int
	Pid, Group  int
	Netns       string
	Open        []string // "number target" of the descriptors it was started with
	Files       string   // soft and hard limit of open files
	Core        string
}

func describeSelf() self {
	var s self
	s.Open = openDescriptors() // first, before anything opens more
	s.Argv, s.Env = os.Args, os.Environ()
	s.Dir, _ = os.Getwd()
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	_, rest, _ := strings.Cut(string(status), "Cpus_allowed_list:")
	s.CPUs = strings.Fields(rest)[0]
	personality, err := os.ReadFile("/proc/self/personality")
	check(err)
	s.Personality = strings.TrimSpace(string(personality))
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	check(err)
	s.Nice = 20 - raw
	s.Pid, s.Group = os.Getpid(), unix.Getpgrp()
	s.Netns, err = os.Readlink("/proc/self/ns/net")
	check(err)
	s.Files, s.Core = limit("Max open files"), limit("Max core file size")
	return s
}

// openDescriptors avoids the os package, which may open descriptors of its own.
func openDescriptors() []string {
	fd, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	check(err)
	defer unix.Close(fd)
	buf := make([]byte, 1<<16)
	n, err := unix.ReadDirent(fd, buf)
	check(err)
	_, _, names := unix.ParseDirent(buf[:n], -1, nil)
	var open []string
	for _, name := range names {
		if name == fmt.Sprint(fd) {
			continue
		}
		target := make([]byte, 4096)
		n, err := unix.Readlink("/proc/self/fd/"+name, target)
		check(err)
		path := string(target[:n])
		if strings.HasPrefix(path, "/sys/fs/cgroup/") || strings.HasPrefix(path, "anon_inode:[event") {
			continue // the stub's own Go runtime opened it
		}
		open = append(open, name+" "+path)
	}
	return open
}

func limit(name string) string {
	text, err := os.ReadFile("/proc/self/limits")
	check(err)
	_, rest, _ := bytes.Cut(text, []byte(name))
	fields := bytes.Fields(rest)
	return string(fields[0]) + " " + string(fields[1])
}

// runs reports whether a process runs; a zombie does not.
func runs(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := text[bytes.LastIndexByte(text, ')')+1:]
	return after[1] != 'Z' && after[1] != 'X'
}

// mustBeGone fails for every pid that is still there; the test's own zombies count as there.
func mustBeGone(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there (%v)", pid, err)
		}
	}
}

// children returns the pids of all processes whose parent is this one.
func children(t testing.TB) []string {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err == nil {
			pids = append(pids, strings.Fields(string(text))...)
		}
	}
	return pids
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
