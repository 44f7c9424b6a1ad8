// Package campaign tells the story once: plan, pin, run, verify, analyse, report. It is the only place where the
// road stands in order.
package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/host"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/seal"
	"github.com/phaselock/phaselock/lib/spawn"
)

// Source is a script of the phase's closure, by its label ("//c2.star", "@std//go.star").
type Source struct {
	Label string
	Bytes []byte
}

// Script is an evaluated phase with what it was evaluated from.
type Script struct {
	Plan    *plan.Plan
	Flat    []byte // the phase in its flat form
	Sources []Source
	Root    string // absolute
	Entry   string // the label of the script itself, among Sources
}

// Options of a run.
type Options struct {
	Out          string         // the result folder; it must not exist or be empty
	Tool         string         // "phaselock v0.1.0 go1.26.8 …"
	Housekeeping string         // CPUs of the harness; "" chooses
	Sealed       *Sealed        // what is run must be what this seals; nil runs unsealed
	Anchor       string         // where the seal was published before
	Key          *seal.Key      // signs the ledger's head at the end; nil: it is not signed
	Cluster      engine.Cluster // does the steps of FoundationDB
	FS           ledger.FS      // writes the result folder; nil: the disk
	Progress     func(engine.Progress)
	Say          func(format string, args ...any) // one line about what happens now; nil is silent
}

// Outcome is what a run came to.
type Outcome struct {
	Folder *Folder // as analysed; nil if nothing could be analysed
	Run    engine.Outcome
	Code   int
	Done   string // of a resumed folder in which nothing is left to be done: how it stands; "" where something was run
}

// Run executes a planned phase into a fresh result folder and analyses it. The error carries its exit code (Code);
// with a nil error Outcome.Code is the phase's own.
func Run(ctx context.Context, s Script, o Options) (*Outcome, error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if err := errors.Join(needs(s.Plan.Phase, o.Cluster != nil), o.anchorable()); err != nil {
		return nil, err
	}
	if err := unused(o.Out); err != nil {
		return nil, err
	}
	cpus, err := place(s.Plan, o.Housekeeping)
	if err != nil {
		return nil, err
	}
	scratch, err := scratch()
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	defer os.RemoveAll(scratch)
	o.Say("building and pinning what %s runs", s.Plan.Phase.Name)
	files, cleanup, err := find(ctx, s.Plan, s.Root, scratch)
	defer cleanup()
	if err != nil {
		return nil, interruptedOr(ctx, err)
	}
	if o.Sealed != nil {
		if err := o.Sealed.holdPhase(s, files); err != nil {
			return nil, err
		}
	}
	return runPinned(ctx, s, o, cpus, files, scratch)
}

// unused refuses a folder that holds anything before minutes are spent on builds; the ledger checks again when it opens.
func unused(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return &Error{ExitMachine, err}
	case len(entries) > 0:
		holder := ""
		if h, held := ledger.Holder(dir); held {
			holder = ", and " + h + " writes there now"
		}
		return usage("%s is used already (%s lies there%s); results are never overwritten: choose another folder with --out, or go on with this one with --resume",
			dir, entries[0].Name(), holder)
	}
	return nil
}

func interruptedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &Error{ExitInterrupted, fmt.Errorf("interrupted: %w", err)}
	}
	return err
}

// runPinned opens the folder, runs everything and closes it.
func runPinned(ctx context.Context, s Script, o Options, cpus placement, files []*found, scratch string) (outcome *Outcome, err error) {
	harness, err := spawn.Setup(cpus.harness)
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	defer harness.Close()
	if len(cpus.harness) > 0 {
		if err := spawn.PinSelf(cpus.harness); err != nil {
			return nil, &Error{ExitMachine, err}
		}
	}
	w, err := ledger.Create(o.Out, ledger.Options{FS: o.FS})
	if err != nil {
		if errors.Is(err, ledger.ErrUsed) {
			return nil, &Error{ExitUsage, err}
		}
		return nil, &Error{ExitMachine, err}
	}
	defer closeInto(w, &err)
	folder, err := filepath.Abs(o.Out)
	if err != nil {
		return nil, err
	}
	job, err := open(s, o, w, folder, cpus, files)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(scratch); err != nil { // the private copies are made: nothing is left behind if the harness is killed
		return nil, &Error{ExitMachine, err}
	}
	job.Harness, job.Progress, job.Cluster = harness, o.Progress, o.Cluster
	return execute(ctx, w, job, o.Key)
}

// execute runs what there is to run, closes the phase, signs its ledger with the key if there is one, and keeps its analysis.
func execute(ctx context.Context, w *ledger.Writer, job *engine.Job, key *seal.Key) (*Outcome, error) {
	outcome, err := engine.Run(ctx, job)
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	if err := closing(w, job, &outcome); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	if err := signHead(w, key); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	f, err := Analyze(job.Resolver.Folder)
	if err != nil {
		return nil, err
	}
	if err := f.write(w); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	return &Outcome{Folder: f, Run: outcome, Code: codeOf(outcome, f.Result)}, nil
}

