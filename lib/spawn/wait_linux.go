package spawn

import "golang.org/x/sys/unix"

const maxRSSUnit = 1024 // ru_maxrss is in KiB

// await blocks until the child has ended, and leaves it a zombie: its pid and its process group stay taken until the
// rest of its tree has been looked for.
func await(pid int) (*ending, error) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return nil, err
		}
	}
}
