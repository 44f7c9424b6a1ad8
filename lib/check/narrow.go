package check

import (
	"fmt"

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
