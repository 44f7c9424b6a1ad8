package engine_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

func shell(line string) protocol.Program { return protocol.Program{Argv: args("sh", "-c", line)} }

func step(name, line string) protocol.Step {
	p := shell(line)
	return protocol.Step{Kind: protocol.StepProgram, Name: name, Program: &p, Timeout: protocol.Duration(time.Minute)}
}

func ceiling(name, line string, most float64) protocol.Step {
	s := step(name, line)
	s.Kind, s.Max = protocol.StepCeiling, &most
	return s
}

// everything is all that a ledger says, in short, with services and steps.
func (l *lab) everything() []string {
	l.t.Helper()
	var out []string
	for _, e := range l.log() {
		switch b := e.Body.(type) {
		case *ledger.StepFinished:
			s := fmt.Sprintf("%s %s", b.When, b.Name)
			if b.Failure != "" {
				s += ": " + b.Failure
			}
			out = append(out, s)
		case *ledger.ServiceStarted:
			out = append(out, "service "+b.Service)
		case *ledger.ServiceEnded:
			out = append(out, fmt.Sprintf("service %s ended, asked %v", b.Service, b.Asked))
		case *ledger.CaseStatus:
			out = append(out, fmt.Sprintf("%s %s: %s", b.Case, b.Status, b.Why))
		case *ledger.LabelSealed:
			out = append(out, fmt.Sprintf("label %s %v %s", b.Name, b.Placement.Colocated, b.Why))
		default:
			out = append(out, short(b))
		}
	}
	return out
}

