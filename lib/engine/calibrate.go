package engine

import (
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

// spin does the phase's calibration spin on the first measured CPU, before a run and outside its timing, and returns how long it
// took; 0 where the phase declares none. Its work is fixed at the first run on that CPU, so that what varies afterwards is the
// machine. No spin follows a run: that would depend on the arm.
func (e *execution) spin(cpus []int) (time.Duration, error) {
	d := time.Duration(e.phase.Process.Calibrate)
	if d == 0 {
		return 0, nil
	}
	cpu := -1
	if len(cpus) > 0 {
		cpu = cpus[0]
	}
	rounds, ok := e.rounds[cpu]
	if !ok {
		var err error
		if rounds, err = spawn.SpinRounds(cpu, d); err != nil {
			return 0, err
		}
		if e.rounds == nil {
			e.rounds = map[int]uint64{}
		}
		e.rounds[cpu] = rounds
	}
	return spawn.Spin(cpu, rounds)
}
