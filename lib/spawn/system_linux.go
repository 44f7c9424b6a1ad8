package spawn

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CloseOnExec marks every descriptor above 2 close-on-exec, those that this process was started with included.
func CloseOnExec() error {
	err := unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	return markDescriptors("/proc/self/fd") // the kernel is older than 5.11
}

func becomeSubreaper() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// newBoard makes the board in memory; where the kernel cannot, in a file that is unlinked at once.
func newBoard() (*board, error) {
	fd, err := unix.MemfdCreate("phaselock-board", unix.MFD_CLOEXEC)
	if err != nil {
		return newUnlinkedBoard()
	}
	return &board{file: os.NewFile(uintptr(fd), "phaselock-board")}, nil
}

// ownExecutable is this process's executable, even if its file was replaced or removed since.
func ownExecutable() (string, error) { return "/proc/self/exe", nil }

// nameProcess sets the name that ps shows; the kernel keeps 15 bytes.
func nameProcess(name string) {
	buf := append([]byte(name), 0)
	unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&buf[0])), 0, 0, 0) //nolint:errcheck // cosmetic
}

// MaxRSSFloor returns this process's own peak resident set, bytes: a child's ru_maxrss starts there, since vfork shares
// the memory until exec, so a value that is not above it says nothing of the child. The error is that it cannot be read.
func MaxRSSFloor() (int64, error) {
	// Not getrusage: its value may come from whoever started this process, by the same mechanism.
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte("\nVmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) < 2 {
		return 0, errors.New("/proc/self/status has no VmHWM")
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/status: VmHWM: %w", err)
	}
	return kib * 1024, nil
}

// mayHaveLeft reports whether, now that the root has ended, another process of its tree may be there. As the subreaper
// this process adopts all that the root leaves behind, and the kernel gives them to its first thread; so one file of
// /proc says no, almost always.
func (s *session) mayHaveLeft() bool {
	if s.harness == nil || s.tree.Mark.Limit == 0 {
		return true
	}
	pid := os.Getpid()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return true // a kernel without CONFIG_PROC_CHILDREN
	}
	for _, field := range bytes.Fields(text) {
		child, err := strconv.Atoi(string(field))
		if err != nil {
			return true
		}
		if child == s.tree.Root || child == s.harness.watchdog.pid {
			continue
		}
		p, err := readProcess(child)
		if err != nil {
			continue
		}
		if p.pgid != s.tree.Own && (p.pgid == s.tree.Root || s.tree.Mark.on(child)) {
			return true
		}
	}
	return false
}
