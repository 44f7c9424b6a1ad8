package check

import (
	"fmt"
)

// gateUnmatched finds gates that hold nothing: they have not passed.
func gateUnmatched(in *Input) []Finding {
	var out []Finding
	for _, g := range in.Gates {
		if g.Matched == 0 {
			out = append(out, Finding{Metric: g.Gate.Metric, At: at(g.Gate.At), Message: fmt.Sprintf(
				"the gate on %s holds no comparison: no case that it names has two arms that are compared", g.Gate.Metric)})
		}
	}
	return out
}
