//go:build unix

package spawn

import (
	"runtime"
	"time"
)

// Spin does a fixed amount of work on one CPU and returns how long it took: what tells a machine that became slower, though
// nothing on it says so. The work is integer arithmetic in registers, so that it depends on the CPU's speed and on nothing else.
// With cpu < 0 it runs wherever the caller does.
func Spin(cpu int, rounds uint64) (time.Duration, error) {
	type outcome struct {
		took time.Duration
		err  error
	}
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its affinity
		if cpu >= 0 {
			if err := pinThread(cpu); err != nil {
				done <- outcome{0, err}
				return
			}
		}
		start := time.Now()
		x := work(rounds)
		took := time.Since(start)
		runtime.KeepAlive(x) // so that the work is not removed
		done <- outcome{took, nil}
	}()
	o := <-done
	return o.took, o.err
}

// SpinRounds returns the rounds of work that take about a duration on a CPU, as measured there now.
func SpinRounds(cpu int, d time.Duration) (uint64, error) {
	rounds := uint64(1 << 16)
	for {
		took, err := Spin(cpu, rounds)
		if err != nil {
			return 0, err
		}
		if took >= d/4 || rounds >= 1<<40 {
			return max(1, uint64(float64(rounds)*float64(d)/float64(max(took, 1)))), nil
		}
		rounds *= 2
	}
}

// work is a chain of dependent multiplications and shifts (xorshift*).
func work(rounds uint64) uint64 {
	x := uint64(88172645463325252)
	for range rounds {
		x ^= x >> 12
		x ^= x << 25
		x ^= x >> 27
		x *= 2685821657736338717
	}
	return x
}
