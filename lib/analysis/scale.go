package analysis

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// scale is an estimand: how two medians of a block become a linear effect, and how a mean of effects is shown.
type scale struct {
	effects func(arm, base []float64) ([]float64, error)
	show    func(float64) float64 // of an effect, or of a mean of effects
	block   func(arm, base float64) float64
	null    float64 // shown, where there is no difference
	bad     func(median float64) bool
	needs   string // what bad refuses, in words
}

// scales holds one entry an estimand.
var scales = map[string]*scale{
	plan.BlockRatio: {
		effects: stats.LogRatios,
		show:    math.Exp,
		block:   func(arm, base float64) float64 { return arm / base },
		null:    1,
		bad:     func(median float64) bool { return !(median > 0) },
		needs:   "a ratio needs positive numbers on both sides",
	},
	plan.BlockDifference: {
		effects: stats.Differences,
		show:    func(v float64) float64 { return v },
		block:   func(arm, base float64) float64 { return arm - base },
		bad:     func(float64) bool { return false },
		needs:   "a difference needs finite numbers on both sides",
	},
}

func scaleOf(kind string) (*scale, error) {
	s := scales[kind]
	if s == nil {
		return nil, fmt.Errorf("unknown estimand %q; want %s or %s", kind, plan.BlockRatio, plan.BlockDifference)
	}
	return s, nil
}

// direction says on which side of no difference an interval lies: -1 below, 1 above, 0 if it includes it. It looks
// at the ends as they are shown, so that whoever reads them comes to the same verdict.
func (s *scale) direction(low, high float64) int {
	switch {
	case high < s.null:
		return -1
	case low > s.null:
		return 1
	}
	return 0
}
