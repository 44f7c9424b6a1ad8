package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
	"github.com/phaselock/phaselock/lib/seal"
	"github.com/phaselock/phaselock/lib/spawn"
)

// Job is a phase that is ready to run on this machine.
type Job struct {
	Resolver *Resolver
	Ledger   *ledger.Writer
	Harness  *spawn.Harness            // nil: no watchdog, for tests
	CPUs     map[string][]int          // what each spec of the plan ("auto", "2-7") came to; "" is nil, unpinned
	Pins     map[string][]*seal.Pin    // by the names of Resolver.Targets: the file, its interpreter, what a pattern matched
	Verify   func(pin *seal.Pin) error // of one pin, *seal.Cache's Watch; nil verifies nothing
	Progress func(Progress)            // called before and after each run; nil is silent
	Clock    func() time.Time
	Rest     *Rest // what is left of a phase that is resumed; nil: all of it

	HarnessCPUs []int   // of services and steps that declare none; nil: all that the harness was started with
	Cluster     Cluster // of steps of FoundationDB; nil where the phase has none
}

// Progress is where a phase stands.
type Progress struct {
	Run       *plan.Run
	Done      int // runs that ended, those of an earlier process included
	Total     int
	Elapsed   time.Duration
	Remaining time.Duration // estimated from the mean of the runs that ended; 0 while unknown
	Failure   *sample.Failure
	Finished  bool // false: the run starts now
}

// Outcome is how a phase ended.
type Outcome struct {
	Finished    int // processes that gave their samples
	Failed      int
	Stopped     string // why no more runs followed; "" when all were run
	Interrupted bool
	PinBroken   bool
	ServiceLost bool   // a service could not be started, or ended by itself
	AfterFailed string // the step after the last run that failed; "" where none did
}

// grace is what a process gets between SIGTERM and SIGKILL.
const grace = 2 * time.Second

// Run executes every run of the plan in order, or what is left of it. A failed run is a result: it is journalled, and the
// others go on or stop as the phase says. The error is of the machine only: a ledger or a folder that cannot be written.
func Run(ctx context.Context, job *Job) (outcome Outcome, err error) {
	e := newExecution(job)
	defer func() {
		err = errors.Join(err, e.endServices())
		if err == nil && e.outcome.Stopped != "" {
			err = job.Ledger.Append(&ledger.PhaseStopped{Why: e.outcome.Stopped, Exit: e.exit()})
		}
		outcome = e.outcome
	}()
	served, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if e.outcome.Stopped == "" {
		err = e.before(served, fail)
	}
	for _, task := range e.tasks {
		if err != nil || e.cut(served) || e.outcome.Stopped != "" {
			break
		}
		if e.stopped[task.Run.Case] {
			e.skipped++
			continue
		}
		if err = e.one(served, task); err != nil {
			err = fmt.Errorf("run %d: %w", task.Run.Number, err)
		}
	}
	if err == nil {
		err = e.after(served)
	}
	return e.outcome, err
}

// before starts the services and does what comes before the first run.
func (e *execution) before(ctx context.Context, fail context.CancelCauseFunc) error {
	err := e.startServices(ctx, fail)
	var lost *serviceError
	switch {
	case errors.As(err, &lost):
		e.outcome.ServiceLost, e.outcome.Stopped = true, lost.message
		return nil
	case e.cut(ctx):
		return nil
	case err != nil:
		return err
	}
	e.began = true
	v, err := e.steps(ctx, beforePhase, e.phase.BeforePhase, nil)
	if err == nil && v == (verdict{}) {
		v, err = e.steps(ctx, beforePhase, e.sealLabels(), nil)
	}
	switch {
	case err != nil || v.interrupted && e.cut(ctx):
	case v.failed != "":
		e.outcome.Stopped = v.failed
	case v.breach != "":
		e.outcome.Stopped = v.breach
	case v.unknown != "":
		e.outcome.Stopped = v.unknown
	}
	return err
}

// after does what comes after the last run, whatever became of the runs, unless the harness was told to stop.
func (e *execution) after(ctx context.Context) error {
	if !e.began || len(e.phase.AfterPhase) == 0 || e.cut(ctx) {
		return nil
	}
	v, err := e.steps(ctx, afterPhase, e.phase.AfterPhase, nil)
	if v.interrupted {
		e.cut(ctx)
	}
	e.outcome.AfterFailed = cmp.Or(v.failed, v.breach, v.unknown)
	return err
}

