package analysis

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
	"github.com/phaselock/phaselock/lib/stats"
)

// status returns the status of a case with its evidence: what the runs said of it, else unexecuted when no run has
// a record, incomplete when one has no samples, measured otherwise.
func (a *analyzer) status(c *plan.Case) (string, *string) {
	if s, ok := a.facts.Statuses[c.Name]; ok && s.Status != Measured {
		return s.Status, text(s.Why)
	}
	cells := a.grid.Cells(c.Name)
	var first *check.Cell
	records, bad := 0, 0
	for _, cell := range cells {
		if cell.Process != nil {
			records++
		}
		if !cell.Valid() {
			bad++
			if first == nil {
				first = cell
			}
		}
	}
	switch {
	case records == 0:
		why := "no run of the case was started"
		if a.facts.Stopped != "" {
			why += ": " + a.facts.Stopped
		}
		return Unexecuted, &why
	case bad > 0:
		return Incomplete, text(fmt.Sprintf("%d of %d processes gave no samples; the first is %s", bad, len(cells), check.Why(first)))
	}
	return Measured, nil
}

// processes returns every attempt at the runs of a case, in order of run and attempt.
func (a *analyzer) processes(c *plan.Case) []Process {
	out := []Process{}
	for _, cell := range a.grid.Cells(c.Name) {
		if cell.Process != nil {
			out = append(out, a.process(cell.Process, cell.Run.Position, false))
		}
	}
	for _, p := range a.grid.Replaced {
		if p.Run.Case == c.Name {
			out = append(out, a.process(p, a.grid.Cell(c.Name, p.Run.Arm, p.Run.Block).Run.Position, true))
		}
	}
	slices.SortStableFunc(out, func(x, y Process) int {
		if x.Run != y.Run {
			return x.Run - y.Run
		}
		return x.Attempt - y.Attempt
	})
	return out
}

func (a *analyzer) process(p *sample.Process, position int, replaced bool) Process {
	out := Process{
		Run: p.Run.Number, Arm: p.Run.Arm, Block: p.Run.Block, Attempt: p.Attempt, Position: position, Replaced: replaced,
		Medians: map[string]*float64{}, Constants: map[string]*float64{},
	}
	switch {
	case p.Failure != nil:
		out.Failure = &Failure{Kind: p.Failure.Kind, Message: p.Failure.Message, At: p.Failure.At}
	case len(p.Samples) == 0:
		out.Failure = &Failure{Kind: sample.FailMissing, Message: "the record has no samples"}
	default:
		out.Medians, out.Constants = check.Measure(a.phase, p)
	}
	return out
}

// absolute returns the median over blocks of process medians, and the range over all raw samples. Values that are
// not finite have no part in it.
func (a *analyzer) absolute(m *plan.Metric, cells []*check.Cell) Absolute {
	var out Absolute
	var medians []float64
	for _, cell := range cells {
		if !cell.Valid() {
			continue
		}
		if v := cell.Medians[m.Unit]; v != nil {
			medians = append(medians, *v)
		}
		values, _ := check.Values(m, cell.Process)
		for _, v := range values {
			if !check.Finite(v) {
				continue
			}
			out.Samples++
			if out.Min == nil || v < *out.Min {
				out.Min = number(v)
			}
			if out.Max == nil || v > *out.Max {
				out.Max = number(v)
			}
		}
	}
	if v, err := stats.Median(medians); err == nil {
		out.Median = number(v)
	}
	return out
}

// number returns a pointer to v, or nil if v is not finite: JSON has null for that.
func number(v float64) *float64 {
	if !check.Finite(v) {
		return nil
	}
	return &v
}

func text(s string) *string { return &s }
