package analysis

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
)

// Outcomes of a gate.
const (
	Pass         = "pass"
	Fail         = "fail"
	Inconclusive = "inconclusive"
)

// narrowBlocks is the number of blocks from which a percentile interval is no longer called narrow.
const narrowBlocks = check.NarrowBlocks

// gates holds every gate against every comparison of its metric and cases that has no control arm. A gate that holds
// none is inconclusive: what was not measured has not passed.
func (a *analyzer) gates(r *Result) ([]Gate, []check.Gate) {
	out := []Gate{}
	var seen []check.Gate
	for i := range a.phase.Gates {
		g := &a.phase.Gates[i]
		s := check.Gate{Gate: g}
		a.each(r, func(c *Case, m *Metric, k *Comparison) {
			if m.Unit != g.Metric || (len(g.Cases) > 0 && !slices.Contains(g.Cases, c.Case)) || a.control(k.Arm, k.Base) {
				return
			}
			o := newGate(g)
			o.Case, o.Arm, o.Base = c.Case, k.Arm, k.Base
			narrow := decide(&o, g, k)
			out = append(out, o)
			s.Matched++
			s.Narrow = s.Narrow || narrow
		})
		if s.Matched == 0 {
			o := newGate(g)
			o.Verdict, o.Reason = Inconclusive, "no comparison of "+g.Metric+" to hold against it"
			out = append(out, o)
		}
		seen = append(seen, s)
	}
	return out, seen
}

func newGate(g *plan.Gate) Gate {
	o := Gate{Metric: g.Metric, At: g.At.String()}
	switch {
	case g.MaxRatio != nil:
		o.Bound, o.Limit = "max_ratio", *g.MaxRatio
	case g.MinRatio != nil:
		o.Bound, o.Limit = "min_ratio", *g.MinRatio
	case g.MaxDifference != nil:
		o.Bound, o.Limit = "max_difference", *g.MaxDifference
	}
	return o
}

// decide holds one gate against one comparison: it passes when the whole registered interval is within the bound and
// fails when the whole lies beyond it. Equal medians are exactly 1, or 0. It reports whether the interval was too
// narrow to decide.
func decide(o *Gate, g *plan.Gate, k *Comparison) (narrow bool) {
	low, high := 1.0, 1.0
	if k.Estimand == plan.BlockDifference {
		low, high = 0, 0
	}
	switch {
	case k.Verdict == Undefined || k.Verdict == VerdictAbsent:
		o.Verdict, o.Reason = Inconclusive, k.Verdict+": "+*k.VerdictReason
		return false
	case k.Verdict == Equal:
	case k.Interval == nil:
		o.Verdict, o.Reason = Inconclusive, *k.VerdictReason
		return false
	case k.Interval.Kind == plan.Percentile && k.Blocks < narrowBlocks && !g.AcceptNarrow:
		o.Verdict = Inconclusive
		o.Reason = fmt.Sprintf("a percentile interval of %d blocks is narrower than its level says; register another, or set accept_narrow = True", k.Blocks)
		return true
	default:
		low, high = *k.Interval.Low, *k.Interval.High
	}
	within, beyond := high <= o.Limit, low > o.Limit
	if g.MinRatio != nil {
		within, beyond = low >= o.Limit, high < o.Limit
	}
	switch {
	case within:
		o.Verdict = Pass
	case beyond:
		o.Verdict = Fail
	default:
		o.Verdict, o.Reason = Inconclusive, "the interval straddles the bound"
	}
	return false
}
