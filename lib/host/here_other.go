//go:build !linux && !darwin

package host

// Here returns the facts of this machine, now: what the Go runtime knows, and the others unknown.
func Here() Facts { return portable() }
