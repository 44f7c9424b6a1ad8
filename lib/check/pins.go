package check

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
)

// pins finds files that were not as pinned.
func pins(in *Input) []Finding {
	var out []Finding
	for _, b := range in.Facts.PinsBroken {
		f := Finding{Message: fmt.Sprintf("%s (%s): its digest should be %s, found %s", b.Label, b.When, b.Want, b.Got)}
		if file := in.phase().File(b.Label); file != nil {
			f.At = at(file.At)
		}
		f.of(in.Grid.Plan, b.Run)
		out = append(out, f)
	}
	return out
}

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

// of fills in the case, arm and block of a run.
func (f *Finding) of(p *plan.Plan, run int) {
	if run < 1 || run > len(p.Runs) {
		return
	}
	r := &p.Runs[run-1]
	f.Case, f.Arm, f.Blocks = r.Case, r.Arm, []int{r.Block}
}
