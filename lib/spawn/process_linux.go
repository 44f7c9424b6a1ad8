package spawn

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// processes lists all processes that can be seen.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make([]process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readProcess(pid); err == nil { // else it ended meanwhile
			all = append(all, p)
		}
	}
	return all, nil
}

// readProcess reads /proc/PID/stat (proc_pid_stat(5)).
func readProcess(pid int) (process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, text)
}

func parseStat(pid int, text []byte) (process, error) {
	// The name, in parentheses, may contain anything, more parentheses included.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, ppid, pgrp, starttime = 0, 1, 2, 19
	if len(fields) <= starttime {
		return process{}, fmt.Errorf("/proc/%d/stat has %d fields after the name, not 20", pid, len(fields))
	}
	p := process{pid: pid, zombie: fields[state][0] == 'Z' || fields[state][0] == 'X'}
	var errs [3]error
	p.ppid, errs[0] = strconv.Atoi(string(fields[ppid]))
	p.pgid, errs[1] = strconv.Atoi(string(fields[pgrp]))
	p.start, errs[2] = strconv.ParseUint(string(fields[starttime]), 10, 64)
	if err := firstError(errs[:]...); err != nil {
		return process{}, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	return p, nil
}

// signal sends a signal to just this process, never to a later one with its pid.
func (p process) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		fd = -1 // the kernel is older than 5.3, or the process ended
	} else {
		defer unix.Close(fd)
	}
	if now, err := readProcess(p.pid); err != nil || now.start != p.start {
		return
	}
	sendSignal(p.pid, fd, sig)
}

// sendSignal sends a signal through a pidfd, or by pid where fd is -1. A process that is gone needs none.
func sendSignal(pid, fd int, sig unix.Signal) {
	if fd >= 0 && unix.PidfdSendSignal(fd, sig, nil, 0) != unix.ENOSYS {
		return
	}
	unix.Kill(pid, sig) //nolint:errcheck // gone, or shown again by the next listing
}
