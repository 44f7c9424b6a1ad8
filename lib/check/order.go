package check

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
)

// order notes, for each metric and contrast, the case in which the order of the arms made the largest difference
// between the estimates of the two orders. Three blocks against three are no test: there are numbers and no threshold.
func order(in *Input) []Finding {
	type group struct{ metric, arm, base string }
	var groups []group
	largest := map[group]*Comparison{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.orderEffect() == 0 {
			continue
		}
		g := group{c.Metric, c.Arm, c.Base}
		if largest[g] == nil {
			groups = append(groups, g)
		}
		if largest[g] == nil || c.orderEffect() > largest[g].orderEffect() {
			largest[g] = c
		}
	}
	var out []Finding
	for _, g := range groups {
		c := largest[g]
		out = append(out, Finding{Case: c.Case, Metric: c.Metric, Arm: c.Arm, Message: fmt.Sprintf(
			"%s, %s: %s where %s ran first (%s), %s where %s did (%s); no other case differs more by order",
			c.Metric, c.pair(), number(*c.BaseFirst.Estimate), c.Base, count(c.BaseFirst.Blocks, "block"),
			number(*c.ArmFirst.Estimate), c.Arm, count(c.ArmFirst.Blocks, "block"))})
	}
	return out
}

// orderEffect is how far the estimates of the two orders lie apart: the absolute log ratio, or the absolute
// difference. It is 0 where one is missing.
func (c *Comparison) orderEffect() float64 {
	if c.BaseFirst.Estimate == nil || c.ArmFirst.Estimate == nil {
		return 0
	}
	if c.Estimand.Kind == plan.BlockDifference {
		return math.Abs(*c.ArmFirst.Estimate - *c.BaseFirst.Estimate)
	}
	return math.Abs(math.Log(*c.ArmFirst.Estimate) - math.Log(*c.BaseFirst.Estimate))
}
