package analysis

import "github.com/phaselock/phaselock/lib/check"

// seen returns the comparisons as the checks see them.
func (a *analyzer) seen(r *Result) []check.Comparison {
	out := []check.Comparison{}
	a.each(r, func(c *Case, m *Metric, k *Comparison) {
		e := a.phase.EstimandOf(a.phase.Metric(m.Unit))
		s := check.Comparison{
			Case: c.Case, Metric: m.Unit, Arm: k.Arm, Base: k.Base, Control: a.control(k.Arm, k.Base),
			Estimand: e, Blocks: k.Blocks, Estimate: k.Estimate, Verdict: k.Verdict, Level: e.Interval.Level,
			BaseFirst: check.Part(k.Order.BaseFirst), ArmFirst: check.Part(k.Order.ArmFirst),
			SignFlip: usesSignFlip(e.Interval, a.phase.Design.Blocks),
		}
		if k.VerdictReason != nil {
			s.Reason = *k.VerdictReason
		}
		if k.Interval != nil {
			s.Low, s.High = k.Interval.Low, k.Interval.High
		}
		for _, b := range k.BlockRatios {
			s.Effects = append(s.Effects, check.Block{Block: b.Block, Effect: b.Ratio, First: b.First, Matched: b.Matched})
		}
		if k.Matched != nil {
			s.Matched = &check.Subset{
				Blocks: k.Matched.Blocks, Estimate: k.Matched.Estimate,
				BaseFirst: k.Matched.BaseFirst, ArmFirst: k.Matched.ArmFirst,
			}
		}
		out = append(out, s)
	})
	return out
}
