package spawn_test

import (
	"slices"
	"time"
)

// stopwatch collects how long something took, time after time.
type stopwatch struct{ took []time.Duration }

func (s *stopwatch) time(f func()) {
	start := time.Now()
	f()
	s.took = append(s.took, time.Since(start))
}

// median returns the middle time in microseconds.
func (s *stopwatch) median() float64 {
	sorted := slices.Sorted(slices.Values(s.took))
	return float64(sorted[len(sorted)/2].Nanoseconds()) / 1e3
}
