//go:build unix

package spawn_test

import (
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

// A calibrated spin takes at least a quarter of what it was made for: it is work, and the compiler left it in. There is no upper
// limit on a shared machine.
func TestSpinIsWork(t *testing.T) {
	cpu := -1
	if allowed, err := spawn.Allowed(); err == nil {
		cpu = allowed[0]
	}
	const d = 8 * time.Millisecond
	rounds, err := spawn.SpinRounds(cpu, d)
	if err != nil {
		t.Fatal(err)
	}
	longest := time.Duration(0)
	for range 5 {
		took, err := spawn.Spin(cpu, rounds)
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, took)
	}
	if longest < d/4 {
		t.Errorf("%d rounds took %v at most, made for %v", rounds, longest, d)
	}
	if took, err := spawn.Spin(cpu, 1); err != nil || took > longest+time.Second {
		t.Errorf("one round took %v, %v", took, err)
	}
}

func TestSpinOnACPUThatIsNotThere(t *testing.T) {
	if _, err := spawn.Spin(60000, 1); err == nil {
		t.Error("no error")
	}
}
