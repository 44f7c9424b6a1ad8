package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
	"github.com/phaselock/phaselock/lib/spawn"
)

// reinstall returns what the plan's names resolve to, from the opening event: the private copies in bin/ and the inputs where they
// lay. Nothing is built or copied again.
func (r *resumption) reinstall() (*installed, error) {
	root := r.opened.Root
	if root == "" {
		return nil, invalid("%s was opened by a phaselock that did not write down the phase's root: it can be analysed, and not gone on with", r.Dir)
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, invalid("the phase's root %s is not there any more: commands and inputs count from it", root)
	}
	in := newInstalled()
	for i := range r.opened.Files {
		f := &r.opened.Files[i]
		path := f.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.dir, path)
		}
		in.add(f, &seal.Pin{Label: f.Label, Kind: f.Kind, Path: path, SHA256: f.SHA256, Size: f.Size})
	}
	return in, r.matches(root)
}

// matches holds the patterns of inputs to what they matched when the phase opened: a file more would be an argument more.
func (r *resumption) matches(root string) error {
	for i := range r.Plan.Phase.Files {
		f := &r.Plan.Phase.Files[i]
		if f.Kind != protocol.KindInput || !seal.IsPattern(f.Label) {
			continue
		}
		before := map[string]bool{}
		for _, pinned := range r.opened.Files {
			if pinned.Pattern == f.Label {
				before[pinned.Label] = true
			}
		}
		labels, err := seal.ExpandInput(root, f.Label)
		if err != nil {
			return invalid("input %q: %w", f.Label, err)
		}
		for _, label := range labels {
			if !before[label] {
				return invalid("input %q matches %s now, which it did not when the phase opened", f.Label, label)
			}
		}
	}
	return nil
}

// verifyAll holds every file to its pin, and names all that are not as pinned.
func verifyAll(cache *seal.Cache, pins map[string][]*seal.Pin) error {
	var broken []error
	for _, name := range sortedKeys(pins) {
		for _, pin := range pins[name] {
			if err := cache.Verify(pin); err != nil {
				broken = append(broken, err)
			}
		}
	}
	if len(broken) > 0 {
		return &Error{ExitInvalid, errors.Join(broken...)}
	}
	return nil
}

// place gives the runs the CPUs that they had before; a phase whose CPUs change under way has an effect in it that nobody declared.
func (r *resumption) place(housekeeping string) (placement, error) {
	cpus, err := place(r.Plan, housekeeping)
	if err == nil {
		err = r.samePlaces(cpus)
	}
	if err == nil || housekeeping != "" || r.opened.HarnessCPUs == "" {
		return cpus, err
	}
	again, aerr := place(r.Plan, r.opened.HarnessCPUs) // as they were asked for then
	if aerr != nil || r.samePlaces(again) != nil {
		return cpus, err
	}
	return again, nil
}

func (r *resumption) samePlaces(cpus placement) error {
	for _, p := range r.started() {
		spec := r.Plan.Runs[p.Run-1].CPUs
		if now := spawn.FormatCPUs(cpus.specs[spec]); now != p.CPUs {
			return invalid("cpus %q: run %d had %s, the next would have %s; the harness was on %q (--housekeeping) and the allowed CPUs were %s",
				spec, p.Run, orNone(p.CPUs), orNone(now), r.opened.HarnessCPUs, r.opened.AllowedCPUs)
		}
	}
	return nil
}

func orNone(cpus string) string {
	if cpus == "" {
		return "none"
	}
	return cpus
}

// checkouts makes the folders again in which tests of a git ref run, where they are gone: a checkout lives until the harness ends.
// The function that it returns removes them.
func (r *resumption) checkouts(ctx context.Context, targets map[string]engine.Target) (func(), error) {
	var placed []func() error
	remove := func() {
		for _, f := range placed {
			_ = f() // what stays is found by name at the next build
		}
	}
	for _, f := range r.opened.Files {
		declared := r.Plan.Phase.File(f.Label)
		if declared == nil || declared.Build == nil || declared.Build.Ref == "" || f.Dir == "" {
			continue
		}
		dir, closePlace, err := build.Place(ctx, build.Request{Root: r.opened.Root, File: *declared}, f.Build["commit"])
		if err != nil {
			return remove, &Error{ExitInvalid, fmt.Errorf("%s: its tests run in a checkout of commit %s: %w", f.Label, f.Build["commit"], err)}
		}
		placed = append(placed, closePlace)
		targets[f.Label] = engine.Target{Path: targets[f.Label].Path, Dir: dir}
	}
	return remove, nil
}
