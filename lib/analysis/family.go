package analysis

import (
	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// adjust fills in the p values of every comparison of the phase's family: all metrics, cases and contrasts without a
// control arm. A comparison that has no p (undefined, incomplete, without interval) counts as one that rejects
// nothing, so that no failure lightens the correction of the others.
func (a *analyzer) adjust(r *Result) {
	if a.phase.Family == "" {
		return
	}
	var family []*Comparison
	a.each(r, func(_ *Case, _ *Metric, c *Comparison) {
		if !a.control(c.Arm, c.Base) {
			family = append(family, c)
		}
	})
	ps := make([]float64, len(family))
	for i, c := range family {
		ps[i] = 1
		if c.P != nil {
			ps[i] = *c.P
		}
	}
	adjusted := stats.Holm
	if a.phase.Family == "bh" {
		adjusted = stats.BenjaminiHochberg
	}
	for i, v := range adjusted(ps) {
		if family[i].P != nil {
			family[i].AdjustedP = number(v)
		}
	}
}

// testP returns the two-sided p of the test that belongs to an interval: the paired t test for student_t; the sign-flip
// test for sign_flip, and for percentile, which has none of its own. Above 20 blocks the sign-flip test is not
// enumerated and percentile has the paired t test.
func testP(iv plan.Interval, effects []float64) *float64 {
	if len(effects) < 2 {
		return nil
	}
	if iv.Kind != plan.StudentT {
		if r, ok := stats.SignFlip(effects, iv.Level); ok {
			return number(r.P)
		}
		if iv.Kind == plan.SignFlip {
			return nil
		}
	}
	return number(stats.PairedTP(effects))
}

// usesSignFlip reports whether testP takes the sign-flip p, whose least value is 2/2^n.
func usesSignFlip(iv plan.Interval, blocks int) bool {
	return iv.Kind == plan.SignFlip || (iv.Kind == plan.Percentile && blocks <= check.MaxSignFlip)
}

// control reports whether one of the arms is an A/A arm.
func (a *analyzer) control(arms ...string) bool {
	for _, name := range arms {
		if arm := a.phase.Arm(name); arm != nil && arm.Control {
			return true
		}
	}
	return false
}

// each visits every comparison in order.
func (a *analyzer) each(r *Result, visit func(*Case, *Metric, *Comparison)) {
	for i := range r.Cases {
		c := &r.Cases[i]
		for j := range c.Metrics {
			m := &c.Metrics[j]
			for k := range m.Comparisons {
				visit(c, m, &m.Comparisons[k])
			}
		}
	}
}
