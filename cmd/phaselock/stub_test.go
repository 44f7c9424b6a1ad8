package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stubMain is the program that tests run as an arm: it prints what it is told, or what it sees of itself, and ends as
// it is told.
//
//	stub facts NAME            one benchmark row NAME; what it sees of itself as JSON on standard error
//	stub replay FILE [EXIT]    the bytes of FILE on standard output
//	stub table FILE NAME       the rows that FILE has for this run: "run value unit value unit…", by the run's number
//	stub listen ADDR TOKEN     accepts connections until it is told to end
//	stub hang                  does not end; where there is a file hang.txt, it prints that instead
//	stub exit N | segv | deaf | big | nothing | daemon
func stubMain() int {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "stub: say what to do")
		return 2
	}
	time.AfterFunc(2*time.Minute, func() { os.Exit(99) }) // whatever happens, it ends
	switch args[0] {
	case "facts":
		return stubFacts(args[1])
	case "replay":
		return stubReplay(args[1:])
	case "table":
		return stubTable(args[1], args[2])
	case "exit":
		fmt.Println("BenchmarkStub 100 5 ns/op")
		n, _ := strconv.Atoi(args[1])
		return n
	case "segv":
		fmt.Println("BenchmarkStub 100 5 ns/op")
		signalSelf(syscall.SIGSEGV)
	case "hang":
		if _, err := os.Stat("hang.txt"); err == nil { // it has hung long enough
			return stubReplay([]string{"hang.txt"})
		}
		fmt.Println("BenchmarkStub 100 5 ns/op")
		startGrandchild()
		time.Sleep(time.Minute)
	case "daemon":
		startGrandchild()
		fmt.Println("BenchmarkStub 100 5 ns/op")
	case "listen":
		return stubListen(args[1])
	case "sleep":
		time.Sleep(time.Minute)
	case "big":
		w := bufio.NewWriter(os.Stdout)
		line := strings.Repeat("x", 99) + "\n"
		for range 1_000_000 {
			if _, err := w.WriteString(line); err != nil {
				return 1
			}
		}
		fmt.Fprintln(w, "BenchmarkStub 100 5 ns/op")
		w.Flush()
	case "nothing":
	default:
		fmt.Fprintf(os.Stderr, "stub: %q is nothing it does\n", args[0])
		return 2
	}
	return 0
}

// stubListen accepts connections on an address and closes them.
func stubListen(address string) int {
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for {
		if c, err := l.Accept(); err == nil {
			c.Close()
		}
	}
}

// signalSelf ends the process by a signal. Go's runtime would turn it into a panic, so that a shell takes its place first.
func signalSelf(sig syscall.Signal) {
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(sig))}, nil)
}

// startGrandchild leaves a process in a session of its own behind, with the same further arguments, so that a test can look for it.
func startGrandchild() {
	c := exec.Command("/proc/self/exe", append([]string{"sleep"}, os.Args[2:]...)...)
	c.Args[0] = "stub"
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
}

// stubFactsSeen is what a stub sees of itself.
type stubFactsSeen struct {
	CPUs  string
	Env   map[string]string
	FDs   []string
	Argv  []string
	Exe   string
	Dir   string
	Total int
	Pgid  int
	Pid   int
}

func stubFacts(name string) int {
	f := stubFactsSeen{Env: map[string]string{}, Pid: os.Getpid(), Pgid: syscall.Getpgrp()}
	status, _ := os.ReadFile("/proc/self/status")
	if m := regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`).FindSubmatch(status); m != nil {
		f.CPUs = string(m[1])
	}
	f.Exe, _ = os.Readlink("/proc/self/exe")
	f.Dir, _ = os.Getwd()
	f.Total = len(f.Exe) + 1
	cmdline, _ := os.ReadFile("/proc/self/cmdline")
	environ, _ := os.ReadFile("/proc/self/environ")
	f.Total += len(cmdline) + len(environ)
	f.Argv = strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00") // os.Args[0] was changed by testscript
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		f.Env[name] = value
	}
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && !strings.Contains(target, "anon_inode") {
			f.FDs = append(f.FDs, filepath.Base(l)+" "+target)
		}
	}
	sort.Strings(f.FDs)
	if err := json.NewEncoder(os.Stderr).Encode(f); err != nil {
		return 1
	}
	fmt.Printf("%s%s 100 5 ns/op\n", name, stubSuffix())
	return 0
}

// stubSuffix is the -P that testing appends.
func stubSuffix() string {
	if p := os.Getenv("GOMAXPROCS"); p != "" && p != "1" {
		return "-" + p
	}
	return ""
}

func stubReplay(args []string) int {
	f, err := os.Open(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97
	}
	defer f.Close()
	if _, err := io.Copy(os.Stdout, f); err != nil {
		return 96
	}
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		n, _ := strconv.Atoi(args[1])
		return n
	}
	return 0
}

// stubRun returns this run's number, which its HOME ends with (runs/0007/home, runs/0007.2/home of a second attempt).
func stubRun() int {
	number, _, _ := strings.Cut(filepath.Base(filepath.Dir(os.Getenv("HOME"))), ".")
	n, err := strconv.Atoi(number)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(95)
	}
	return n
}

func stubTable(path, name string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97
	}
	run := strconv.Itoa(stubRun())
	found := false
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != run {
			continue
		}
		found = true
		if fields[1] == "exit" {
			n, _ := strconv.Atoi(fields[2])
			return n
		}
		fmt.Printf("%s%s 100 %s\n", name, stubSuffix(), strings.Join(fields[1:], " "))
	}
	if !found {
		fmt.Fprintf(os.Stderr, "stub: no row for run %s\n", run)
		return 94
	}
	return 0
}
