package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// undefined notes comparisons that the estimand cannot make, so that they are counted and named.
func undefined(in *Input) []Finding {
	var out []Finding
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Verdict != "undefined" {
			continue
		}
		s := fmt.Sprintf("%s, %s: %s", c.Metric, c.pair(), c.Reason)
		if c.Estimand.Kind == plan.BlockRatio {
			s += "; a metric that may be zero or negative is measured with block_difference"
		}
		f := Finding{Case: c.Case, Metric: c.Metric, Arm: c.Arm, Message: s, At: at(c.Estimand.At)}
		for _, b := range c.Effects {
			if b.Effect == nil {
				f.Blocks = append(f.Blocks, b.Block)
			}
		}
		out = append(out, f)
	}
	return out
}
