//go:build unix && !linux

package spawn

// await blocks until the child has ended and reaps it.
func await(pid int) (*ending, error) {
	e, err := wait4(pid)
	return &e, err
}
