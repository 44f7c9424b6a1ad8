package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"syscall"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/sample"
)

// Folder is a result folder read back: plan, ledger, processes, and the result made from them.
type Folder struct {
	Dir       string
	Plan      *plan.Plan
	Log       *ledger.Log
	Processes []sample.Process
	Result    *analysis.Result

	lenient bool // for the audit, which compares labels, digests and counts by itself: they stop no reading
}

// Analyze reads a result folder and makes its result again, from plan.json, the ledger and runs/ alone. It writes
// nothing; the same folder gives the same bytes anywhere.
func Analyze(dir string) (*Folder, error) {
	f, err := Load(dir)
	if err != nil {
		return nil, err
	}
	return f, f.analyze()
}

func (f *Folder) analyze() (err error) {
	f.Result, err = analysis.Analyze(analysis.Input{
		Plan: f.Plan, Processes: f.Processes, Seal: f.seal(), Facts: analysis.FactsOf(f.Log.Entries),
	})
	if err != nil {
		return &Error{ExitInvalid, err}
	}
	return nil
}

// Load reads a result folder's plan, ledger and processes.
func Load(dir string) (*Folder, error) {
	file, err := os.Open(filepath.Join(dir, "plan.json"))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, usage("%s is no result folder: there is no plan.json in it", dir)
	}
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	defer file.Close()
	pl, err := plan.Decode(file)
	if err != nil {
		return nil, invalid("%s: %w", dir, err)
	}
	log, err := ledger.Read(dir)
	if err != nil {
		return nil, invalid("%s: %w", dir, err)
	}
	f := &Folder{Dir: dir, Plan: pl, Log: log}
	if err := f.opened(); err != nil {
		return nil, err
	}
	f.Processes, err = f.processes()
	return f, err
}

// opened holds the ledger to its own end, and the plan to what its first event says of it.
func (f *Folder) opened() error {
	if f.Log.Lost > 0 {
		return invalid("%s: the ledger has lost its last lines, %d of them, since it was closed: it was cut short", f.Dir, f.Log.Lost)
	}
	if len(f.Log.Entries) == 0 {
		return invalid("%s: the ledger is empty: nothing was run", f.Dir)
	}
	o, ok := f.Log.Entries[0].Body.(*ledger.Opened)
	if !ok {
		return invalid("%s: the ledger begins with %q instead of \"opened\"", f.Dir, f.Log.Entries[0].Event)
	}
	if want, ok := o.Stored["plan.json"]; ok {
		got, err := engine.Digest(filepath.Join(f.Dir, "plan.json"))
		if err != nil {
			return &Error{ExitMachine, err}
		}
		if got.SHA256 != want {
			return invalid("%s: plan.json has the digest %s, the ledger was opened with %s: it was changed", f.Dir, got.SHA256, want)
		}
	}
	if o.PlanDigest != f.Plan.Digest {
		return invalid("%s: plan.json has the digest %s, the ledger was opened for %s: one of them was changed", f.Dir, f.Plan.Digest, o.PlanDigest)
	}
	return nil
}

func (f *Folder) seal() *string {
	return f.Log.Entries[0].Body.(*ledger.Opened).Seal
}

// processes reads every attempt that the ledger tells of, in its order.
func (f *Folder) processes() ([]sample.Process, error) {
	var out []sample.Process
	started := map[int]*ledger.RunStarted{}
	for _, entry := range f.Log.Entries {
		switch b := entry.Body.(type) {
		case *ledger.RunStarted:
			if err := f.planned(entry.Line, b); err != nil {
				if f.lenient {
					continue
				}
				return nil, err
			}
			started[b.Run] = b
		case *ledger.RunInterrupted:
			if s := started[b.Run]; s == nil || s.Attempt != b.Attempt {
				if f.lenient {
					continue
				}
				return nil, invalid("%s: ledger.jsonl:%d: attempt %d of run %d was interrupted and never started", f.Dir, entry.Line, b.Attempt, b.Run)
			}
			out = append(out, f.cutShort(b.Run, b.Attempt, b.Why))
			delete(started, b.Run)
		case *ledger.RunFinished:
			if s := started[b.Run]; s == nil || s.Attempt != b.Attempt {
				if f.lenient {
					continue
				}
				return nil, invalid("%s: ledger.jsonl:%d: attempt %d of run %d finished and never started", f.Dir, entry.Line, b.Attempt, b.Run)
			}
			p, err := f.process(b)
			if err != nil {
				if f.lenient {
					continue
				}
				return nil, err
			}
			out = append(out, p)
			delete(started, b.Run)
		}
	}
	for _, run := range sortedKeys(started) {
		out = append(out, f.cutShort(run, started[run].Attempt, engine.NoRecord))
	}
	retain(out)
	return out, nil
}

// planned holds a started run to the plan.
func (f *Folder) planned(line int, b *ledger.RunStarted) error {
	if b.Run < 1 || b.Run > len(f.Plan.Runs) {
		return invalid("%s: ledger.jsonl:%d: run %d is not in the plan of %d runs", f.Dir, line, b.Run, len(f.Plan.Runs))
	}
	r := &f.Plan.Runs[b.Run-1]
	if !f.lenient && (b.Case != r.Case || b.Arm != r.Arm || b.Block != r.Block || b.Position != r.Position) {
		return invalid("%s: ledger.jsonl:%d: run %d was case %q arm %q block %d position %d, the plan says %q, %q, %d, %d",
			f.Dir, line, b.Run, b.Case, b.Arm, b.Block, b.Position, r.Case, r.Arm, r.Block, r.Position)
	}
	return nil
}

