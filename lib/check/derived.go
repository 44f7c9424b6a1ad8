package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// derivedOmitted notes derived metrics that have no value in some samples.
func derivedOmitted(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for i := range p.Metrics {
		m := &p.Metrics[i]
		if m.Role != plan.RoleDerived {
			continue
		}
		for j := range p.Cases {
			f := Finding{Case: p.Cases[j].Name, Metric: m.Unit, At: at(m.At)}
			n := 0
			for _, c := range in.Grid.Cells(f.Case) {
				if !c.Valid() {
					continue
				}
				if _, omitted := Values(m, c.Process); omitted > 0 {
					n += omitted
					f.Blocks = addInt(f.Blocks, c.Run.Block)
				}
			}
			if n > 0 {
				f.Message = fmt.Sprintf("%s has no value in %s: %s is 0 or missing there, or %s is missing", m.Unit, count(n, "sample"), m.Den, m.Num)
				out = append(out, f)
			}
		}
	}
	return out
}
