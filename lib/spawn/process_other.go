//go:build unix && !linux

package spawn

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func readProcess(pid int) (process, error) {
	all, err := processes()
	if err != nil {
		return process{}, err
	}
	for _, p := range all {
		if p.pid == pid {
			return p, nil
		}
	}
	return process{}, fmt.Errorf("process %d: %w", pid, unix.ESRCH)
}

func (p process) signal(sig unix.Signal) { sendSignal(p.pid, -1, sig) }

func sendSignal(pid, _ int, sig unix.Signal) {
	unix.Kill(pid, sig) //nolint:errcheck // gone, or shown again by the next listing
}
