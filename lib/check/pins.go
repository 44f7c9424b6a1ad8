package check

import (
	"fmt"

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

// of fills in the case, arm and block of a run.
func (f *Finding) of(p *plan.Plan, run int) {
	if run < 1 || run > len(p.Runs) {
		return
	}
	r := &p.Runs[run-1]
	f.Case, f.Arm, f.Blocks = r.Case, r.Arm, []int{r.Block}
}
