package stats_test

import (
	"math"
	"testing"

	"github.com/phaselock/phaselock/lib/stats"
)

// The simulated table agrees with what is known of the percentile interval, to half a percent of rounding and three standard errors.
// What is known of the others exactly is held in lib/stats/coverage.
func TestCoverage(t *testing.T) {
	for n, want := range map[int]float64{4: 0.80, 6: 0.86, 8: 0.89, 10: 0.90, 12: 0.91, 20: 0.92} {
		got, ok := stats.Coverage("percentile", n)
		if !ok || math.Abs(got-want) > 0.0125 {
			t.Errorf("percentile at %d blocks: %v (%v), want about %v", n, got, ok, want)
		}
	}
	for n := 4; n <= 20; n++ {
		if got, ok := stats.Coverage("student_t", n); !ok || got < 0.94 || got > 0.96 {
			t.Errorf("student_t at %d blocks: %v (%v), want 0.95", n, got, ok)
		}
	}
	for n, least := range map[int]float64{6: 0.96, 7: 0.94, 8: 0.94, 10: 0.94} {
		if got, ok := stats.Coverage("sign_flip", n); !ok || got < least {
			t.Errorf("sign_flip at %d blocks: %v (%v)", n, got, ok)
		}
	}
	for _, c := range []struct {
		kind string
		n    int
	}{{"sign_flip", 5}, {"percentile", 3}, {"percentile", 21}, {"bca", 6}} {
		if got, ok := stats.Coverage(c.kind, c.n); ok {
			t.Errorf("%s at %d blocks was not simulated and is %v", c.kind, c.n, got)
		}
	}
}
