package check

import (
	"fmt"
	"math"
)

// sameDigits is the relative difference below which effects are the same: double rounding makes as much.
const sameDigits = 1e-12

// zeroVariance notes comparisons whose blocks all give the same effect: their intervals collapse to a point, which
// says that nothing varied, and not how sure the estimate is.
func zeroVariance(in *Input) []Finding {
	var out []Finding
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Verdict == "equal" || c.Blocks < 2 || c.Estimate == nil || !c.constantEffect() {
			continue
		}
		out = append(out, Finding{Case: c.Case, Metric: c.Metric, Arm: c.Arm, Message: fmt.Sprintf(
			"%s, %s: all %d blocks give %s; the interval is that point, since nothing varied", c.Metric, c.pair(), c.Blocks, number(*c.Estimate))})
	}
	return out
}

func (c *Comparison) constantEffect() bool {
	for _, b := range c.Effects {
		if b.Effect != nil && math.Abs(*b.Effect-*c.Estimate) > sameDigits*math.Abs(*c.Estimate) {
			return false
		}
	}
	return true
}
