package check

import (
	"github.com/phaselock/phaselock/lib/plan"
)

// confoundCheck is the name by which a phase declares this check for a constant.
const confoundCheck = "prefix_confound"

// Confounds returns the constants that may confound, in declared order: those that name what they confound, and
// those for which the check is declared.
func Confounds(p *plan.Phase) []*plan.Metric {
	var out []*plan.Metric
	for i := range p.Metrics {
		if isConfound(p, &p.Metrics[i]) {
			out = append(out, &p.Metrics[i])
		}
	}
	return out
}

func isConfound(p *plan.Phase, m *plan.Metric) bool {
	if m.Role != plan.RoleConstant {
		return false
	}
	return m.Confound != "" || declaredFor(p, m.Unit)
}

func declaredFor(p *plan.Phase, unit string) bool {
	for i := range p.Checks {
		if p.Checks[i].Kind == confoundCheck && (p.Checks[i].Metric == unit || p.Checks[i].Metric == "") {
			return true
		}
	}
	return false
}

// ConfoundDeclared reports whether the phase declares the check, so that the matched estimate is no afterthought.
func ConfoundDeclared(p *plan.Phase) bool {
	for i := range p.Checks {
		if p.Checks[i].Kind == confoundCheck {
			return true
		}
	}
	return false
}

// Matched reports whether every confounded constant has one value in both of two processes.
func Matched(confounds []*plan.Metric, arm, base *Cell) bool {
	for _, m := range confounds {
		a, b := arm.Constants[m.Unit], base.Constants[m.Unit]
		if a == nil || b == nil || *a != *b {
			return false
		}
	}
	return true
}
