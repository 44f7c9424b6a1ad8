package host

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// maxPlanned bounds the runs that plan_of() gives as values of a script.
const maxPlanned = 20_000

// Planner plans a phase of a script. Its error is Diagnostics where the phase is at fault.
type Planner func(*Script, *protocol.Phase) (*Planned, error)

// Planned is a plan as tests of scripts see it.
type Planned struct {
	Digest string
	Runs   []any // in order; structs, which a script reads by their JSON names
}

// tester is what plan_of() needs beside the evaluation of the tests.
type tester struct {
	*evaluation
	options TestOptions
	ctx     context.Context
	root    *os.Root
	folder  string
}

// scriptError is a script that plan_of() was asked for and that is no phase.
type scriptError struct {
	label string
	diags Diagnostics
}

func (e *scriptError) Error() string {
	return fmt.Sprintf("plan_of: %s is refused, with %s", e.label, plural(len(e.diags), "error"))
}

// refusedScript returns what is wrong with the script that a plan_of() was asked for; nil where err is another error.
func refusedScript(err error) Diagnostics {
	var refused *scriptError
	if errors.As(err, &refused) {
		return refused.diags
	}
	return nil
}

// plan_of(label, phase = "", /, **params) evaluates and plans another script, with params as --set gives them, and
// returns its phase and plan as frozen data. phase chooses one of several.
func (t *tester) planOf(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var written, name string
	if err := starlark.UnpackPositionalArgs("plan_of", args, nil, 1, &written, &name); err != nil {
		return nil, err
	}
	label, err := resolveLabel(t.callOf(thread, nil).file.label, written)
	if err != nil {
		return nil, fmt.Errorf("plan_of: %w", err)
	}
	params := map[string]string{}
	for _, kw := range kwargs {
		key := string(kw[0].(starlark.String))
		switch v := kw[1].(type) {
		case starlark.String:
			params[key] = string(v)
		case starlark.Bool, starlark.Int, starlark.Float:
			params[key] = v.String()
		default:
			return nil, fmt.Errorf("plan_of: %s: want a bool, int, float or string, got %s", key, describe(v))
		}
	}
	o := t.options.Options
	o.Params, o.spent = params, thread.Steps
	e, s, err := prepare(t.root, t.folder, label, o)
	if err == nil {
		err = e.finish(t.ctx, s)
		thread.Steps = max(thread.Steps, e.thread.Steps)
	}
	var ds Diagnostics
	if errors.As(err, &ds) {
		return nil, &scriptError{label, ds}
	}
	if err != nil {
		return nil, fmt.Errorf("plan_of: %w", err)
	}
	p, err := choosePhase(s, name)
	if err != nil {
		return nil, fmt.Errorf("plan_of: %s: %w", label, err)
	}
	return t.planned(label, s, p)
}

// choosePhase returns the phase of that name, or the only one.
func choosePhase(s *Script, name string) (*protocol.Phase, error) {
	var names []string
	for _, p := range s.Phases {
		if p.Name == name || name == "" && len(s.Phases) == 1 {
			return p, nil
		}
		names = append(names, p.Name)
	}
	if name == "" {
		return nil, fmt.Errorf("it declares %d phases; choose one, plan_of(label, %q)", len(names), names[0])
	}
	return nil, fmt.Errorf("no phase %q%s; there is %s", name, didYouMean(name, names), quoteAll(names))
}

func (t *tester) planned(label string, s *Script, p *protocol.Phase) (starlark.Value, error) {
	if t.options.Plan == nil {
		return nil, errors.New("plan_of: there is no planner here")
	}
	pl, err := t.options.Plan(s, p)
	var ds Diagnostics
	switch {
	case errors.As(err, &ds):
		return nil, &scriptError{label, ds}
	case err != nil:
		return nil, fmt.Errorf("plan_of: %w", err)
	case len(pl.Runs) > maxPlanned:
		return nil, fmt.Errorf("plan_of: %s has %d runs; want at most %d: a param() can make a test's plan smaller", label, len(pl.Runs), maxPlanned)
	}
	fields := plainFields(p)
	fields["blocks"] = starlark.MakeInt(p.Design.Blocks)
	fields["digest"] = starlark.String(pl.Digest)
	fields["runs"] = plainValue(pl.Runs)
	v := starlarkstruct.FromStringDict(starlark.String("plan"), fields)
	v.Freeze()
	return v, nil
}
