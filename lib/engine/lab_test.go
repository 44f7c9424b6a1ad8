package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

const prints = `echo '{"x/op": 7}'`

// lab is a job of two arms a and b, cases x and y one after the other, two blocks: a before b, then b before a. So the runs are
//
//	1 x a   2 x b   3 x b   4 x a   5 y a   6 y b   7 y b   8 y a
//
// Each runs a line of shell with a private copy of the shell, and reads an input as "$1".
type lab struct {
	t      *testing.T
	phase  *protocol.Phase
	root   string
	folder string
	job    *engine.Job
}

// newLab returns a lab whose arm b in case x runs the given line; all other runs print one sample.
func newLab(t *testing.T, onFailure, line string) *lab {
	t.Helper()
	l := &lab{t: t, root: t.TempDir(), folder: filepath.Join(t.TempDir(), "results")}
	command := func(line string) protocol.Command {
		return protocol.Command{Argv: args("sh", "-c", line, "sh", "file:in.txt"), Format: protocol.FormatJSON}
	}
	orders := [][]string{{"a", "b"}, {"b", "a"}}
	l.phase = &protocol.Phase{
		Name: "lab", Question: "In which order?", Baseline: "a",
		Arms:      []protocol.Arm{{Name: "a"}, {Name: "b"}},
		Contrasts: []protocol.Contrast{{Arm: "b", Base: "a"}},
		Files:     []protocol.File{{Label: "in.txt", Kind: protocol.KindInput}},
		Cases: []protocol.Case{
			{Name: "x", Arms: []string{"a", "b"}, Commands: map[string]protocol.Command{"a": command(prints), "b": command(line)}},
			{Name: "y", Arms: []string{"a", "b"}, Commands: map[string]protocol.Command{"a": command(prints), "b": command(prints)}},
		},
		Design: protocol.Design{
			Kind: protocol.DesignFixed, Blocks: 2, Nesting: protocol.NestCases, Order: protocol.OrderCase,
			Orders: []protocol.CaseOrders{{Blocks: orders}},
		},
		Repeats:   1,
		Metrics:   []protocol.Metric{{Unit: "x/op", Role: protocol.RoleMetric, Better: "lower"}},
		Estimand:  protocol.Estimand{Kind: protocol.BlockRatio, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95}},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute), Pad: true},
		OnFailure: onFailure, OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}
	return l
}

// open plans the phase, makes the folder and pins the shell and the input.
func (l *lab) open() *lab {
	l.t.Helper()
	pl, err := plan.New(l.phase, "")
	if err != nil {
		l.t.Fatal(err)
	}
	w, err := ledger.Create(l.folder, ledger.Options{})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { w.Close() })
	input := filepath.Join(l.root, "in.txt")
	if err := os.WriteFile(input, []byte("in\n"), 0o644); err != nil {
		l.t.Fatal(err)
	}
	program, err := seal.Program("sh", plan.FixedPath)
	if err != nil {
		l.t.Fatal(err)
	}
	sh, _, err := seal.Copy(program, filepath.Join(l.folder, "bin"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.job = &engine.Job{
		Resolver: &engine.Resolver{Plan: pl, Root: l.root, Folder: l.folder, Targets: map[string]engine.Target{
			"sh": {Path: sh}, "in.txt": {Path: input},
		}},
		Ledger: w, Verify: seal.NewCache().Verify, Clock: time.Now,
		Pins: map[string][]*seal.Pin{"sh": {l.pin("sh", sh)}, "in.txt": {l.pin("in.txt", input)}},
	}
	return l
}

func (l *lab) pin(label, path string) *seal.Pin {
	l.t.Helper()
	pin, err := seal.PinFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	pin.Label = label
	return &pin
}

// run executes the job, which must not meet an error of the machine, and returns its outcome and what it journalled.
func (l *lab) run(ctx context.Context) (engine.Outcome, []string) {
	l.t.Helper()
	o, err := engine.Run(ctx, l.job)
	if err != nil {
		l.t.Fatal(err)
	}
	return o, l.events()
}

func (l *lab) log() []ledger.Entry {
	l.t.Helper()
	log, err := ledger.Read(l.folder)
	if err != nil {
		l.t.Fatal(err)
	}
	return log.Entries
}

// events returns what was journalled, an event a line in short.
func (l *lab) events() []string {
	l.t.Helper()
	var out []string
	for _, e := range l.log() {
		out = append(out, short(e.Body))
	}
	return out
}

// short is an event in a few words: its run, and what came of it.
func short(b ledger.Body) string {
	switch b := b.(type) {
	case *ledger.RunStarted:
		return fmt.Sprintf("start %d %s %s", b.Run, b.Case, b.Arm)
	case *ledger.RunFinished:
		if b.Failure != "" {
			return fmt.Sprintf("end %d: %s", b.Run, b.Failure)
		}
		return fmt.Sprintf("end %d", b.Run)
	case *ledger.RunInterrupted:
		return fmt.Sprintf("interrupted %d: %s", b.Run, b.Why)
	case *ledger.PinBroken:
		return fmt.Sprintf("broken %s (run %d): %s", b.When, b.Run, b.Label)
	case *ledger.PhaseStopped:
		return fmt.Sprintf("stopped, exit %d: %s", b.Exit, b.Why)
	}
	return b.Kind()
}