// cut reports whether nothing more may happen: the harness was told to stop, or a service is gone. It notes which.
func (e *execution) cut(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	var lost *serviceError
	if errors.As(context.Cause(ctx), &lost) {
		e.outcome.ServiceLost, e.outcome.Stopped = true, lost.message
	} else {
		e.outcome.Interrupted, e.outcome.Stopped = true, "interrupted"
	}
	return true
}

// newExecution starts a phase, or takes up what is left of it.
func newExecution(job *Job) *execution {
	e := &execution{Job: job, phase: job.Resolver.Plan.Phase, stopped: map[string]bool{}, start: job.Clock(), labels: map[string]ledger.Placement{}, measured: map[string]bool{}, soiled: map[string]string{}}
	if r := job.Rest; r != nil {
		maps.Copy(e.labels, r.Labels)
		maps.Copy(e.measured, r.Measured)
		maps.Copy(e.soiled, r.Statuses)
		e.tasks, e.stopped = r.Tasks, r.StoppedCases
		e.outcome = Outcome{Finished: r.Finished, Failed: r.Failed, Stopped: r.Stopped}
		return e
	}
	runs := job.Resolver.Plan.Runs
	e.tasks = make([]Task, len(runs))
	for i := range runs {
		e.tasks[i] = Task{Run: &runs[i], Attempt: 1}
	}
	return e
}

// execution is the state of one Run.
type execution struct {
	*Job
	phase   *plan.Phase
	tasks   []Task
	done    int // tasks that ended
	outcome Outcome
	stopped map[string]bool // cases that on_failure = "stop-case" ended
	skipped int
	start   time.Time
	rounds  map[int]uint64 // of the calibration spin, by CPU

	services []*service
	watchers sync.WaitGroup              // of services that end by themselves
	began    bool                        // the services run, and steps may happen
	numbered int                         // the last number below steps/
	labels   map[string]ledger.Placement // sealed, by the name of the placement
	measured map[string]bool             // cases of which a run has ended
	soiled   map[string]string           // statuses of cases, other than measured
}

func (e *execution) exit() int {
	if e.outcome.Interrupted {
		return 130
	}
	if e.outcome.ServiceLost {
		return 4
	}
	return 3
}

// one executes one run, from its pins to its samples.
func (e *execution) one(ctx context.Context, task Task) error {
	run, attempt := task.Run, task.Attempt
	res, err := e.Resolver.Resolve(run, attempt)
	if err != nil {
		return err
	}
	broken, err := e.verify(run, false)
	if err != nil || broken {
		return err
	}
	if task.Rerun != nil {
		if err := e.Ledger.Append(task.Rerun); err != nil {
			return err
		}
	}
	dir := e.Resolver.RunDir(run.Number, attempt)
	if err := os.MkdirAll(filepath.Join(dir, "home"), 0o755); err != nil {
		return err
	}
	e.report(run, nil, false)
	cpus := e.CPUs[run.CPUs]
	spin, err := e.spin(cpus)
	if err != nil {
		return err
	}
	if err := e.Ledger.Append(started(run, attempt, res, cpus, spin)); err != nil {
		return err
	}
	return e.around(ctx, task, dir, func() (spawn.Result, error) {
		return spawn.Run(ctx, e.command(run, res, dir, cpus))
	})
}

// around does what comes before a run's process and after it, and the process between them unless something before it forbids that.
func (e *execution) around(ctx context.Context, task Task, dir string, process func() (spawn.Result, error)) error {
	w := &watch{execution: e, task: &task}
	ready, err := w.before(ctx)
	if err != nil {
		return err
	}
	var result spawn.Result
	if ready && !w.interrupted {
		if result, err = process(); err != nil {
			return err
		}
		if err := removeHome(filepath.Join(dir, "home")); err != nil {
			return err
		}
		w.interrupted = result.Interrupted
	}
	if !w.interrupted {
		if err := w.after(ctx); err != nil {
			return err
		}
	}
	if w.interrupted {
		e.cut(ctx)
		why := "the harness was told to stop"
		if e.outcome.ServiceLost {
			why = e.outcome.Stopped
		}
		return e.Ledger.Append(&ledger.RunInterrupted{Run: task.Run.Number, Attempt: task.Attempt, Why: why})
	}
	if w.pinBroken {
		return e.Ledger.Append(&ledger.RunInterrupted{Run: task.Run.Number, Attempt: task.Attempt, Why: e.outcome.Stopped + ": its process was not started"})
	}
	return e.finish(task.Run, task.Attempt, dir, result, w)
}

