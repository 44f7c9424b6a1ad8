package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// Task is one attempt at one run.
type Task struct {
	Run     *plan.Run
	Attempt int
	Rerun   *ledger.BlockRerun // journalled before the task: the first of a block that is run again whole
}

// Rest is what a ledger leaves to be done of its plan.
type Rest struct {
	Tasks          []Task
	Dangling       []*ledger.RunInterrupted // attempts that were started and of whose end there is no record
	LeftIncomplete []string                 // blocks of which runs are missing and stay so: interrupted = "retain"
	Stopped        string                   // why nothing may follow, by on_failure = "stop-phase"; "" if something may
	Finished       int                      // attempts that gave their samples
	Failed         int                      // attempts that ended and gave none
	StoppedCases   map[string]bool          // that on_failure = "stop-case" ended

	Labels   map[string]ledger.Placement // sealed, by the name of the placement
	Measured map[string]bool             // cases of which a run has ended
	Statuses map[string]string           // of cases, other than measured
}

// NoRecord is what is known of a run that was started by a harness which did not live to see its end.
const NoRecord = "the harness ended during this run and left no record of its end"

// RestOf returns what is left of a plan after these events, in the plan's order. A run that ended is never done again by itself.
// A block of a case is a comparison close in time: one of which some runs were started and not all ended is run again whole, by
// every arm and in the same order, or stays incomplete where the phase declares interrupted = "retain".
//
// Output in folder/runs that no event tells of is taken for a run whose record a disk has lost: its block counts as interrupted,
// and its files stay where they are.
func RestOf(pl *plan.Plan, entries []ledger.Entry, folder string) (Rest, error) {
	h := history{plan: pl, ended: map[attempt]bool{}, rerun: map[blockOf]int{}, last: map[blockOf]int{}}
	r := Rest{StoppedCases: map[string]bool{}, Labels: map[string]ledger.Placement{}, Measured: map[string]bool{}, Statuses: map[string]string{}}
	h.read(entries, &r)
	if r.Stopped != "" {
		return r, nil
	}
	if err := h.search(folder); err != nil {
		return r, err
	}
	seen := map[blockOf]bool{}
	for i := range pl.Runs {
		run := &pl.Runs[i]
		b := blockOf{run.Case, run.Block}
		last := h.last[b]
		switch {
		case r.StoppedCases[run.Case]:
		case last == 0:
			r.Tasks = append(r.Tasks, Task{Run: run, Attempt: 1})
		case h.whole(b, last):
		case pl.Phase.Interrupted == "retain":
			if !seen[b] {
				r.LeftIncomplete = append(r.LeftIncomplete, fmt.Sprintf("case %q, block %d", b.name, b.block))
			}
		default:
			task := Task{Run: run, Attempt: last + 1}
			if !seen[b] && h.rerun[b] != task.Attempt {
				task.Rerun = &ledger.BlockRerun{Case: b.name, Block: b.block, Attempt: task.Attempt, Why: h.why(b)}
			}
			r.Tasks = append(r.Tasks, task)
		}
		seen[b] = true
	}
	return r, nil
}

// blockOf is one block of one case.
type blockOf struct {
	name  string
	block int
}

type attempt struct{ run, attempt int }

// history is what has happened to the runs of a plan.
type history struct {
	plan    *plan.Plan
	started []attempt // without a record of the end, in order
	ended   map[attempt]bool
	rerun   map[blockOf]int // the last attempt that was announced
	last    map[blockOf]int // the last attempt at a block of which a run was started
	lost    []blockOf       // of which there is output that no event tells of
}

func (h *history) read(entries []ledger.Entry, r *Rest) {
	for i := range entries {
		switch e := entries[i].Body.(type) {
		case *ledger.RunStarted:
			h.started = append(h.started, attempt{e.Run, e.Attempt})
			b := blockOf{e.Case, e.Block}
			h.last[b] = max(h.last[b], e.Attempt)
		case *ledger.RunInterrupted:
			h.over(attempt{e.Run, e.Attempt})
		case *ledger.RunFinished:
			h.over(attempt{e.Run, e.Attempt})
			h.ended[attempt{e.Run, e.Attempt}] = true
			r.Measured[h.plan.Runs[e.Run-1].Case] = true
			if e.Failure == "" {
				r.Finished++
				continue
			}
			r.Failed++
			r.failed(h.plan.Phase, &h.plan.Runs[e.Run-1], e.Failure)
		case *ledger.LabelSealed:
			r.Labels[e.Name] = e.Placement
		case *ledger.CaseStatus:
			r.Statuses[e.Case] = e.Status
		case *ledger.StepFinished:
			if e.Run > 0 && e.Value != nil && e.Max != nil && *e.Value > *e.Max && h.plan.Phase.OnCeiling == "stop-phase" {
				first(&r.Stopped, stopsByCeiling(breachOf(e)))
			}
		case *ledger.BlockRerun:
			h.rerun[blockOf{e.Case, e.Block}] = e.Attempt
		}
	}
	for _, a := range h.started {
		r.Dangling = append(r.Dangling, &ledger.RunInterrupted{Run: a.run, Attempt: a.attempt, Why: NoRecord})
	}
}

func (h *history) over(a attempt) {
	h.started = slices.DeleteFunc(h.started, func(s attempt) bool { return s == a })
}

// failed applies the phase's rule for a run that failed.
func (r *Rest) failed(p *plan.Phase, run *plan.Run, kind string) {
	switch p.OnFailure {
	case "stop-phase":
		if r.Stopped == "" {
			r.Stopped = stopsPhase(run, kind)
		}
	case "stop-case":
		r.StoppedCases[run.Case] = true
	}
}

// search looks for the output of attempts that no event tells of.
func (h *history) search(folder string) error {
	for i := range h.plan.Runs {
		run := &h.plan.Runs[i]
		b := blockOf{run.Case, run.Block}
		for n := h.last[b] + 1; ; n++ {
			there, err := hasOutput(filepath.Join(folder, "runs", RunName(len(h.plan.Runs), run.Number, n)))
			if err != nil {
				return err
			}
			if !there {
				break
			}
			h.last[b] = n
			h.lost = append(h.lost, b)
		}
	}
	return nil
}

// hasOutput reports whether a run's folder holds a file. Its home is made before the run is journalled and says nothing.
func hasOutput(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() }), err
}

// whole reports whether every run of a block ended in this attempt.
func (h *history) whole(b blockOf, n int) bool {
	for i := range h.plan.Runs {
		run := &h.plan.Runs[i]
		if run.Case == b.name && run.Block == b.block && !h.ended[attempt{run.Number, n}] {
			return false
		}
	}
	return true
}

func (h *history) why(b blockOf) string {
	if slices.Contains(h.lost, b) {
		return "the folder holds output of it that the ledger has no record of"
	}
	return "it was interrupted"
}

// stopsPhase says why no run follows one that failed.
func stopsPhase(run *plan.Run, kind string) string {
	return fmt.Sprintf("run %d failed (%s) and on_failure is \"stop-phase\"", run.Number, kind)
}
