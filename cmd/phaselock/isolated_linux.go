package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitSelf puts the child of check --isolated under its limits, before it reads anything of a stranger.
//
// Go reserves address space at its start that it never touches, more than a gigabyte, so that a limit on it means
// something only as growth from here: what a script makes it map. RLIMIT_DATA would not do, since the kernel does not
// count a reservation that becomes memory. The collector works hard from half of it on.
func limitSelf() error {
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(isolatedMemory / 2)
	debug.SetMaxStack(isolatedMemory / 4)
	size, err := addressSpace()
	if err != nil {
		return err
	}
	for what, limit := range map[int]uint64{
		unix.RLIMIT_AS:    size + isolatedMemory,
		unix.RLIMIT_CPU:   isolatedCPU,
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_FSIZE: 0, // it writes no file
	} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit %d: %w", what, err)
		}
	}
	return nil
}

// addressSpace returns the bytes of address space that this process has.
func addressSpace() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &pages); err != nil {
		return 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil
}

func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// peakMemory returns the largest resident set of a process that has ended, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss) << 10
	}
	return 0
}
