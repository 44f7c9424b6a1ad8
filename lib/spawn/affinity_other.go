//go:build unix && !linux

package spawn

import (
	"fmt"
	"runtime"
)

// Allowed returns the CPUs that this process may use. Only Linux tells.
func Allowed() ([]int, error) {
	return nil, fmt.Errorf("CPU affinity: %w: %s has no call for it", ErrUnsupported, runtime.GOOS)
}

// PinSelf puts all threads of this process on the given CPUs. Only Linux can.
func PinSelf(cpus []int) error {
	return fmt.Errorf("pin this process to CPUs %s: %w: %s has no call for it", FormatCPUs(cpus), ErrUnsupported, runtime.GOOS)
}

// Siblings returns the CPUs that share a core with cpu; nil, since only Linux tells.
func Siblings(int) []int { return nil }

func affinity(int) ([]int, error) { return Allowed() }
