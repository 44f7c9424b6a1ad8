//go:build unix && !linux

package spawn

import (
	"os"

	"golang.org/x/sys/unix"
)

// CloseOnExec marks every descriptor above 2 close-on-exec, those that this process was started with included.
func CloseOnExec() error { return markDescriptors("/dev/fd") }

// becomeSubreaper does nothing: only Linux has subreapers.
func becomeSubreaper() error { return nil }

func newBoard() (*board, error) { return newUnlinkedBoard() }

func ownExecutable() (string, error) { return os.Executable() }

func nameProcess(string) {}

// MaxRSSFloor returns this process's own peak resident set, bytes.
func MaxRSSFloor() (int64, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return int64(usage.Maxrss) * maxRSSUnit, nil
}

func (s *session) mayHaveLeft() bool { return true }
