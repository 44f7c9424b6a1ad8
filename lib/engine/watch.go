package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// watch is what happens around one run, and what it says of the run and of its case.
type watch struct {
	*execution
	task *Task
	verdict
	pinBroken   bool
	generations map[string]*int64 // of the clusters, before the run
}

// before does the steps before a run, and reports whether its process may start.
func (w *watch) before(ctx context.Context) (ready bool, err error) {
	if len(w.phase.BeforeEach) > 0 {
		if w.verdict, err = w.steps(ctx, beforeEach, w.phase.BeforeEach, w.task); err != nil || w.interrupted {
			return false, err
		}
		if err := w.mark(); err != nil {
			return false, err
		}
		if w.breach != "" && w.phase.OnCeiling == "stop-phase" {
			w.failed = w.breach
		}
		if w.failed != "" {
			return false, nil
		}
		if w.pinBroken, err = w.verify(w.task.Run, false); err != nil || w.pinBroken {
			return false, err
		}
	}
	w.generations, err = w.recoveries(ctx)
	if err != nil {
		w.failed = err.Error()
	}
	w.interrupted = ctx.Err() != nil // while the cluster was asked
	return err == nil, nil
}

// after does the steps after a run.
func (w *watch) after(ctx context.Context) error {
	now, err := w.recoveries(ctx)
	if err != nil {
		w.failed = err.Error()
	}
	for _, c := range w.clusters() {
		if a, b := w.generations[c], now[c]; err == nil && a != nil && b != nil && *a != *b {
			w.failed = fmt.Sprintf("the cluster recovered during the run: its generation was %d and is %d", *a, *b)
			w.moved = w.failed
		}
	}
	v, err := w.steps(ctx, afterEach, w.phase.AfterEach, w.task)
	w.interrupted = v.interrupted
	first(&w.failed, v.failed)
	first(&w.breach, v.breach)
	first(&w.moved, v.moved)
	first(&w.unknown, v.unknown)
	if err != nil || w.interrupted {
		return err
	}
	return w.mark()
}

func first(to *string, s string) {
	if *to == "" {
		*to = s
	}
}

// mark gives the run's case the status that its steps ask for: contaminated where a ceiling was passed or a shard has moved,
// unverifiable where a value is not known. The first of its kind is journalled, and contaminated stands above unverifiable.
func (w *watch) mark() error {
	run := w.task.Run
	status, why := "", ""
	switch {
	case w.breach != "" || w.moved != "":
		status, why = "contaminated", w.breach
		first(&why, w.moved)
	case w.unknown != "":
		status, why = "unverifiable", w.unknown
	}
	if had := w.soiled[run.Case]; status == "" || had == status || had == "contaminated" {
		return nil
	}
	w.soiled[run.Case] = status
	return w.Ledger.Append(&ledger.CaseStatus{Case: run.Case, Status: status, Why: fmt.Sprintf("run %d: %s", run.Number, why)})
}

// recoveries reads the generations of the phase's clusters. One that is not in the status document is nil, and makes the case
// unverifiable.
func (w *watch) recoveries(ctx context.Context) (map[string]*int64, error) {
	out := map[string]*int64{}
	for _, c := range w.clusters() {
		n, err := w.Cluster.Generation(ctx, w.Resolver.Root, c)
		if err != nil {
			return nil, fmt.Errorf("the cluster's generation cannot be read: %w", err)
		}
		if n == nil {
			first(&w.unknown, "the cluster's generation is unknown")
		}
		out[c] = n
	}
	return out, nil
}

// clusters are the cluster files that steps of the phase name.
func (w *watch) clusters() []string {
	var out []string
	for _, steps := range [][]plan.Step{w.phase.BeforePhase, w.phase.BeforeEach, w.phase.AfterEach, w.phase.AfterPhase} {
		for i := range steps {
			if f := steps[i].FDB; f != nil && !slices.Contains(out, f.Cluster) {
				out = append(out, f.Cluster)
			}
		}
	}
	return out
}

// stopsByCeiling says why no run follows a ceiling that was passed.
func stopsByCeiling(breach string) string {
	return breach + ", and on_ceiling is \"stop-phase\""
}
