package check

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

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
