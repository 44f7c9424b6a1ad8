package check

import (
	"fmt"
)

// gateNarrow finds gates that a percentile interval of few blocks would have decided. They are inconclusive.
func gateNarrow(in *Input) []Finding {
	var out []Finding
	for _, g := range in.Gates {
		if g.Narrow {
			out = append(out, Finding{Metric: g.Gate.Metric, At: at(g.Gate.At), Message: fmt.Sprintf(
				"the gate on %s has a percentile interval of fewer than %d blocks, which is narrower than its level says; register student_t, or accept it with accept_narrow = True",
				g.Gate.Metric, NarrowBlocks)})
		}
	}
	return out
}
