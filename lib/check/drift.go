package check

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// drift notes, for each metric, the arm and case whose process medians moved most over the phase: the least-squares
// slope of the logs of the medians over the numbers of the runs.
func drift(in *Input) []Finding {
	return steepest(in, func(m *plan.Metric, arm string, cells []*Cell) (float64, string) {
		slope, span := logSlope(cells, m.Unit)
		if span == 0 {
			return 0, ""
		}
		return slope * span, fmt.Sprintf("%s: the medians of %s move by %s from the first to the last of its runs (the slope of their logs over run order); no other arm or case moves more",
			m.Unit, arm, percent(math.Exp(slope*span)))
	})
}

// logSlope returns the least-squares slope of ln(median) over run numbers, and the span of the run numbers. The span
// is 0 for fewer than three medians, and where one is not positive.
func logSlope(cells []*Cell, unit string) (slope, span float64) {
	var xs, ys []float64
	for _, c := range cells {
		if !c.Valid() {
			continue
		}
		v := c.Medians[unit]
		if v == nil || *v <= 0 {
			return 0, 0
		}
		xs, ys = append(xs, float64(c.Run.Number)), append(ys, math.Log(*v))
	}
	if len(xs) < 3 {
		return 0, 0
	}
	mx, my := stats.Mean(xs), stats.Mean(ys)
	var sxy, sxx float64
	for i := range xs {
		sxy += (xs[i] - mx) * (ys[i] - my)
		sxx += (xs[i] - mx) * (xs[i] - mx)
	}
	return sxy / sxx, xs[len(xs)-1] - xs[0]
}