func (f *Folder) cutShort(run, attempt int, why string) sample.Process {
	return sample.Process{
		Run: f.Plan.Runs[run-1], Attempt: attempt,
		Failure: &sample.Failure{Kind: sample.FailInterrupted, Message: why},
	}
}

// process reads one finished run from its output, which must have the digests and give the samples that the ledger says.
func (f *Folder) process(b *ledger.RunFinished) (sample.Process, error) {
	if f.lenient {
		return f.parse(b)
	}
	for _, o := range outputs(b) {
		got, err := engine.Digest(f.outputPath(b, o.name))
		if err != nil {
			return sample.Process{}, invalid("run %d: its %s cannot be read: %w", b.Run, o.name, err)
		}
		if got != *o.want {
			return sample.Process{}, invalid("run %d: its %s has %d bytes and the digest %s; the ledger says %d and %s: it was changed",
				b.Run, o.name, got.Bytes, got.SHA256, o.want.Bytes, o.want.SHA256)
		}
	}
	p, err := f.parse(b)
	if err == nil && len(p.Samples) != b.Samples {
		return p, invalid("run %d: its output gives %d samples, the ledger says %d", b.Run, len(p.Samples), b.Samples)
	}
	return p, err
}

// output is a file that a run wrote, as the ledger says.
type output struct {
	name string
	want *ledger.Output
}

// outputs returns the files that a run wrote.
func outputs(b *ledger.RunFinished) []output {
	var out []output
	for _, o := range []output{{"stdout", &b.Stdout}, {"stderr", &b.Stderr}, {"audit", b.Audit}} {
		if o.want != nil && o.want.SHA256 != "" {
			out = append(out, o)
		}
	}
	return out
}

func (f *Folder) outputPath(b *ledger.RunFinished, name string) string {
	return filepath.Join(f.Dir, "runs", engine.RunName(len(f.Plan.Runs), b.Run, b.Attempt), name)
}

// parse reads the samples from a run's output.
func (f *Folder) parse(b *ledger.RunFinished) (sample.Process, error) {
	p, err := sample.Read(f.Plan.Phase, f.Plan.Runs[b.Run-1], b.Attempt, engine.OutcomeOf(b), engine.OutputOf(f.Dir, len(f.Plan.Runs), b))
	if err != nil {
		return p, &Error{ExitMachine, err}
	}
	return p, nil
}

// retain marks the last attempt at each block of a case: earlier ones are shown and stand outside the estimate. A block is a
// comparison close in time, so that runs of two attempts are never compared.
func retain(ps []sample.Process) {
	type block struct {
		name  string
		block int
	}
	last := map[block]int{}
	for _, p := range ps {
		b := block{p.Run.Case, p.Run.Block}
		last[b] = max(last[b], p.Attempt)
	}
	for i := range ps {
		ps[i].Retained = ps[i].Attempt == last[block{ps[i].Run.Case, ps[i].Run.Block}]
	}
}

// MetricsCSV returns metrics.csv.
func (f *Folder) MetricsCSV() ([]byte, error) {
	var b bytes.Buffer
	err := sample.WriteCSV(&b, f.Plan, f.Processes)
	return b.Bytes(), err
}

// Page returns the page that every form of the report is made from. Samples from a CSV file have no ledger.
func (f *Folder) Page() report.Page {
	page := report.Page{Plan: f.Plan, Result: f.Result}
	if f.Log != nil {
		page.Ledger, page.Head, page.Anchor = f.Log.Entries, f.Log.Head, f.anchor()
	}
	return page
}

// Report returns report.md.
func (f *Folder) Report() ([]byte, error) {
	var b bytes.Buffer
	err := report.Markdown(&b, f.Page())
	return b.Bytes(), err
}

// derived are the files that are made from plan, ledger and runs/, in the order in which they are written.
var derived = []string{"metrics.csv", "analysis.json", "report.md"}

// derive makes one of them.
func (f *Folder) derive(name string) ([]byte, error) {
	switch name {
	case "metrics.csv":
		return f.MetricsCSV()
	case "analysis.json":
		return f.Result.JSON()
	}
	return f.Report()
}

// write keeps the registered analysis: analysis.json, metrics.csv and report.md.
func (f *Folder) write(w *ledger.Writer) error { return f.writeEach(w, derived) }

// missing returns those of them that are not there.
func (f *Folder) missing() []string {
	var names []string
	for _, name := range derived {
		if _, err := os.Lstat(filepath.Join(f.Dir, name)); errors.Is(err, os.ErrNotExist) {
			names = append(names, name)
		}
	}
	return names
}

func (f *Folder) writeEach(w *ledger.Writer, names []string) error {
	for _, name := range names {
		data, err := f.derive(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := w.WriteFile(name, data); err != nil {
			return err
		}
	}
	return nil
}

// file returns a file of the folder, and whether it is missing. One that cannot be read is empty, and so is none that is right.
func (f *Folder) file(name string) (data []byte, missing bool) {
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	return data, errors.Is(err, os.ErrNotExist)
}

// started returns the starts of runs, in order.
func (f *Folder) started() []*ledger.RunStarted {
	var out []*ledger.RunStarted
	for i := range f.Log.Entries {
		if s, ok := f.Log.Entries[i].Body.(*ledger.RunStarted); ok {
			out = append(out, s)
		}
	}
	return out
}

func sortedKeys[K int | string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return slices.Clip(keys)
}
