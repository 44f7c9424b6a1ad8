package check

import (
	"math"

	"github.com/phaselock/phaselock/lib/plan"
)

// steepest applies a measure to every arm of every case and returns, for each metric, the finding of the one that is
// furthest from zero. Measures return it with their message.
func steepest(in *Input, measure func(m *plan.Metric, arm string, cells []*Cell) (float64, string)) []Finding {
	var out []Finding
	p := in.phase()
	for i := range p.Metrics {
		m := &p.Metrics[i]
		if m.Role == plan.RoleConstant {
			continue
		}
		var f Finding
		most := 0.0
		for j := range p.Cases {
			c := &p.Cases[j]
			for _, arm := range c.Arms {
				v, message := measure(m, arm, in.Grid.ArmCells(c.Name, arm))
				if math.Abs(v) > most {
					most = math.Abs(v)
					f = Finding{Case: c.Name, Metric: m.Unit, Arm: arm, Message: message}
				}
			}
		}
		out = append(out, some(f)...)
	}
	return out
}
