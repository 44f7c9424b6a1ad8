package sample

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// ended judges how the process ended, from the outside in. It must have exited as expected, with 0 unless an
// expectation says otherwise.
func (r *reader) ended() error {
	o := &r.outcome
	switch {
	case o.Step != "":
		return r.fail(FailStep, "%s", o.Step)
	case o.StartError != "":
		return r.fail(FailStart, "it could not be started: %s", o.StartError)
	case o.Interrupted:
		return r.fail(FailInterrupted, "the harness was stopped before the process ended")
	case o.TimedOut:
		return r.explain(FailTimeout, r.commandAt(), fmt.Sprintf("its deadline of %s passed, and it was ended", r.run.Timeout))
	case o.Signal != "":
		return r.explain(FailSignal, r.commandAt(), "it was ended by "+o.Signal)
	case o.Exit == nil:
		return r.fail(FailMissing, "how the process ended is not known")
	}
	want := &plan.Expect{Kind: plan.ExpectExit}
	for i := range r.phase.Expect {
		if e := &r.phase.Expect[i]; e.Kind == plan.ExpectExit && (want.At.IsZero() || e.Code != *o.Exit) {
			want = e
		}
	}
	switch {
	case *o.Exit == want.Code:
		return nil
	case *o.Exit == 0:
		return r.failAt(want.At, FailExpect, "exit status 0, and %d is expected", want.Code)
	case want.Code != 0:
		return r.explain(FailExit, want.At, fmt.Sprintf("exit status %d, and %d is expected", *o.Exit, want.Code))
	}
	return r.explain(FailExit, want.At, fmt.Sprintf("exit status %d", *o.Exit))
}

// explain adds to a failure what the program itself said of it: a panic, else the first line of its standard error,
// else what Go's testing printed.
func (r *reader) explain(kind string, at plan.Place, message string) error {
	var said string
	seen, err := r.marksOf(r.files.Stderr)
	if err != nil {
		return err
	}
	if m := seen.first(markPanic); m != nil {
		said = m.String()
	} else if seen.begins != nil {
		said = seen.begins.String()
	}
	seen, err = r.marksOf(r.files.Stdout)
	if err != nil {
		return err
	}
	switch m := seen.first(markBuild, markPanic, markFail); {
	case m == nil && said == "" && seen.begins != nil:
		said = "standard error is empty; " + seen.begins.String()
	case m != nil && m.kind == markBuild:
		message += "; it printed build output, no results: " + m.String()
	case m != nil && said == "":
		said = m.String()
	}
	if said != "" {
		message += "; " + said
	}
	return r.failAt(at, kind, "%s", message)
}