// finish reads what the run printed, journals it and decides what follows.
func (e *execution) finish(run *plan.Run, attempt int, dir string, result spawn.Result, w *watch) error {
	event, err := finished(run, attempt, dir, result)
	if err != nil {
		return err
	}
	event.Step = w.failed
	process, err := sample.Read(e.phase, *run, attempt, OutcomeOf(event), OutputOf(e.Resolver.Folder, len(e.Resolver.Plan.Runs), event))
	if err != nil {
		return err
	}
	event.Samples = len(process.Samples)
	if f := process.Failure; f != nil {
		event.Failure, event.Message = f.Kind, f.Message
	}
	if err := e.Ledger.Append(event); err != nil {
		return err
	}
	broken, err := e.verify(run, true)
	if err != nil {
		return err
	}
	e.done++
	e.measured[run.Case] = true
	if process.Failure == nil {
		e.outcome.Finished++
	} else {
		e.outcome.Failed++
		if !broken {
			e.onFailure(run, process.Failure)
		}
	}
	if w.breach != "" && e.phase.OnCeiling == "stop-phase" && e.outcome.Stopped == "" {
		e.outcome.Stopped = stopsByCeiling(w.breach)
	}
	e.report(run, process.Failure, true)
	return nil
}

func (e *execution) onFailure(run *plan.Run, f *sample.Failure) {
	switch e.phase.OnFailure {
	case "stop-phase":
		e.outcome.Stopped = stopsPhase(run, f.Kind)
	case "stop-case":
		e.stopped[run.Case] = true
	}
}

// verify checks the pins of what a run uses, before or after it; a broken one is journalled and stops the phase. One that was changed
// during the run and changed back is journalled: what the run read of it, nobody can say.
func (e *execution) verify(run *plan.Run, after bool) (broken bool, err error) {
	if e.Verify == nil {
		return false, nil
	}
	when := fmt.Sprintf("before run %d", run.Number)
	if after {
		when = fmt.Sprintf("after run %d", run.Number)
	}
	var moved []string
	files := 0
	for _, name := range uses(run) {
		for _, pin := range e.Pins[name] {
			files++
			verr := e.Verify(pin)
			var be *seal.BrokenError
			var me *seal.MovedError
			switch {
			case verr == nil:
				continue
			case errors.As(verr, &me):
				moved = append(moved, pin.Label)
				continue
			case !errors.As(verr, &be):
				return false, verr
			}
			e.outcome.PinBroken = true
			e.outcome.Stopped = fmt.Sprintf("%s: %s is not what was pinned", when, pin.Label)
			return true, e.Ledger.Append(&ledger.PinBroken{When: when, Run: run.Number, Label: pin.Label, Want: be.Want, Got: be.Got})
		}
	}
	if len(moved) > 0 && after { // between runs nobody reads them
		return false, e.Ledger.Append(&ledger.PinVerified{When: when, Files: files, Moved: moved})
	}
	return false, nil
}

// uses returns the names of the files that a run executes or reads.
func uses(run *plan.Run) []string {
	names := []string{run.Argv[0].String()}
	for _, a := range run.Argv[1:] {
		if a.File != "" {
			names = append(names, a.File)
		}
	}
	if run.Stdin != nil {
		names = append(names, run.Stdin.String())
	}
	return names
}

func (e *execution) command(run *plan.Run, res Resolved, dir string, cpus []int) spawn.Command {
	p := &e.phase.Process
	return spawn.Command{
		Path: res.Exec, Argv: res.Argv, Env: res.Env, Dir: res.Dir, Stdin: res.Stdin,
		Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
		CPUs: cpus, Timeout: time.Duration(run.Timeout), Grace: grace,
		ASLROff: p.ASLR != nil && !*p.ASLR, Nice: p.Nice, Rlimits: p.Limits, Netns: p.Netns,
		Harness: e.Harness,
	}
}

func (e *execution) report(run *plan.Run, f *sample.Failure, done bool) {
	if e.Progress == nil {
		return
	}
	before := len(e.Resolver.Plan.Runs) - len(e.tasks) // done by an earlier process, where a phase is resumed
	p := Progress{
		Run: run, Done: before + e.done, Total: before + len(e.tasks) - e.skipped,
		Elapsed: e.Clock().Sub(e.start), Failure: f, Finished: done,
	}
	if e.done > 0 {
		p.Remaining = p.Elapsed / time.Duration(e.done) * time.Duration(p.Total-p.Done)
	}
	e.Progress(p)
}

// removeHome removes the run's HOME and TMPDIR unless the program left something there, which is kept.
func removeHome(dir string) error {
	err := os.Remove(dir)
	if err == nil || errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "not empty") {
		return nil
	}
	return err
}
