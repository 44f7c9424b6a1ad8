package check

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// NarrowBlocks is the number of blocks from which a percentile interval is no longer called narrow.
const NarrowBlocks = 20

// narrowInterval notes registered percentile intervals of few blocks: they cover less than their level says.
func narrowInterval(in *Input) []Finding {
	type group struct {
		estimand *plan.Estimand
		blocks   int
	}
	var out []Finding
	seen := map[group]bool{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		g := group{c.Estimand, c.Blocks}
		if c.Estimand.Interval.Kind != plan.Percentile || c.Low == nil || c.Blocks >= NarrowBlocks || seen[g] {
			continue
		}
		seen[g] = true
		covers := ""
		if v, ok := stats.Coverage(plan.Percentile, c.Blocks); ok {
			covers = fmt.Sprintf(": a nominal 95%% covers about %.0f%% there", 100*v)
		}
		f := Finding{At: at(c.Estimand.At), Message: fmt.Sprintf(
			"the percentile interval is narrow at %s%s, and more resamples do not help; Student's t stands beside it", count(c.Blocks, "block"), covers)}
		if c.Estimand != &in.phase().Estimand {
			f.Metric = c.Metric
		}
		out = append(out, f)
	}
	return out
}

// noInterval notes comparisons of several blocks that have no registered interval, once for each reason.
func noInterval(in *Input) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Estimate == nil || c.Low != nil || c.Blocks < 2 || c.Reason == "" || c.Verdict != "unresolved" || seen[c.Reason] {
			continue
		}
		seen[c.Reason] = true
		out = append(out, Finding{At: at(c.Estimand.At), Message: c.Reason})
	}
	return out
}

// singleBlock notes comparisons of one block: an estimate, and nothing to say how sure it is.
func singleBlock(in *Input) []Finding {
	var out []Finding
	seen := map[string]bool{}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Blocks != 1 || seen[c.Case] {
			continue
		}
		seen[c.Case] = true
		out = append(out, Finding{Case: c.Case, At: at(in.phase().Design.At), Message: "one block: no interval and no verdict but equal; six blocks or more make an interval worth having"})
	}
	return out
}

// sameDigits is the relative difference below which effects are the same: double rounding makes as much.
const sameDigits = 1e-12

// zeroVariance notes comparisons whose blocks all give the same effect: their intervals collapse to a point, which
// says that nothing varied, and not how sure the estimate is.
func zeroVariance(in *Input) []Finding {
	var out []Finding
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Verdict == "equal" || c.Blocks < 2 || c.Estimate == nil || !c.constantEffect() {
			continue
		}
		out = append(out, Finding{Case: c.Case, Metric: c.Metric, Arm: c.Arm, Message: fmt.Sprintf(
			"%s, %s: all %d blocks give %s; the interval is that point, since nothing varied", c.Metric, c.pair(), c.Blocks, number(*c.Estimate))})
	}
	return out
}

func (c *Comparison) constantEffect() bool {
	for _, b := range c.Effects {
		if b.Effect != nil && math.Abs(*b.Effect-*c.Estimate) > sameDigits*math.Abs(*c.Estimate) {
			return false
		}
	}
	return true
}

// undefined notes comparisons that the estimand cannot make, so that they are counted and named.
func undefined(in *Input) []Finding {
	var out []Finding
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Verdict != "undefined" {
			continue
		}
		s := fmt.Sprintf("%s, %s: %s", c.Metric, c.pair(), c.Reason)
		if c.Estimand.Kind == plan.BlockRatio {
			s += "; a metric that may be zero or negative is measured with block_difference"
		}
		f := Finding{Case: c.Case, Metric: c.Metric, Arm: c.Arm, Message: s, At: at(c.Estimand.At)}
		for _, b := range c.Effects {
			if b.Effect == nil {
				f.Blocks = append(f.Blocks, b.Block)
			}
		}
		out = append(out, f)
	}
	return out
}

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
