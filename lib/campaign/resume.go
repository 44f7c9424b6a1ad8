package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/host"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/seal"
	"github.com/phaselock/phaselock/lib/spawn"
)

// Resume goes on with a result folder in the plan's order, from what lies in it: plan.json, the ledger and the private copies.
// Every run that ended is kept, and none is silently done again: the block of a case that was interrupted is run again whole or
// stays incomplete, as the phase declares. Everything is verified before anything is written; what cannot be verified is an error
// with ExitInvalid. Where nothing is left to be done, Outcome.Done says so and no event is written.
func Resume(ctx context.Context, dir string, o Options) (*Outcome, error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	r, err := resumable(dir)
	if err != nil {
		return nil, err
	}
	if len(r.rest.Tasks) == 0 && r.Folder.closed() {
		return r.done()
	}
	return r.goOn(ctx, o)
}

// resumption is a folder that may be gone on with.
type resumption struct {
	*Folder
	dir    string // absolute
	opened *ledger.Opened
	rest   engine.Rest
}

// resumable reads a folder and what it leaves to be done.
func resumable(dir string) (*resumption, error) {
	if holder, held := ledger.Holder(dir); held {
		return nil, &Error{ExitMachine, &ledger.BusyError{Dir: dir, Holder: holder}}
	}
	if log, err := ledger.Read(dir); err == nil && len(log.Entries) == 0 && log.Lost == 0 {
		return nil, usage("%s: nothing was run here, the phase was not even opened: remove the folder and run the script again", dir)
	}
	f, err := Load(dir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &Error{ExitMachine, err}
	}
	r := &resumption{Folder: f, dir: abs, opened: f.Log.Entries[0].Body.(*ledger.Opened)}
	if err := f.stored(); err != nil {
		return nil, err
	}
	if r.rest, err = engine.RestOf(f.Plan, f.Log.Entries, abs); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	return r, nil
}

// stored holds what was written when the phase opened to its digests.
func (f *Folder) stored() error {
	o := f.Log.Entries[0].Body.(*ledger.Opened)
	for _, name := range sortedKeys(o.Stored) {
		got, err := engine.Digest(filepath.Join(f.Dir, filepath.FromSlash(name)))
		if err != nil {
			return invalid("%s cannot be read: %w", name, err)
		}
		if got.SHA256 != o.Stored[name] {
			return invalid("%s: %s has the digest %s, the ledger was opened with %s: it was changed", f.Dir, name, got.SHA256, o.Stored[name])
		}
	}
	return nil
}

// closed reports whether the phase was closed and nothing was run since.
func (f *Folder) closed() bool {
	for i := len(f.Log.Entries) - 1; i >= 0; i-- {
		switch f.Log.Entries[i].Body.(type) {
		case *ledger.Closed:
			return true
		case *ledger.RunStarted, *ledger.RunFinished, *ledger.RunInterrupted, *ledger.BlockRerun, *ledger.PhaseStopped, *ledger.Resumed, *ledger.Opened:
			return false
		}
	}
	return false
}

// done is the outcome where nothing is left to be done. Files that were made from the ledger and are missing are made again.
func (r *resumption) done() (*Outcome, error) {
	f, err := Analyze(r.Dir)
	if err != nil {
		return nil, err
	}
	if err := f.restore(); err != nil {
		return nil, err
	}
	verified, err := r.sealVerified()
	if err != nil {
		return nil, err
	}
	out := &Outcome{Folder: f, Run: engine.Outcome{Finished: r.rest.Finished, Failed: r.rest.Failed, Stopped: r.rest.Stopped}, Done: "complete" + verified}
	switch {
	case r.rest.Stopped != "":
		out.Done, out.Code = "stopped, as the phase declares: "+r.rest.Stopped, Worst(f.Result.ExitCode(), ExitInvalid)
	case len(r.rest.LeftIncomplete) > 0:
		out.Done = "as complete as interrupted = \"retain\" lets it be; blocks stay incomplete: " + strings.Join(r.rest.LeftIncomplete, "; ")
		out.Code = f.Result.ExitCode()
	}
	return out, nil
}

// sealVerified holds the seal in the folder, whose bytes the ledger vouches for, to the one that the phase was opened with.
func (r *resumption) sealVerified() (string, error) {
	if r.opened.Seal == nil {
		return "", nil
	}
	s, err := ReadSealed(filepath.Join(r.Dir, sealName))
	if err != nil {
		return "", &Error{ExitInvalid, err}
	}
	if got := s.Seal.Digest(); got != *r.opened.Seal {
		return "", invalid("%s: the seal has the digest %s, the ledger was opened for %s: one of them was changed", r.Dir, got, *r.opened.Seal)
	}
	if _, err := s.CheckSignature(); err != nil {
		return "", err
	}
	return ", seal verified", nil
}

