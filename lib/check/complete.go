package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// complete finds runs without samples, processes with another number of samples than the plan asks for, and missing
// audits.
func complete(in *Input) []Finding {
	var out []Finding
	if in.Facts.Stopped != "" {
		out = append(out, Finding{Message: "the phase was stopped before its last run: " + in.Facts.Stopped})
	}
	for i := range in.phase().Cases {
		c := &in.phase().Cases[i]
		for _, arm := range c.Arms {
			cells := in.Grid.ArmCells(c.Name, arm)
			out = append(out, failures(c.Name, arm, cells)...)
			out = append(out, counts(c.Name, arm, cells)...)
			out = append(out, audits(in.phase(), c.Name, arm, cells)...)
		}
	}
	return out
}

// failures groups the runs of an arm that gave no samples by the kind of failure.
func failures(name, arm string, cells []*Cell) []Finding {
	var kinds []string
	byKind := map[string][]*Cell{}
	for _, c := range cells {
		if c.Valid() {
			continue
		}
		k := kindOf(c)
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], c)
	}
	var out []Finding
	for _, k := range kinds {
		bad := byKind[k]
		f := Finding{Case: name, Arm: arm, Message: Why(bad[0])}
		for _, c := range bad {
			f.Blocks = addInt(f.Blocks, c.Run.Block)
			if c.Process != nil && c.Process.Failure != nil && f.At == "" {
				f.At = c.Process.Failure.At
			}
		}
		if len(bad) > 1 {
			f.Message += fmt.Sprintf("; %d of %d processes of this arm end so, in %s", len(bad), len(cells), blocks(f.Blocks))
		}
		out = append(out, f)
	}
	return out
}

func kindOf(c *Cell) string {
	if c.Process == nil || c.Process.Failure == nil {
		return sample.FailMissing
	}
	return c.Process.Failure.Kind
}

// Why says in a sentence why a run gave no samples.
func Why(c *Cell) string {
	what := fmt.Sprintf("run %d (%s, block %d)", c.Run.Number, c.Run.Arm, c.Run.Block)
	switch {
	case c.Process == nil:
		return what + " has no record"
	case c.Process.Failure == nil:
		return what + " has a record without samples"
	}
	return fmt.Sprintf("%s failed (%s): %s", what, c.Process.Failure.Kind, c.Process.Failure.Message)
}

// counts finds processes with another number of samples than their run asks for.
func counts(name, arm string, cells []*Cell) []Finding {
	f := Finding{Case: name, Arm: arm}
	for _, c := range cells {
		if !c.Valid() || len(c.Process.Samples) == c.Run.Repeats {
			continue
		}
		if f.Message == "" {
			f.Message = fmt.Sprintf("run %d gave %s where the plan asks for %d", c.Run.Number, count(len(c.Process.Samples), "sample"), c.Run.Repeats)
		}
		f.Blocks = addInt(f.Blocks, c.Run.Block)
	}
	return some(f)
}

// audits finds valid processes that did not write every audit line that they should have written, as they should.
func audits(p *plan.Phase, name, arm string, cells []*Cell) []Finding {
	var out []Finding
	for i := range p.Expect {
		e := &p.Expect[i]
		if e.Kind != plan.ExpectAudit {
			continue
		}
		f := Finding{Case: name, Arm: arm, At: e.At.String()}
		for _, c := range cells {
			want := e.PerRepeat * c.Run.Repeats
			if !c.Valid() || c.Process.Audits[e.Name].Passed >= want {
				continue
			}
			if f.Message == "" {
				f.Message = fmt.Sprintf("audit %q: run %d wrote %d of %s as expected", e.Name, c.Run.Number,
					c.Process.Audits[e.Name].Passed, count(want, "line"))
			}
			f.Blocks = addInt(f.Blocks, c.Run.Block)
		}
		out = append(out, some(f)...)
	}
	return out
}

// some returns the finding if it has something to say.
func some(f Finding) []Finding {
	if f.Message == "" {
		return nil
	}
	if len(f.Blocks) > 1 {
		f.Message += ", and so on in " + blocks(f.Blocks)
	}
	return []Finding{f}
}
