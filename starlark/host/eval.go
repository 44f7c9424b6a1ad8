package host

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// Options say how a script is evaluated. The zero value evaluates it in its own folder, without a standard library.
type Options struct {
	Root     string                // the folder from which labels and paths start; "" is the entry's, links resolved
	Std      fs.FS                 // the standard library, x.star for @std//x.star; nil: there is none
	Params   map[string]string     // values for param(), as --set gives them
	Print    func(pos, msg string) // what print() writes, with the place of the call; nil drops it
	MaxSteps uint64                // of the whole closure, callbacks included; 0 is 10 million

	spent uint64 // steps of that budget that are used up already
}

// Script is an evaluated script.
type Script struct {
	Entry   string               // the entry's label, "//c2.star"
	Root    string               // the root, absolute, links resolved
	Phases  []*protocol.Phase    // in the order of the calls of phase()
	Sources []Source             // the closure, by label
	Params  []protocol.Parameter // every param() with the value used, in the order of the calls

	files map[string]*file // by printed name, for later diagnostics
}

// Eval evaluates a script. The error is Diagnostics when the script is at fault, and another one when the entry
// cannot be opened. Cancelling the context ends the evaluation.
func Eval(ctx context.Context, entry string, o Options) (s *Script, err error) {
	folder, label, err := locate(entry, o.Root)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("root of %s: %w", entry, err)
	}
	defer root.Close()
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, Diagnostics{{File: printedLabel(label), Message: fmt.Sprintf("internal error: %v", p)}}
		}
	}()
	return evaluate(ctx, root, folder, label, o)
}

func evaluate(ctx context.Context, root *os.Root, folder, label string, o Options) (*Script, error) {
	e, s, err := prepare(root, folder, label, o)
	if err == nil {
		err = e.finish(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// finish runs what was prepared, and fills the script.
func (e *evaluation) finish(ctx context.Context, s *Script) error {
	if e.run(ctx) {
		e.params.checkUnknown(e)
		s.Params = e.params.used
		s.Phases = e.phases
	}
	if len(e.diags) > 0 {
		return e.sorted()
	}
	for _, p := range s.Phases {
		if problems := protocol.Validate(p); len(problems) > 0 {
			e.diags = append(e.diags, s.Diagnose(problems)...)
		}
	}
	if len(e.diags) > 0 {
		return e.diags
	}
	return nil
}

// prepare reads, checks and compiles the closure of an entry script. Nothing runs.
func prepare(root *os.Root, folder, label string, o Options) (*evaluation, *Script, error) {
	c := &closure{root: root, std: o.Std, names: map[string]bool{}, files: map[string]*file{}}
	for _, n := range builtinNames() {
		c.names[n] = !starlark.Universe.Has(n)
	}
	entryFile := c.resolveClosure(label)
	if len(c.diags) > 0 {
		return nil, nil, c.diags
	}
	e := &evaluation{
		options: o, entry: entryFile, order: c.order, byName: map[string]*file{},
		globals: map[*file]starlark.StringDict{}, reads: map[read]bool{}, calls: map[*kind]lastCall{}, captures: map[*starlark.Function]bool{},
	}
	for _, f := range c.order {
		e.byName[f.name] = f
	}
	e.predeclare()
	return e, &Script{Entry: label, Root: folder, Sources: c.sources(), files: e.byName}, nil
}

// locate returns the root folder and the entry's label in it.
func locate(entry, root string) (folder, label string, err error) {
	resolved, err := filepath.EvalSymlinks(entry)
	if err == nil {
		resolved, err = filepath.Abs(resolved)
	}
	if err != nil {
		return "", "", fmt.Errorf("script %s: %w", entry, err)
	}
	if root == "" {
		root = filepath.Dir(resolved)
	}
	folder, err = filepath.EvalSymlinks(root)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return "", "", fmt.Errorf("root %s: %w", root, err)
	}
	rel, err := filepath.Rel(folder, resolved)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "", fmt.Errorf("script %s is not below the root %s", entry, root)
	}
	return folder, "//" + strings.ReplaceAll(rel, string(filepath.Separator), "/"), nil
}
