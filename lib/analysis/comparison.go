package analysis

import (
	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// compare returns one metric of one arm against its base in one case. Estimate and intervals are over the complete
// blocks of the pair; only a measured case has a verdict.
func (a *analyzer) compare(c *Case, m *plan.Metric, k plan.Contrast) (Comparison, error) {
	p, err := a.pair(c.Case, m, k)
	if err != nil {
		return Comparison{}, err
	}
	e := a.phase.EstimandOf(m)
	out := Comparison{
		Arm: k.Arm, Base: k.Base, Estimand: e.Kind, Blocks: len(p.blocks),
		BlockRatios: a.blockRatios(c.Case, p), Order: p.order(), Matched: a.matched(p), RegisteredAgree: true,
	}
	if p.effects == nil {
		a.judge(&out, c, p, "", e)
		return out, nil
	}
	out.Estimate = number(p.scale.show(stats.Mean(p.effects)))
	out.LeaveOneOut = p.leaveOneOut()
	registered, why, err := a.interval(e.Interval, p)
	if err != nil {
		return Comparison{}, err
	}
	out.Interval = registered
	for _, iv := range e.Also {
		also, _, err := a.interval(iv, p)
		if err != nil {
			return Comparison{}, err
		}
		if also != nil {
			out.Also = append(out.Also, *also)
		}
	}
	if out.Unregistered, err = unregistered(e.Interval, p); err != nil {
		return Comparison{}, err
	}
	out.disagree(p.scale)
	a.judge(&out, c, p, why, e)
	return out, nil
}

// blockRatios returns every planned block of the pair; the ratio is null where a side is missing or undefined.
func (a *analyzer) blockRatios(name string, p *pair) []BlockRatio {
	complete := map[int]pairBlock{}
	for _, b := range p.blocks {
		complete[b.block] = b
	}
	out := []BlockRatio{}
	for b := 1; b <= a.phase.Design.Blocks; b++ {
		arm, base := a.grid.Cell(name, p.contrast.Arm, b), a.grid.Cell(name, p.contrast.Base, b)
		if arm == nil || base == nil {
			continue
		}
		r := BlockRatio{Block: b, First: first(arm, base)}
		if pb, ok := complete[b]; ok {
			r.Matched = pb.matched
			if pb.arm != nil && pb.base != nil && !p.scale.bad(*pb.arm) && !p.scale.bad(*pb.base) {
				r.Ratio = number(p.scale.block(*pb.arm, *pb.base))
			}
		}
		out = append(out, r)
	}
	return out
}

func first(arm, base *check.Cell) string {
	if arm.Run.Position < base.Run.Position {
		return arm.Run.Arm
	}
	return base.Run.Arm
}
