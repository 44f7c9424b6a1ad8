package check

import (
	"fmt"
)

// layout finds cases whose runs did not have one total of argv, environment and path bytes: stacks and pages then
// shift with the arm.
func layout(in *Input) []Finding {
	totals := map[int]int{}
	for _, r := range in.Facts.Runs {
		totals[r.Run] = r.Total
	}
	var out []Finding
	for i := range in.phase().Cases {
		c := &in.phase().Cases[i]
		var parts []string
		seen := map[int]int{}
		for _, arm := range c.Arms {
			own := map[float64]int{}
			for _, cell := range in.Grid.ArmCells(c.Name, arm) {
				if n := totals[cell.Run.Number]; n > 0 {
					own[float64(n)]++
					seen[n]++
				}
			}
			if len(own) > 0 {
				parts = append(parts, fmt.Sprintf("%s bytes in %s", values(own), arm))
			}
		}
		if len(seen) < 2 {
			continue
		}
		why := "the harness could not pad them to one length"
		if !in.phase().Process.Pad {
			why = "process(pad = False) turned the padding off"
		}
		out = append(out, Finding{Case: c.Name, At: at(c.At), Message: fmt.Sprintf(
			"argv, environment and path have %s; %s, so stacks and pages may lie differently", list(parts), why)})
	}
	return out
}
