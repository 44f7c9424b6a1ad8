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

// warmUp notes, for each metric, the arm and case in which the first repeat of a process differs most from the
// median of the rest: the geometric mean over its processes.
func warmUp(in *Input) []Finding {
	return steepest(in, func(m *plan.Metric, arm string, cells []*Cell) (float64, string) {
		log, n := firstAgainstRest(m, cells)
		if n == 0 {
			return 0, ""
		}
		return log, fmt.Sprintf("%s: the first repeat of %s differs by %s from the median of the others, over %s; no other arm or case differs more",
			m.Unit, arm, percent(math.Exp(log)), count(n, "process"))
	})
}

// firstAgainstRest returns the mean over processes of ln(first repeat / median of the rest), and their number. It is
// 0 of 0 where a process has one value or one that is not positive.
func firstAgainstRest(m *plan.Metric, cells []*Cell) (log float64, n int) {
	var logs []float64
	for _, c := range cells {
		if !c.Valid() {
			continue
		}
		vs, _ := Values(m, c.Process)
		if len(vs) < 2 {
			return 0, 0
		}
		rest, err := stats.Median(vs[1:])
		if err != nil || !(vs[0] > 0) || !(rest > 0) || !Finite(vs[0]) || !Finite(rest) {
			return 0, 0
		}
		logs = append(logs, math.Log(vs[0]/rest))
	}
	if len(logs) == 0 {
		return 0, 0
	}
	return stats.Mean(logs), len(logs)
}

// steepest applies a measure to every arm of every case and returns, for each metric, the finding of the one that is
// furthest from zero. Measures return it with their message.
func steepest(in *Input, measure func(m *plan.Metric, arm string, cells []*Cell) (float64, string)) []Finding {
	var out []Finding
	p := in.phase()
	for i := range p.Metrics {
		m := &p.Metrics[i]
		if m.Role == plan.RoleConstant {
			continue
		}
		var f Finding
		most := 0.0
		for j := range p.Cases {
			c := &p.Cases[j]
			for _, arm := range c.Arms {
				v, message := measure(m, arm, in.Grid.ArmCells(c.Name, arm))
				if math.Abs(v) > most {
					most = math.Abs(v)
					f = Finding{Case: c.Name, Metric: m.Unit, Arm: arm, Message: message}
				}
			}
		}
		out = append(out, some(f)...)
	}
	return out
}
