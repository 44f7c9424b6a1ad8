package spawn

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// enter fills in what a child of this session starts with, and gives this process the session's mark until release.
// A child with limits stops right after exec, before its first instruction, and must be set going by limitStopped.
func (s *session) enter(attr *syscall.ProcAttr, pidfd *int, stop bool) (release func()) {
	attr.Sys = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, PidFD: pidfd, Ptrace: stop}
	if s.cgroup != nil {
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, s.cgroup.fd
	}
	release, _ = s.tree.Mark.set()
	return release
}

// limitStopped sets the limits of a child that stopped after exec and lets it run. Set here they are the child's alone
// and hold from its first instruction; set on this process they would strike the harness. The calling thread must be
// the one that started the child.
func limitStopped(pid int, limits map[string]int64) error {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("limits: wait for the process to stop after exec: %w", err)
		}
		break
	}
	if !status.Stopped() {
		return fmt.Errorf("limits: the process did not stop after exec (wait status %#x)", uint32(status))
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		value := uint64(limits[name]) // -1 becomes RLIM_INFINITY
		err := unix.Prlimit(pid, rlimits[name], &unix.Rlimit{Cur: value, Max: value}, nil)
		if errors.Is(err, unix.EPERM) {
			return fmt.Errorf("limit %s = %d: %w; it is above this process's hard limit", name, limits[name], err)
		}
		if err != nil {
			return fmt.Errorf("limit %s = %d: %w", name, limits[name], err)
		}
	}
	if err := unix.PtraceDetach(pid); err != nil {
		return fmt.Errorf("limits: let the process run: %w", err)
	}
	return nil
}
