//go:build unix

package spawn

import (
	"errors"

	"golang.org/x/sys/unix"
)

// ending is what the system says of a process that ended.
type ending struct {
	status unix.WaitStatus
	usage  unix.Rusage
}

func wait4(pid int) (ending, error) {
	var e ending
	for {
		_, err := unix.Wait4(pid, &e.status, 0, &e.usage)
		if !errors.Is(err, unix.EINTR) {
			return e, err
		}
	}
}