// Services and steps happen in the declared order around every run, and services end in the reverse.
func TestOrderAroundRuns(t *testing.T) {
	l := newLab(t, "stop-phase", prints)
	l.phase.Cases = l.phase.Cases[:1]
	l.phase.Services = []protocol.Service{
		{Name: "one", Program: shell("sleep 100"), Grace: protocol.Duration(time.Second)},
		{Name: "two", Program: shell("sleep 100"), Grace: protocol.Duration(time.Second)},
	}
	l.phase.BeforePhase = []protocol.Step{step("load", "true"), step("warm", "true")}
	l.phase.BeforeEach = []protocol.Step{step("clear", "true")}
	l.phase.AfterEach = []protocol.Step{ceiling("queue", "echo 3", 3)}
	l.phase.AfterPhase = []protocol.Step{step("drop", "true")}
	o, _ := l.open().run(context.Background())
	want := []string{"service one", "service two", "before_phase load", "before_phase warm"}
	for i, arm := range []string{"a", "b", "b", "a"} {
		want = append(want, fmt.Sprintf("start %d x %s", i+1, arm), "before_each clear", "after_each queue", fmt.Sprintf("end %d", i+1))
	}
	want = append(want, "after_phase drop", "service two ended, asked true", "service one ended, asked true")
	if d := cmp.Diff(want, l.everything()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(engine.Outcome{Finished: 4}, o); d != "" {
		t.Error(d)
	}
}

// A step that fails before a run is that run's failure, without its process; what cleans up happens all the same.
func TestStepThatFails(t *testing.T) {
	l := newLab(t, "continue", prints)
	l.phase.Cases = l.phase.Cases[:1]
	l.phase.BeforeEach = []protocol.Step{step("clear", `case $HOME in */0001/home) echo no room >&2; exit 7;; esac`), step("next", "true")}
	l.phase.AfterEach = []protocol.Step{step("tidy", "true")}
	o, _ := l.open().run(context.Background())
	got := l.everything()
	want := []string{
		"start 1 x a", "before_each clear: exit status 7; it said: no room", "after_each tidy", "end 1: step",
		"start 2 x b", "before_each clear", "before_each next", "after_each tidy", "end 2",
	}
	if d := cmp.Diff(want, got[:len(want)]); d != "" {
		t.Error(d)
	}
	if o.Finished != 3 || o.Failed != 1 {
		t.Errorf("%+v", o)
	}
	for _, e := range l.log() {
		if b, ok := e.Body.(*ledger.RunFinished); ok && b.Run == 1 {
			if b.Exit != nil || b.Samples != 0 || b.Message != `before_each: step "clear": exit status 7; it said: no room` {
				t.Errorf("%+v", b)
			}
		}
	}
}

// A step before the phase that fails, hangs or prints no number ends it before anything is measured.
func TestStepBeforeThePhaseThatFails(t *testing.T) {
	hang := step("load", "sleep 100")
	hang.Timeout = protocol.Duration(50 * time.Millisecond)
	for name, c := range map[string]struct {
		step protocol.Step
		want string
	}{
		"fails":     {step("load", "exit 1"), `before_phase: step "load": exit status 1`},
		"hangs":     {hang, `before_phase: step "load": its deadline passed, and it was ended`},
		"killed":    {step("load", "kill -KILL $$"), `before_phase: step "load": it was ended by SIGKILL`},
		"above":     {ceiling("queue", "echo 3.5", 3), `before_phase: ceiling "queue": 3.5 is above 3`},
		"unknown":   {ceiling("queue", "echo unknown", 3), `before_phase: ceiling "queue": its value is unknown`},
		"no number": {ceiling("queue", "echo 3 4", 3), `before_phase: ceiling "queue": want one number on its standard output, or the word unknown, got "3 4"`},
		"NaN":       {ceiling("queue", "echo NaN", 3), `before_phase: ceiling "queue": want one number on its standard output, or the word unknown, got "NaN"`},
	} {
		l := newLab(t, "continue", prints)
		l.phase.BeforePhase = []protocol.Step{c.step}
		l.phase.AfterPhase = []protocol.Step{step("drop", "true")}
		o, _ := l.open().run(context.Background())
		if d := cmp.Diff(engine.Outcome{Stopped: c.want}, o); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if got := l.everything(); got[len(got)-1] != "stopped, exit 3: "+c.want || got[len(got)-2] != "after_phase drop" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A ceiling that is passed contaminates its case and stops the phase; the run keeps its samples.
func TestCeilingThatIsPassed(t *testing.T) {
	const why = `after_each: ceiling "queue": 12 is above 10`
	passed := `case $HOME in */0003/home) echo 12;; *) echo 10;; esac` // after the third run: nothing else has a step
	l := newLab(t, "continue", prints)
	l.phase.AfterEach = []protocol.Step{ceiling("queue", passed, 10)}
	o, _ := l.open().run(context.Background())
	stopped := why + `, and on_ceiling is "stop-phase"`
	if d := cmp.Diff(engine.Outcome{Finished: 3, Stopped: stopped}, o); d != "" {
		t.Error(d)
	}
	want := []string{"start 3 x b", "after_each queue", "x contaminated: run 3: " + why, "end 3", "stopped, exit 3: " + stopped}
	if got := l.everything(); cmp.Diff(want, got[len(got)-len(want):]) != "" {
		t.Errorf("%q", got)
	}
	rest, err := engine.RestOf(l.job.Resolver.Plan, l.log(), l.folder)
	if err != nil || rest.Stopped != stopped || len(rest.Tasks) != 0 {
		t.Errorf("%+v, %v; what a ceiling stopped is not gone on with", rest, err)
	}

	l = newLab(t, "continue", prints)
	l.phase.OnCeiling = "continue"
	l.phase.BeforeEach = []protocol.Step{ceiling("queue", passed, 10)}
	if o, _ := l.open().run(context.Background()); o.Finished != 8 || o.Stopped != "" {
		t.Errorf("%+v", o)
	}
	if got := strings.Join(l.everything(), "\n"); strings.Count(got, "contaminated") != 1 {
		t.Error(got)
	}
}

// A run before which a ceiling is passed is not measured, where that stops the phase.
func TestCeilingThatIsPassedBeforeARun(t *testing.T) {
	l := newLab(t, "continue", prints)
	l.phase.BeforeEach = []protocol.Step{ceiling("queue", `case $HOME in */0002/home) echo 12;; *) echo 10;; esac`, 10)}
	l.open().run(context.Background())
	const why = `before_each: ceiling "queue": 12 is above 10`
	want := []string{
		"start 2 x b", "before_each queue", "x contaminated: run 2: " + why, "end 2: step",
		"stopped, exit 3: " + why + `, and on_ceiling is "stop-phase"`,
	}
	if got := l.everything(); cmp.Diff(want, got[len(got)-len(want):]) != "" {
		t.Errorf("%q", got)
	}
}

// What is not known is never 0: the case cannot be verified, and the others go on.
func TestCeilingThatIsUnknown(t *testing.T) {
	l := newLab(t, "continue", prints)
	l.phase.AfterEach = []protocol.Step{ceiling("queue", `case $HOME in */0001/home) ;; *) echo 0;; esac`, 0)}
	o, _ := l.open().run(context.Background())
	if o.Finished != 8 || o.Stopped != "" {
		t.Errorf("%+v", o)
	}
	got := strings.Join(l.everything(), "\n")
	if want := `x unverifiable: run 1: after_each: ceiling "queue": its value is unknown`; strings.Count(got, "unverifiable") != 1 || !strings.Contains(got, want) {
		t.Error(got)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A service that cannot be used, or is lost, ends the phase with the code of the machine.
func TestServiceThatIsLost(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	ready := func(address string, within time.Duration) *protocol.Ready {
		return &protocol.Ready{Kind: protocol.ReadyTCP, Address: address, Timeout: protocol.Duration(within)}
	}
	free := freePort(t)
	for name, c := range map[string]struct {
		line  string
		ready *protocol.Ready
		want  string
	}{
		"ends before it is ready": {"echo no such file >&2; exit 4", ready(free, time.Minute), `service "kv" ended before it could be used: exit status 4; it said: no such file`},
		"never ready":             {"echo waiting >&2; sleep 100", ready(free, 100*time.Millisecond), `service "kv": ` + free + ` accepted no connection within 100ms; it said: waiting`},
		"port taken":              {"sleep 100", ready(taken.Addr().String(), time.Minute), `service "kv": ` + taken.Addr().String() + ` accepts connections before the service has started: another program listens there; end it, or choose another port`},
		"ends by itself":          {"sleep 0.05; exit 9", nil, `service "kv" ended by itself: exit status 9`},
	} {
		l := newLab(t, "continue", "sleep 5; "+prints)
		l.phase.Services = []protocol.Service{{Name: "kv", Program: shell(c.line), Ready: c.ready, Grace: protocol.Duration(time.Second)}}
		o, _ := l.open().run(context.Background())
		got := l.everything()
		if !o.ServiceLost || o.Stopped != c.want || got[len(got)-1] != "stopped, exit 4: "+c.want {
			t.Errorf("%s: %+v\n%q", name, o, got)
		}
		if name == "ends by itself" {
			if got := strings.Join(got, "\n"); !strings.Contains(got, "interrupted 2: "+c.want) || !strings.Contains(got, "service kv ended, asked false") {
				t.Error(got)
			}
		}
	}
}

// cluster answers as the test says.
type cluster struct {
	step       func(s *plan.Step) (engine.StepResult, error)
	generation func() (*int64, error)
}

func (c *cluster) Step(_ context.Context, _ string, s *plan.Step) (engine.StepResult, error) {
	return c.step(s)
}

func (c *cluster) Generation(context.Context, string, string) (*int64, error) { return c.generation() }

func always(n int64) func() (*int64, error) { return func() (*int64, error) { return &n, nil } }

func fdbStep(kind, name string) protocol.Step {
	return protocol.Step{Kind: kind, Name: name, Timeout: protocol.Duration(time.Minute), FDB: &protocol.FDB{}}
}

// A shard that moves during a run contaminates exactly the case of that run; what follows is measured under the new label.
func TestPlacementThatChanges(t *testing.T) {
	l := newLab(t, "continue", prints)
	cells := fdbStep(protocol.StepFDBPlacement, "cells")
	cells.FDB.Index, cells.FDB.Records = "15", "16"
	l.phase.BeforeEach = []protocol.Step{cells}
	l.phase.AfterEach = l.phase.BeforeEach
	l.open()
	reads := 0
	l.job.Cluster = &cluster{
		generation: always(7),
		step: func(*plan.Step) (engine.StepResult, error) {
			reads++
			p := engine.Placement{Rows: 10, Colocated: 1, All: 1, Teams: "before"}
			if reads > 1+2*3+1 { // sealed; three runs; before the fourth
				p.Colocated, p.Teams = 0.5, "after"
			}
			return engine.StepResult{Placement: &p}, nil
		},
	}
	o, _ := l.run(context.Background())
	got := l.everything()
	if o.Finished != 8 || o.Stopped != "" {
		t.Errorf("%+v", o)
	}
	want := []string{"before_phase cells", "label cells 1 "}
	if d := cmp.Diff(want, got[:2]); d != "" {
		t.Error(d)
	}
	const moved = "the colocated fraction was 1 and is 0.5: a shard has moved"
	want = []string{
		"start 4 x a", "before_each cells", "after_each cells", "label cells 0.5 " + moved,
		`x contaminated: run 4: after_each: fdb.placement "cells": ` + moved, "end 4", "start 5 y a",
	}
	all := strings.Join(got, "\n")
	if !strings.Contains(all, strings.Join(want, "\n")) || strings.Count(all, "contaminated") != 1 {
		t.Error(all)
	}
}

// A recovery of the cluster during a run makes the run a failed one; an unknown generation makes its case unverifiable.
func TestGenerationThatChanges(t *testing.T) {
	l := newLab(t, "continue", prints)
	l.phase.AfterPhase = []protocol.Step{fdbStep(protocol.StepFDBStatus, "")}
	l.open()
	reads, n := 0, int64(7)
	l.job.Cluster = &cluster{
		step: func(*plan.Step) (engine.StepResult, error) { return engine.StepResult{Document: []byte("{}\n")}, nil },
		generation: func() (*int64, error) {
			reads++
			if reads == 4 { // after the second run
				n++
			}
			if reads == 10 { // after the fifth
				return nil, nil
			}
			m := n
			return &m, nil
		},
	}
	o, _ := l.run(context.Background())
	if o.Finished != 7 || o.Failed != 1 {
		t.Errorf("%+v", o)
	}
	all := strings.Join(l.everything(), "\n")
	for _, want := range []string{"end 2: step", "y unverifiable: run 5: the cluster's generation is unknown"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if text, err := os.ReadFile(filepath.Join(l.folder, "steps", "0001", "status.json")); err != nil || string(text) != "{}\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A cluster that does not answer fails the step, and with it the run.
func TestClusterThatDoesNotAnswer(t *testing.T) {
	l := newLab(t, "stop-phase", prints)
	l.phase.BeforeEach = []protocol.Step{fdbStep(protocol.StepFDBClear, "")}
	l.open()
	l.job.Cluster = &cluster{
		generation: always(1),
		step: func(*plan.Step) (engine.StepResult, error) {
			return engine.StepResult{}, errors.New("no coordinator answers")
		},
	}
	o, _ := l.run(context.Background())
	if o.Failed != 1 || o.Stopped != `run 1 failed (step) and on_failure is "stop-phase"` {
		t.Errorf("%+v", o)
	}
}