// restore makes what can be made from the ledger and runs/ again where it is missing, the word of the closing included; nothing is
// overwritten.
func (f *Folder) restore() (err error) {
	if len(f.missing()) == 0 && !f.unclosed() {
		return nil
	}
	w, _, err := reopen(f, nil)
	if err != nil {
		return err
	}
	defer closeInto(w, &err)
	if err := f.writeEach(w, f.missing()); err != nil {
		return &Error{ExitMachine, err}
	}
	return nil
}

// unclosed reports whether a crash kept the last writer from saying how many lines there are and what the head is: the file says who
// writes, or a part of the closing.
func (f *Folder) unclosed() bool {
	said, err := os.ReadFile(filepath.Join(f.Dir, ledger.LockName))
	if err != nil {
		return false // a copy without it
	}
	closing := f.Log.Closing()
	return string(said) != closing && (strings.HasPrefix(string(said), "pid ") || strings.HasPrefix(closing, string(said)))
}

// closeInto closes a ledger. That it cannot be is an error of the machine, unless there is one already.
func closeInto(w *ledger.Writer, err *error) {
	if cerr := w.Close(); cerr != nil && *err == nil {
		*err = &Error{ExitMachine, cerr}
	}
}

// reopen takes the ledger of a folder that was read, and holds it to be the same as then.
func reopen(f *Folder, fs ledger.FS) (*ledger.Writer, *ledger.Log, error) {
	w, log, err := ledger.Open(f.Dir, ledger.Options{FS: fs})
	var tampered *ledger.TamperError
	switch {
	case errors.As(err, &tampered):
		return nil, nil, invalid("%s: %w", f.Dir, err)
	case err != nil:
		return nil, nil, &Error{ExitMachine, err}
	case log.Head != f.Log.Head:
		w.Close()
		return nil, nil, &Error{ExitMachine, fmt.Errorf("%s: another process has written here meanwhile: give the command again", f.Dir)}
	}
	return w, log, nil
}

// goOn verifies everything, and runs what is left.
func (r *resumption) goOn(ctx context.Context, o Options) (outcome *Outcome, err error) {
	if err := needs(r.Plan.Phase, o.Cluster != nil); err != nil {
		return nil, err
	}
	o.Say("verifying what %s runs", r.Plan.Phase.Name)
	in, err := r.reinstall()
	if err != nil {
		return nil, err
	}
	cache := seal.NewCache()
	if err := verifyAll(cache, in.pins); err != nil {
		return nil, err
	}
	cpus, err := r.place(o.Housekeeping)
	if err != nil {
		return nil, err
	}
	remove, err := r.checkouts(ctx, in.targets)
	defer remove()
	if err != nil {
		return nil, interruptedOr(ctx, err)
	}
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
	w, log, err := reopen(r.Folder, o.FS)
	if err != nil {
		return nil, err
	}
	defer closeInto(w, &err)
	if err := r.journal(w, log, o.Tool); err != nil {
		return nil, &Error{ExitMachine, err}
	}
	if err := verifyOpening(w, cache, in.pins, "resuming"); err != nil {
		return nil, err
	}
	return execute(ctx, w, &engine.Job{
		Resolver: &engine.Resolver{Plan: r.Plan, Root: r.opened.Root, Folder: r.dir, Targets: in.targets},
		Ledger:   w, CPUs: cpus.specs, Pins: in.pins, Verify: cache.Watch, Clock: time.Now,
		Harness: harness, Progress: o.Progress, Rest: &r.rest,
		HarnessCPUs: cpus.harness, Cluster: o.Cluster,
	}, o.Key)
}

// journal says that the phase goes on, and what became of the runs of whose end there is no record.
func (r *resumption) journal(w *ledger.Writer, log *ledger.Log, tool string) error {
	last := log.Entries[len(log.Entries)-1].Time
	err := w.Append(&ledger.Resumed{
		Tool: tool, Host: host.Here().Map(), Torn: log.Torn, TornSHA256: log.TornSHA256,
		GapNS: max(0, time.Since(last).Nanoseconds()), LeftIncomplete: r.rest.LeftIncomplete,
	})
	for _, d := range r.rest.Dangling {
		if err != nil {
			return err
		}
		err = w.Append(d)
	}
	return err
}
