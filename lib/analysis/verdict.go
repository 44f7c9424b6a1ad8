package analysis

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// judge sets the verdict and its reason, and with a family the p value of a comparison that has a verdict. why is the
// reason of a missing interval.
func (a *analyzer) judge(out *Comparison, c *Case, p *pair, why string, e *plan.Estimand) {
	out.Verdict, out.VerdictReason = verdict(out, c, p, why)
	if a.phase.Family == "" || a.control(out.Arm, out.Base) {
		return
	}
	switch out.Verdict {
	case Equal:
		out.P = number(1)
	case Lower, Higher, Unresolved:
		out.P = testP(e.Interval, p.effects)
	}
}

// verdict applies the rules in their order: a case without a status of measured has none; equal medians are equal,
// zeros included; one undefined block makes the whole undefined; else the registered interval decides.
func verdict(out *Comparison, c *Case, p *pair, why string) (string, *string) {
	switch {
	case len(p.missing) > 0 && len(p.blocks) == 0:
		return VerdictAbsent, text("no complete block")
	case len(p.missing) > 0 && c.Status == Incomplete:
		return VerdictAbsent, text(p.lost())
	case c.Status == Incomplete:
		return VerdictAbsent, text("every block of this pair is complete, the case is not: " + *c.StatusReason)
	case c.Status != Measured:
		return VerdictAbsent, text(fmt.Sprintf("the case is %s: %s", c.Status, *c.StatusReason))
	case p.equal():
		return Equal, nil
	case len(p.bad) > 0:
		return Undefined, text(p.undefined())
	case p.beyond > 0:
		return Undefined, text(fmt.Sprintf("in block %d %s against %s is beyond what a double holds", p.beyond, p.contrast.Arm, p.contrast.Base))
	case out.Estimate == nil:
		return Undefined, text("the estimate is beyond what a double holds")
	case out.Interval == nil:
		return Unresolved, text(why)
	}
	switch p.scale.direction(*out.Interval.Low, *out.Interval.High) {
	case -1:
		return Lower, nil
	case 1:
		return Higher, nil
	}
	return Unresolved, nil
}

// disagree compares the verdict of the registered interval with those of the others of its level, and names those
// that come to another.
func (out *Comparison) disagree(s *scale) {
	if out.Interval == nil {
		return
	}
	want := s.direction(*out.Interval.Low, *out.Interval.High)
	say := func(name string, low, high *float64) {
		if low != nil && high != nil && s.direction(*low, *high) != want {
			out.RegisteredAgree = false
			out.Disagreeing = append(out.Disagreeing, name)
		}
	}
	for _, iv := range out.Also {
		if iv.Level == out.Interval.Level {
			say("also "+iv.Kind, iv.Low, iv.High)
		}
	}
	u := out.Unregistered
	if u.ExactPercentile != nil {
		say("exact_percentile", u.ExactPercentile.Low, u.ExactPercentile.High)
	}
	if u.StudentT != nil {
		say("student_t", u.StudentT.Low, u.StudentT.High)
	}
	if u.SignFlip != nil {
		say("sign_flip", u.SignFlip.Low, u.SignFlip.High)
	}
}
