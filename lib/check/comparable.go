package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// notComparable notes confounding constants that differ between cases: ratios within a case stand, absolute values
// of one case are not comparable with those of another.
func notComparable(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for _, m := range Confounds(p) {
		union := map[float64]int{}
		var names, each []string
		for i := range p.Cases {
			own := constantValues(in, m, p.Cases[i].Name)
			if len(own) == 0 {
				continue
			}
			for v := range own {
				union[v]++
			}
			names = append(names, p.Cases[i].Name)
			each = append(each, fmt.Sprintf("%s in %s", values(own), p.Cases[i].Name))
		}
		if len(union) < 2 || len(names) < 2 {
			continue
		}
		out = append(out, Finding{Metric: m.Unit, At: at(m.At), Message: fmt.Sprintf(
			"absolutes are not comparable across %s: %s is %s", list(names), m.Unit, list(each))})
	}
	return out
}

func constantValues(in *Input, m *plan.Metric, name string) map[float64]int {
	own := map[float64]int{}
	for _, c := range in.Grid.Cells(name) {
		if c.Valid() && c.Constants[m.Unit] != nil {
			own[*c.Constants[m.Unit]]++
		}
	}
	return own
}
