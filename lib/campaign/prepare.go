package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// found is a file that a phase uses, before its private copy is made.
type found struct {
	name    string // as the plan names it: label, program or path
	user    string // of an interpreter: the script that it runs
	pattern string // the input's label, where that is a pattern that this file matches
	kind    string
	source  string // absolute path
	dir     string // where it must run; "" is the root
	copied  bool   // it is executed, so that a private copy is made
	pin     *seal.Pin
	build   map[string]string // of a build: what made it
	patch   []byte            // of a build from a dirty tree
}

// find builds and finds every file of a plan, before anything is written: a missing binary is known now, not after
// an hour. Builds go to scratch.
func find(ctx context.Context, pl *plan.Plan, root, scratch string) ([]*found, func(), error) {
	files, cleanup, err := findBuilds(ctx, pl, root, scratch)
	if err != nil {
		return nil, cleanup, err
	}
	for i := range pl.Phase.Files {
		f := &pl.Phase.Files[i]
		if f.Build != nil {
			continue
		}
		if f.Kind == protocol.KindInput && seal.IsPattern(f.Label) {
			matches, err := expand(f, root)
			if err != nil {
				return nil, cleanup, err
			}
			files = append(files, matches...)
			continue
		}
		files = append(files, &found{name: f.Label, kind: f.Kind, source: under(root, f.Label), copied: f.Kind == protocol.KindBinary})
	}
	programs, err := findPrograms(pl, root)
	if err != nil {
		return nil, cleanup, err
	}
	files = append(files, programs...)
	if files, err = pinAll(pl, files); err != nil {
		return nil, cleanup, err
	}
	return files, cleanup, nil
}

