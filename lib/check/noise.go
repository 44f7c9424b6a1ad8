package check

import (
	"fmt"
	"slices"
	"strings"
)

// noise notes runs that the kernel switched out far more often than the others: more than ten times, and more than
// three times as often as three quarters of all runs of the phase.
func noise(in *Input) []Finding {
	var counts []int64
	for _, r := range in.Facts.Runs {
		if r.Finished {
			counts = append(counts, r.Involuntary)
		}
	}
	if len(counts) == 0 {
		return nil
	}
	slices.Sort(counts)
	limit := max(10, 3*counts[(3*len(counts)-1)/4])
	var worst []string
	for _, r := range in.Facts.Runs {
		if r.Finished && r.Involuntary > limit {
			f := Finding{Blocks: []int{0}}
			f.of(in.Grid.Plan, r.Run)
			worst = append(worst, fmt.Sprintf("run %d (%s, %s, block %d) %d times", r.Run, f.Case, f.Arm, f.Blocks[0], r.Involuntary))
		}
	}
	if len(worst) == 0 {
		return nil
	}
	more := ""
	if len(worst) > 5 {
		more = fmt.Sprintf(" and %d more", len(worst)-5)
		worst = worst[:5]
	}
	return []Finding{{Message: fmt.Sprintf("something else ran on the measured CPUs: switched out involuntarily were %s%s; the median run was %d times",
		strings.Join(worst, ", "), more, counts[len(counts)/2])}}
}
