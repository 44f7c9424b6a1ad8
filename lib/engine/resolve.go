// Package engine is where runs happen: it resolves a plan's symbolic runs on this machine, executes them one after
// another, and journals each before and after.
package engine

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// Target is what a label or a program of the plan resolved to on this machine.
type Target struct {
	Path string // absolute: the private copy, or where an input lies
	Dir  string // absolute: where a go_test binary must run; "" for others

	Matches []string // of an input with a pattern: the files it matched, absolute, in order; Path is ""
}

// Resolver turns runs of a plan into what is executed on this machine.
type Resolver struct {
	Plan    *plan.Plan
	Root    string            // absolute: the script's root, the working folder of commands without dir
	Folder  string            // absolute: the result folder
	Targets map[string]Target // by file label, and by program name or path for argv[0] texts

	totals map[string]int // of the longest arm, by case and attempt
}

// Resolved is a run as it is executed.
type Resolved struct {
	Exec  string   // the file
	Argv  []string // argv[0] is the plan's text or label, whatever the file is called
	Env   []string // "NAME=value", sorted by name, PHASELOCK_PAD included
	Dir   string
	Stdin string // "" is /dev/null
	Total int    // bytes of path, argv and environment, each with its terminating NUL
}

// RunDir returns the folder of a run's attempt: runs/0001, or runs/0001.2 for the second attempt. Numbers have one width in a
// phase, so that paths in the environment have one length.
func (r *Resolver) RunDir(number, attempt int) string {
	return filepath.Join(r.Folder, "runs", RunName(len(r.Plan.Runs), number, attempt))
}

// RunName returns the name of a run's folder below runs/.
func RunName(runs, number, attempt int) string {
	width := max(4, len(fmt.Sprint(runs)))
	name := fmt.Sprintf("%0*d", width, number)
	if attempt > 1 {
		name += fmt.Sprintf(".%d", attempt)
	}
	return name
}

// Resolve returns the run as it is executed, padded to the longest arm of its case where the phase pads.
func (r *Resolver) Resolve(run *plan.Run, attempt int) (Resolved, error) {
	res, err := r.unpadded(run, attempt)
	if err != nil || !r.Plan.Phase.Process.Pad {
		return res, err
	}
	longest, err := r.longest(run.Case, attempt)
	if err != nil {
		return Resolved{}, err
	}
	pad := plan.PadEnv + "=" + strings.Repeat("x", longest-res.Total)
	i, _ := slices.BinarySearchFunc(res.Env, plan.PadEnv, func(kv, name string) int { return strings.Compare(nameOf(kv), name) })
	res.Env = slices.Insert(res.Env, i, pad)
	res.Total += len(pad) + 1
	return res, nil
}

// nameOf returns the name of "NAME=value".
func nameOf(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}

// longest returns the largest unpadded total over the arms of a case. Runs of one arm of one case differ in nothing
// that has a length, so one run of each arm is enough. A first attempt is padded like a later one, whose folder has a
// longer name, so that a block that is run again has the length of the others.
func (r *Resolver) longest(name string, attempt int) (int, error) {
	attempt = max(attempt, 2)
	key := fmt.Sprintf("%s\x00%d", name, attempt)
	if n, ok := r.totals[key]; ok {
		return n, nil
	}
	longest := 0
	seen := map[string]bool{}
	for i := range r.Plan.Runs {
		s := &r.Plan.Runs[i]
		if s.Case != name || seen[s.Arm] {
			continue
		}
		seen[s.Arm] = true
		res, err := r.unpadded(s, attempt)
		if err != nil {
			return 0, err
		}
		longest = max(longest, res.Total)
	}
	if r.totals == nil {
		r.totals = map[string]int{}
	}
	r.totals[key] = longest
	return longest, nil
}

func (r *Resolver) unpadded(run *plan.Run, attempt int) (Resolved, error) {
	exec, ok := r.Targets[run.Argv[0].String()]
	if !ok {
		return Resolved{}, fmt.Errorf("run %d: nothing is known of %q", run.Number, run.Argv[0])
	}
	res := Resolved{Exec: exec.Path, Argv: []string{run.Argv[0].String()}, Dir: r.dir(run.Dir, exec)}
	for _, a := range run.Argv[1:] {
		texts, err := r.texts(a)
		if err != nil {
			return Resolved{}, fmt.Errorf("run %d: %w", run.Number, err)
		}
		res.Argv = append(res.Argv, texts...)
	}
	if run.Stdin != nil {
		texts, err := r.texts(*run.Stdin)
		if err != nil {
			return Resolved{}, fmt.Errorf("run %d: %w", run.Number, err)
		}
		if len(texts) != 1 {
			return Resolved{}, fmt.Errorf("run %d: standard input is one file, %q matches %d", run.Number, run.Stdin, len(texts))
		}
		if res.Stdin = texts[0]; !filepath.IsAbs(res.Stdin) {
			res.Stdin = filepath.Join(r.Root, res.Stdin)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(run.Env)) {
		res.Env = append(res.Env, name+"="+r.value(run, attempt, name))
	}
	res.Total = Total(res.Exec, res.Argv, res.Env)
	return res, nil
}

// texts returns what an argument stands for: its text, the path of the file it names, or the paths that its pattern matched.
func (r *Resolver) texts(a plan.Arg) ([]string, error) {
	if a.File == "" {
		return []string{a.Text}, nil
	}
	t, ok := r.Targets[a.File]
	if !ok {
		return nil, fmt.Errorf("nothing is known of the file %q", a.File)
	}
	if t.Path == "" {
		return t.Matches, nil
	}
	return []string{t.Path}, nil
}

// harnessSet are the variables whose {run} stands for the run's folder.
var harnessSet = []string{"HOME", "TMPDIR", plan.AuditEnv}

func (r *Resolver) value(run *plan.Run, attempt int, name string) string {
	v := run.Env[name]
	if !slices.Contains(harnessSet, name) {
		return v
	}
	if name == plan.AuditEnv {
		return strings.Replace(v, plan.RunFolder, r.RunDir(run.Number, attempt), 1)
	}
	return strings.Replace(v, plan.RunFolder, filepath.Join(r.RunDir(run.Number, attempt), "home"), 1)
}

// dir is the working folder that a command declares, else that of its tests, else the root.
func (r *Resolver) dir(declared string, exec Target) string {
	switch {
	case filepath.IsAbs(declared):
		return declared
	case declared != "":
		return filepath.Join(r.Root, declared)
	case exec.Dir != "":
		return exec.Dir
	}
	return r.Root
}

// Total returns the bytes that the kernel lays on a new process's stack for path, argv and environment, each with its NUL.
func Total(path string, argv, env []string) int {
	n := len(path) + 1
	for _, s := range argv {
		n += len(s) + 1
	}
	for _, s := range env {
		n += len(s) + 1
	}
	return n
}
