package analysis

import (
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// completeness counts what was planned and what came. Failures count every attempt, replaced ones included; finished
// processes, samples and audits count those that stand.
func (a *analyzer) completeness(r *Result, processes []sample.Process) Completeness {
	c := Completeness{ProcessesPlanned: len(a.grid.Plan.Runs), SamplesPlanned: a.grid.Plan.Samples(), Audits: a.audits()}
	for i := range processes {
		if f := processes[i].Failure; f != nil {
			c.ProcessesFailed++
			if f.Kind == sample.FailParse {
				c.ParseFailures++
			}
		}
	}
	for i := range a.phase.Cases {
		for _, cell := range a.grid.Cells(a.phase.Cases[i].Name) {
			if cell.Valid() {
				c.ProcessesFinished++
				c.Samples += len(cell.Process.Samples)
				c.DerivedOmitted += cell.Omitted
			}
		}
	}
	c.BlocksRerun = a.reruns()
	for i := range r.Cases {
		switch r.Cases[i].Status {
		case Contaminated, Unverifiable:
			c.CasesExcluded++
		case Unexecuted:
			c.CasesUnexecuted++
		}
	}
	a.each(r, func(_ *Case, _ *Metric, k *Comparison) {
		if k.Verdict == Undefined {
			c.UndefinedComparisons++
		}
		if k.Blocks < len(k.BlockRatios) {
			c.LimitedToCompleteBlocks = true
		}
	})
	return c
}

// reruns counts the blocks of which a later attempt stands in the place of an earlier one.
func (a *analyzer) reruns() int {
	type block struct {
		name           string
		block, attempt int
	}
	seen := map[block]bool{}
	for _, p := range a.grid.Replaced {
		seen[block{p.Run.Case, p.Run.Block, p.Attempt}] = true
	}
	return len(seen)
}

// audits counts the audit lines by name: expected of every planned run, passed in those that stand.
func (a *analyzer) audits() map[string]Audit {
	out := map[string]Audit{}
	for _, e := range a.phase.Expect {
		if e.Kind != plan.ExpectAudit {
			continue
		}
		count := out[e.Name]
		for i := range a.grid.Plan.Runs {
			count.Expected += e.PerRepeat * a.grid.Plan.Runs[i].Repeats
		}
		out[e.Name] = count
	}
	for i := range a.phase.Cases {
		for _, cell := range a.grid.Cells(a.phase.Cases[i].Name) {
			if cell.Process == nil {
				continue
			}
			for name, n := range cell.Process.Audits {
				if count, ok := out[name]; ok {
					count.Passed += n.Passed
					out[name] = count
				}
			}
		}
	}
	return out
}