// under returns a path from the root.
func under(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

// expand returns the files that an input's pattern matches, each pinned by itself, in the order of their names.
func expand(f *protocol.File, root string) ([]*found, error) {
	labels, err := seal.ExpandInput(root, f.Label)
	if err == nil && f.SHA256 != "" {
		err = fmt.Errorf("input %q: a digest is of one file, and this is a pattern", f.Label)
	}
	if err != nil {
		return nil, &Error{ExitUsage, protocol.Problem{At: f.At, Message: err.Error()}}
	}
	files := make([]*found, len(labels))
	for i, label := range labels {
		files[i] = &found{name: label, pattern: f.Label, kind: f.Kind, source: under(root, label)}
	}
	return files, nil
}

func findBuilds(ctx context.Context, pl *plan.Plan, root, scratch string) ([]*found, func(), error) {
	var requests []build.Request
	for i := range pl.Phase.Files {
		if f := pl.Phase.Files[i]; f.Build != nil {
			requests = append(requests, build.Request{Root: root, File: f, OutDir: scratch})
		}
	}
	built, err := build.All(ctx, requests)
	cleanup := func() {
		for i := range built {
			built[i].Close() // a checkout that stays is found by name at the next build
		}
	}
	if err != nil {
		return nil, cleanup, &Error{ExitUsage, err}
	}
	var files []*found
	for i, b := range built {
		f := requests[i].File
		files = append(files, &found{
			name: f.Label, kind: f.Kind, source: b.Path, dir: b.PackageDir, copied: true,
			build: b.Info, patch: b.Patch,
		})
	}
	return files, cleanup, nil
}

// findPrograms looks up what runs, services and steps execute by path or by name: argv[0] texts.
func findPrograms(pl *plan.Plan, root string) ([]*found, error) {
	var files []*found
	seen := map[string]bool{}
	find := func(a plan.Arg, at func() protocol.Problem) error {
		name := a.Text
		if a.File != "" || seen[name] {
			return nil
		}
		seen[name] = true
		f := &found{name: name, kind: "program", copied: true}
		if strings.Contains(name, "/") {
			f.source = under(root, name)
		} else {
			path, err := seal.Program(name, plan.FixedPath)
			if err != nil {
				p := at()
				p.Message = err.Error()
				return &Error{ExitUsage, p}
			}
			f.source = path
		}
		files = append(files, f)
		return nil
	}
	for i := range pl.Runs {
		run := &pl.Runs[i]
		err := find(run.Argv[0], func() protocol.Problem {
			return protocol.Problem{
				At:   pl.Phase.Case(run.Case).Commands[run.Arm].At,
				What: fmt.Sprintf("command of arm %q in case %q", run.Arm, run.Case),
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, b := range beside(pl.Phase) {
		if err := find(b.program.Argv[0], func() protocol.Problem { return protocol.Problem{At: b.at, What: b.what} }); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// besides is a program that is not measured.
type besides struct {
	program *protocol.Program
	what    string
	at      protocol.Place
}

// beside returns the programs of a phase that are not measured: its services, then its steps.
func beside(p *protocol.Phase) []besides {
	var out []besides
	for i := range p.Services {
		s := &p.Services[i]
		out = append(out, besides{&s.Program, fmt.Sprintf("service %q", s.Name), s.At})
	}
	for _, s := range p.Steps() {
		if s.Program != nil {
			out = append(out, besides{s.Program, s.Title(), s.At})
		}
	}
	return out
}

// pinAll digests every file, adds the interpreters of scripts, and holds the digests to those declared.
func pinAll(pl *plan.Plan, files []*found) ([]*found, error) {
	var problems protocol.Problems
	for _, f := range files {
		declared := pl.Phase.File(f.name)
		pin, err := seal.PinFile(f.source)
		if err != nil {
			problems = append(problems, problemOf(pl, f, err.Error()))
			continue
		}
		pin.Label, pin.Kind = f.name, f.kind
		f.pin = &pin
		if f.copied {
			if info, err := os.Stat(f.source); err == nil && info.Mode()&0o111 == 0 {
				problems = append(problems, problemOf(pl, f, "it is not executable (chmod +x)"))
			}
		}
		if declared != nil && declared.SHA256 != "" && declared.SHA256 != pin.SHA256 {
			return nil, &Error{ExitInvalid, protocol.Problem{
				At: declared.At, What: declared.Kind + " " + fmt.Sprintf("%q", f.name),
				Message: fmt.Sprintf("its SHA-256 is %s, the script declares %s", pin.SHA256, declared.SHA256),
			}}
		}
	}
	if err := problems.Err(); err != nil {
		return nil, &Error{ExitUsage, err}
	}
	for _, f := range files {
		if !f.copied {
			continue
		}
		path, err := seal.Interpreter(f.source, plan.FixedPath)
		if err != nil {
			return nil, &Error{ExitUsage, fmt.Errorf("%s: %w", f.name, err)}
		}
		if path == "" {
			continue
		}
		pin, err := seal.PinFile(path)
		if err != nil {
			return nil, &Error{ExitUsage, fmt.Errorf("interpreter of %s: %w", f.name, err)}
		}
		pin.Label, pin.Kind = path, "interpreter"
		files = append(files, &found{name: path, user: f.name, kind: "interpreter", source: path, pin: &pin})
	}
	return files, nil
}

// problemOf says what is wrong with a file, at its declaration or at the command that runs it.
func problemOf(pl *plan.Plan, f *found, message string) protocol.Problem {
	p := protocol.Problem{What: fmt.Sprintf("%s %q", f.kind, f.name), Message: message}
	if declared := pl.Phase.File(f.name); declared != nil {
		p.At = declared.At
		return p
	}
	for i := range pl.Runs {
		if pl.Runs[i].Argv[0].Text == f.name {
			p.At = pl.Phase.Case(pl.Runs[i].Case).Commands[pl.Runs[i].Arm].At
			return p
		}
	}
	for _, b := range beside(pl.Phase) {
		if b.program.Argv[0].Text == f.name {
			p.At = b.at
			break
		}
	}
	return p
}

// install makes the private copies of what is executed and returns what the plan's names resolve to, and the pins.
func install(files []*found, folder string) (*installed, []ledger.PinnedFile, error) {
	in := newInstalled()
	var pinned []ledger.PinnedFile
	for _, f := range files {
		path, shown := f.source, f.source
		if f.copied {
			dst, digest, err := seal.Copy(f.source, filepath.Join(folder, "bin"))
			if err != nil {
				return nil, nil, err
			}
			if digest != f.pin.SHA256 {
				return nil, nil, invalid("%s changed while it was copied: %s, then %s", f.name, f.pin.SHA256, digest)
			}
			path, shown = dst, dst
			if rel, err := filepath.Rel(folder, dst); err == nil {
				shown = rel
			}
		}
		info := f.pin.BuildInfo
		if f.build != nil {
			info = f.build
		}
		file := ledger.PinnedFile{
			Label: f.name, Kind: f.kind, Path: shown, Source: f.source,
			SHA256: f.pin.SHA256, Size: f.pin.Size, Build: info,
			Dir: f.dir, Pattern: f.pattern, User: f.user,
		}
		pin := *f.pin
		pin.Path = path
		in.add(&file, &pin)
		pinned = append(pinned, file)
	}
	return in, pinned, nil
}