// open writes what is known before the first run: scripts, protocol, plan, host, private copies, the opening event.
func open(s Script, o Options, w *ledger.Writer, folder string, cpus placement, files []*found) (*engine.Job, error) {
	in, pinned, err := install(files, folder)
	if err != nil {
		return nil, err
	}
	facts := host.Here().Map()
	stored, err := store(s, o.Sealed, w, facts, files)
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	floor, err := spawn.MaxRSSFloor()
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	err = w.Append(&ledger.Opened{
		Phase: s.Plan.Phase.Name, Tool: o.Tool, ProtocolDigest: s.Plan.ProtocolDigest, PlanDigest: s.Plan.Digest,
		Seal: o.Sealed.digest(), Anchor: o.Anchor,
		Host: facts, HarnessCPUs: spawn.FormatCPUs(cpus.harness), AllowedCPUs: spawn.FormatCPUs(cpus.allowed),
		MaxRSSFloor: floor,
		Files:       pinned, Notes: cpus.notes, Root: s.Root, Stored: stored,
	})
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	cache := seal.NewCache()
	if err := verifyOpening(w, cache, in.pins, "opening"); err != nil {
		return nil, err
	}
	return &engine.Job{
		Resolver: &engine.Resolver{Plan: s.Plan, Root: s.Root, Folder: folder, Targets: in.targets},
		Ledger:   w, CPUs: cpus.specs, Pins: in.pins, Verify: cache.Watch, Clock: time.Now,
		HarnessCPUs: cpus.harness,
	}, nil
}

// verifyOpening holds every file to its pin once more, now that all of them have their places.
func verifyOpening(w *ledger.Writer, cache *seal.Cache, pins map[string][]*seal.Pin, when string) error {
	files := 0
	for _, name := range sortedKeys(pins) {
		for _, pin := range pins[name] {
			if err := cache.Verify(pin); err != nil {
				return &Error{ExitInvalid, err}
			}
			files++
		}
	}
	if err := w.Append(&ledger.PinVerified{When: when, Files: files}); err != nil {
		return &Error{ExitMachine, err}
	}
	return nil
}

// store writes what was evaluated and planned, and returns the digests of these files by their paths in the folder.
func store(s Script, sealed *Sealed, w *ledger.Writer, facts map[string]string, files []*found) (map[string]string, error) {
	data, err := s.Plan.JSON()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{"protocol.star": s.Flat, "plan.json": data}
	sealed.store(all)
	for _, src := range s.Sources {
		all[path.Join("phase", sourceName(src.Label))] = src.Bytes
	}
	for _, f := range files {
		if len(f.patch) > 0 {
			all[path.Join("phase", f.name+".patch")] = f.patch
		}
	}
	digests := map[string]string{}
	for _, name := range sortedKeys(all) {
		if err := w.WriteFile(name, all[name]); err != nil {
			return nil, err
		}
		digests[name] = fmt.Sprintf("%x", sha256.Sum256(all[name]))
	}
	return digests, writeHost(w, facts, nil)
}

// sourceName turns a label into a path below phase/: //dir/c2.star is dir/c2.star, @std//go.star is @std/go.star.
func sourceName(label string) string {
	return strings.TrimPrefix(strings.Replace(label, "//", "/", 1), "/")
}

func writeHost(w *ledger.Writer, before, after map[string]string) error {
	data, err := hostJSON(before, after)
	if err != nil {
		return err
	}
	return w.WriteFile("host.json", data)
}

// hostJSON returns host.json.
func hostJSON(before, after map[string]string) ([]byte, error) {
	data, err := json.MarshalIndent(map[string]map[string]string{"before": before, "after": after}, "", " ")
	return append(data, '\n'), err
}

// closing verifies every pin once more, writes what the machine is now and appends the last event.
func closing(w *ledger.Writer, job *engine.Job, outcome *engine.Outcome) error {
	verified := 0
	afresh := seal.NewCache() // nothing is taken from memory: a write through a mapped page moves no time stamp
	for _, name := range sortedKeys(job.Pins) {
		for _, pin := range job.Pins[name] {
			err := afresh.Verify(pin)
			var broken *seal.BrokenError
			if errors.As(err, &broken) {
				outcome.PinBroken = true
				err = w.Append(&ledger.PinBroken{When: "closing", Label: pin.Label, Want: broken.Want, Got: broken.Got})
				verified--
			}
			if err != nil {
				return err
			}
			verified++
		}
	}
	if err := w.Append(&ledger.PinVerified{When: "closing", Files: verified}); err != nil {
		return err
	}
	facts := host.Here().Map()
	before, err := readHost(w.Dir())
	if err != nil {
		return err
	}
	if err := writeHost(w, before, facts); err != nil {
		return err
	}
	return w.Append(&ledger.Closed{Finished: outcome.Finished, Failed: outcome.Failed, Host: facts})
}

func readHost(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "host.json"))
	if err != nil {
		return nil, err
	}
	var h map[string]map[string]string
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, fmt.Errorf("host.json: %w", err)
	}
	return h["before"], nil
}

func codeOf(outcome engine.Outcome, r *analysis.Result) int {
	codes := []int{r.ExitCode()}
	if outcome.Interrupted {
		codes = append(codes, ExitInterrupted)
	}
	if outcome.ServiceLost {
		codes = append(codes, ExitMachine)
	}
	if outcome.PinBroken || outcome.Stopped != "" || outcome.AfterFailed != "" {
		codes = append(codes, ExitInvalid)
	}
	return Worst(codes...)
}
