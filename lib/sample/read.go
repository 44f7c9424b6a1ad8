package sample

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// Outcome is how a process ended and what the system counted for it.
type Outcome struct {
	Exit                  *int   // nil if it did not exit
	Signal                string // "SIGSEGV"; "" if none ended it
	TimedOut, Interrupted bool
	Step                  string // the step before or after it that failed, or what changed around it; "" if nothing did
	StartError            string // why it could not be started; "" if it was

	WallNS, UserNS, SysNS                  int64
	MaxRSSBytes                            *int64 // nil: not above the floor that a child inherits, so unknown
	MinorFaults, MajorFaults               int64
	VoluntarySwitches, InvoluntarySwitches int64

	CPUs int // that the process was allowed, for the -P suffix where GOMAXPROCS is not in its environment; 0 is unknown
}

// File is something that a run wrote. It may be opened several times, and is never read into memory whole.
type File struct {
	Name string                        // for messages: "runs/0007/stdout"
	Open func() (io.ReadCloser, error) // nil, or an error that is os.ErrNotExist: there is no such file
}

// Files are what a run wrote.
type Files struct{ Stdout, Stderr, Audit File }

// FileAt returns the file at path; messages call it name.
func FileAt(path, name string) File {
	return File{Name: name, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// open opens the file; one that is not there is empty.
func (f File) open() (io.ReadCloser, error) {
	if f.Open == nil {
		return io.NopCloser(strings.NewReader("")), nil
	}
	r, err := f.Open()
	if errors.Is(err, os.ErrNotExist) {
		return io.NopCloser(strings.NewReader("")), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return r, nil
}

// Read reads what one attempt at one run gave. Whatever is wrong with the program or its output is the Failure of
// the Process; the error is trouble in reading the files, and nothing else.
//
// The outcome is judged first, then the output, then the expectations, so that the failure is the outermost: a
// program that panicked is not said to lack rows. Audit lines are counted whatever happened.
func Read(p *plan.Phase, run plan.Run, attempt int, o Outcome, f Files) (Process, error) {
	r := &reader{phase: p, run: &run, outcome: o, files: f}
	proc := Process{Run: run, Attempt: attempt, WallNS: o.WallNS, Retained: true}
	err := r.read()
	if err == nil {
		proc.Samples, proc.Warnings = r.samples, r.warnings
	}
	proc.Audits, err = r.audits(err)
	if proc.Client, err = r.client(err); err == nil {
		return proc, nil
	}
	proc.Samples = nil
	var failure *failure
	if !errors.As(err, &failure) {
		return proc, err
	}
	proc.Failure = &Failure{Kind: failure.kind, Message: failure.message, At: failure.at.String()}
	return proc, nil
}

// reader reads one process.
type reader struct {
	phase    *plan.Phase
	run      *plan.Run
	outcome  Outcome
	files    Files
	samples  []Sample
	warnings []Warning
}

func (r *reader) read() error {
	if err := r.ended(); err != nil {
		return err
	}
	if err := r.output(); err != nil {
		return err
	}
	if err := r.wholeProcess(); err != nil {
		return err
	}
	r.derive()
	return r.expectations()
}

// output reads the samples that the program printed, in its command's format.
func (r *reader) output() error {
	switch r.run.Format {
	case plan.FormatGobench:
		return r.gobench()
	case plan.FormatJSON:
		return r.jsonLines()
	case plan.FormatProcess, plan.FormatNone:
		r.samples = []Sample{{Repeat: 1, Values: map[string]float64{}}}
		return nil
	}
	return r.fail(FailParse, "no reader for the format %q", r.run.Format)
}

// failure is what is wrong with a process, as an error on its way to Process.Failure.
type failure struct {
	kind    string
	message string
	at      plan.Place
}

func (f *failure) Error() string { return f.message }

// fail returns a failure that the run's command is to blame for.
func (r *reader) fail(kind, format string, args ...any) error {
	return &failure{kind, fmt.Sprintf(format, args...), r.commandAt()}
}

// failAt returns a failure of which at is the declaration; the zero place stands for the command's.
func (r *reader) failAt(at plan.Place, kind, format string, args ...any) error {
	if at.IsZero() {
		at = r.commandAt()
	}
	return &failure{kind, fmt.Sprintf(format, args...), at}
}

func (r *reader) commandAt() plan.Place {
	c := r.phase.Case(r.run.Case)
	if c == nil {
		return plan.Place{}
	}
	if at := c.Commands[r.run.Arm].At; !at.IsZero() {
		return at
	}
	return c.At
}

// warn adds a warning unless one of the same id and unit is there: a process says each thing once.
func (r *reader) warn(id, unit, format string, args ...any) {
	for _, w := range r.warnings {
		if w.ID == id && w.Unit == unit {
			return
		}
	}
	r.warnings = append(r.warnings, Warning{ID: id, Unit: unit, Message: fmt.Sprintf(format, args...)})
}
