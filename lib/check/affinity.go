package check

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
)

// affinity finds processes that did not run on the CPUs that they were given, as read back from them.
func affinity(in *Input) []Finding {
	var out []Finding
	for _, r := range in.Facts.Runs {
		if !r.Finished || r.CPUs == "" || r.CPUsRead == "" || sameCPUs(r.CPUs, r.CPUsRead) {
			continue
		}
		f := Finding{Message: fmt.Sprintf("run %d was pinned to CPUs %s and read back as on %s", r.Run, r.CPUs, r.CPUsRead)}
		f.of(in.Grid.Plan, r.Run)
		out = append(out, f)
	}
	return out
}

func sameCPUs(a, b string) bool {
	x, err := plan.ParseCPUs(a)
	y, err2 := plan.ParseCPUs(b)
	return err == nil && err2 == nil && slices.Equal(x, y)
}
