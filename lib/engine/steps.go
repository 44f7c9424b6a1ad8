package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/spawn"
)

// When steps happen, as a script names the lists.
const (
	beforePhase = "before_phase"
	beforeEach  = "before_each"
	afterEach   = "after_each"
	afterPhase  = "after_phase"
)

// verdict is what a list of steps came to.
type verdict struct {
	failed      string // the first step that failed; "" where none did
	breach      string // the first ceiling that was passed
	moved       string // the first placement that is not the one before
	unknown     string // the first value that is not known
	interrupted bool
}

// steps does a list of steps, in order, and journals each. Before a run, or the phase, nothing follows one that failed; after it all
// of them are done, since they clean up.
func (e *execution) steps(ctx context.Context, when string, list []plan.Step, task *Task) (verdict, error) {
	var v verdict
	for i := range list {
		if ctx.Err() != nil {
			v.interrupted = true
			return v, nil
		}
		event := &ledger.StepFinished{When: when, Step: list[i].Kind, Name: nameOfStep(&list[i]), Max: list[i].Max}
		if task != nil {
			event.Run, event.Attempt = task.Run.Number, task.Attempt
		}
		if err := e.step(ctx, &list[i], event); err != nil {
			return v, fmt.Errorf("%s: %s: %w", when, list[i].Title(), err)
		}
		if ctx.Err() != nil && event.Failure != "" {
			v.interrupted = true // it failed because it was told to end
			event.Failure = "interrupted"
		}
		if err := e.Ledger.Append(event); err != nil {
			return v, err
		}
		if v.interrupted {
			return v, nil
		}
		if err := e.judge(&list[i], event, task, &v); err != nil {
			return v, err
		}
		if v.failed != "" && (when == beforePhase || when == beforeEach) {
			return v, nil
		}
	}
	return v, nil
}

// judge adds what one step came to.
func (e *execution) judge(s *plan.Step, event *ledger.StepFinished, task *Task, v *verdict) error {
	first := func(to *string, format string, args ...any) {
		if *to == "" {
			*to = title(event) + ": " + fmt.Sprintf(format, args...)
		}
	}
	switch {
	case event.Failure != "":
		first(&v.failed, "%s", event.Failure)
	case s.Ceiling() && event.Value == nil:
		first(&v.unknown, "its value is unknown")
	case s.Ceiling() && *event.Value > *s.Max:
		if v.breach == "" {
			v.breach = breachOf(event)
		}
	case s.Kind == plan.StepFDBPlacement:
		return e.placed(s, event, task, func(why string) { first(&v.moved, "%s", why) })
	}
	return nil
}

// nameOfStep is what tells a step from others of its kind.
func nameOfStep(s *plan.Step) string {
	if s.Name == "" && s.FDB != nil {
		return s.FDB.Path
	}
	return s.Name
}

// title names a step of the ledger: when it happened, its kind and its name.
func title(e *ledger.StepFinished) string {
	if e.Name == "" {
		return e.When + ": " + e.Step
	}
	return fmt.Sprintf("%s: %s %q", e.When, e.Step, e.Name)
}

// breachOf says which ceiling was passed.
func breachOf(e *ledger.StepFinished) string {
	return fmt.Sprintf("%s: %v is above %v", title(e), *e.Value, *e.Max)
}

// step does one step and fills in its event. The error is of this machine; what the step itself cannot do is the event's Failure.
func (e *execution) step(ctx context.Context, s *plan.Step, event *ledger.StepFinished) error {
	begun := e.Clock()
	defer func() { event.WallNS = e.Clock().Sub(begun).Nanoseconds() }()
	if s.Program != nil {
		return e.stepProgram(ctx, s, event)
	}
	within, cancel := context.WithTimeout(ctx, time.Duration(s.Timeout))
	defer cancel()
	r, err := e.Cluster.Step(within, e.Resolver.Root, s)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		event.Failure = fmt.Sprintf("not done within %s: %v", s.Timeout, err)
	case err != nil:
		event.Failure = err.Error()
	default:
		event.Failure, event.Value = r.Failure, r.Value
	}
	if p := r.Placement; p != nil {
		event.Placement = &ledger.Placement{Rows: p.Rows, Colocated: p.Colocated, All: p.All, Teams: p.Teams}
	}
	if r.Document != nil {
		return e.keep(r.Document, event)
	}
	return nil
}

// keep writes a status document into the folder.
func (e *execution) keep(document []byte, event *ledger.StepFinished) error {
	name, err := e.freshFolder("steps", "")
	if err != nil {
		return err
	}
	event.Output = name
	if err := e.Ledger.WriteFile(path.Join(name, "status.json"), document); err != nil {
		return err
	}
	out, err := Digest(filepath.Join(e.Resolver.Folder, filepath.FromSlash(name), "status.json"))
	event.Document = &out
	return err
}

// stepProgram runs a step's program.
func (e *execution) stepProgram(ctx context.Context, s *plan.Step, event *ledger.StepFinished) error {
	name, err := e.freshFolder("steps", "")
	if err != nil {
		return err
	}
	event.Output = name
	dir := filepath.Join(e.Resolver.Folder, filepath.FromSlash(name))
	if err := e.verifyProgram(s.Program); err != nil {
		event.Failure = err.Error()
		return nil
	}
	c, err := e.program(s.Program, dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o755); err != nil {
		return err
	}
	c.Timeout, c.Grace = time.Duration(s.Timeout), grace
	r, err := spawn.Run(ctx, c)
	if err != nil {
		return err
	}
	event.Exit, event.Signal, event.StartError = ending(&r)
	event.TimedOut = r.TimedOut
	stdout, stderr, err := streams(dir)
	if err != nil {
		return err
	}
	event.Stdout, event.Stderr = &stdout, &stderr
	if err := removeHome(filepath.Join(dir, "home")); err != nil {
		return err
	}
	if r.StartErr != nil || r.TimedOut || !r.Exited || r.Exit != 0 {
		event.Failure = describe(&r) + lastLine(filepath.Join(dir, "stderr"))
		return nil
	}
	if s.Ceiling() {
		event.Value, event.Failure = printed(filepath.Join(dir, "stdout"))
	}
	return nil
}

// printed reads the one number that a ceiling's program printed. The word unknown, or nothing, is no number: what cannot be known
// is never 0.
func printed(file string) (value *float64, failure string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err.Error()
	}
	word := strings.TrimSpace(string(text))
	if word == "" || word == "unknown" {
		return nil, ""
	}
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Sprintf("want one number on its standard output, or the word unknown, got %.60q", word)
	}
	return &f, ""
}

// freshFolder makes a folder below top whose name is not used: name itself, name.2, …; where name is empty, the next number.
func (e *execution) freshFolder(top, name string) (string, error) {
	dir := filepath.Join(e.Resolver.Folder, top)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		fresh := name
		switch {
		case name == "":
			n = max(n, e.numbered+1)
			e.numbered = n
			fresh = fmt.Sprintf("%04d", n)
		case n > 1:
			fresh = fmt.Sprintf("%s.%d", name, n)
		}
		err := os.Mkdir(filepath.Join(dir, fresh), 0o755)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return path.Join(top, fresh), err
		}
	}
}
