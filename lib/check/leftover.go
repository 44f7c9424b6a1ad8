package check

import (
	"fmt"
)

// leftover notes runs that left processes of their tree behind, which were ended.
func leftover(in *Input) []Finding {
	var out []Finding
	for _, r := range in.Facts.Runs {
		if r.LeftProcesses == 0 {
			continue
		}
		f := Finding{Message: fmt.Sprintf("run %d left %s behind; they were ended before the next run", r.Run, count(r.LeftProcesses, "process"))}
		f.of(in.Grid.Plan, r.Run)
		out = append(out, f)
	}
	return out
}
