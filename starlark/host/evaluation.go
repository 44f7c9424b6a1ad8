package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// defaultMaxSteps is the budget of a whole closure, callbacks included.
const defaultMaxSteps = 10_000_000

// evaluation is the state of one evaluation. Everything runs on one thread, so that there is one budget.
type evaluation struct {
	options  Options
	entry    *file
	order    []*file // as they run
	byName   map[string]*file
	thread   *starlark.Thread
	builtins starlark.StringDict
	globals  map[*file]starlark.StringDict
	running  *file // the file whose top level runs; nil afterwards
	diags    Diagnostics
	made     []made
	calls    map[*kind]lastCall
	params   params
	callback *starlark.Function // the callback that runs
	context  subject            // whose callback that is
	reads    map[read]bool
	captures map[*starlark.Function]bool // functions that were checked, and whether they may be called
	phases   []*protocol.Phase
	stopped  bool // the budget or the deadline is used up
}

// made is a value that a constructor gave, and whether the call stands in the entry script: what a library makes
// and a phase does not use is the library's business.
type made struct {
	*record
	byEntry bool
}

// read is the reading of an own parameter by a callback.
type read struct {
	callback   *starlark.Function
	kind, name string
}

func (e *evaluation) add(d Diagnostic) { e.diags.add(d) }

func (e *evaluation) inEntry() bool { return e.running == e.entry }

func (e *evaluation) noteRead(kind, name string) {
	if e.callback != nil {
		e.reads[read{e.callback, kind, name}] = true
	}
}

// predeclare fills the builtins.
func (e *evaluation) predeclare() {
	e.builtins = starlark.StringDict{
		"struct": starlark.NewBuiltin("struct", starlarkstruct.Make),
		"fail":   starlark.NewBuiltin("fail", e.guarded(fail)),
	}
	for _, k := range kinds {
		if module, name, ok := strings.Cut(k.name, "."); ok {
			m, _ := e.builtins[module].(*starlarkstruct.Module)
			if m == nil {
				m = &starlarkstruct.Module{Name: module, Members: starlark.StringDict{}}
				e.builtins[module] = m
			}
			m.Members[name] = e.constructor(k)
			continue
		}
		e.builtins[k.name] = e.constructor(k)
	}
}

// fail(*args) ends the evaluation with a message.
func fail(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, errors.New("fail: takes no keywords")
	}
	words := make([]string, len(args))
	for i, v := range args {
		s, ok := starlark.AsString(v)
		if !ok {
			s = v.String()
		}
		words[i] = s
	}
	return nil, errors.New("fail: " + strings.Join(words, " "))
}

// sorted returns the diagnostics, the entry's first, then those of what it loads in the order in which that ran.
func (e *evaluation) sorted() Diagnostics {
	order := []string{e.entry.name}
	for _, f := range e.order {
		order = append(order, f.name)
	}
	return e.diags.sorted(order)
}

// run executes the closure and builds its phases. It returns false if that did not end well.
func (e *evaluation) run(ctx context.Context) bool {
	defer e.begin(ctx)()
	return e.execute() && e.build()
}

// begin gives the evaluation a thread of its own, with a whole budget that ends with the context. The caller
// ends the watch on the context.
func (e *evaluation) begin(ctx context.Context) (end func() bool) {
	thread := &starlark.Thread{
		Name: "phase",
		Load: func(thread *starlark.Thread, written string) (starlark.StringDict, error) {
			for _, l := range e.running.loads {
				if l.written == written {
					return e.globals[l.to], nil
				}
			}
			return nil, fmt.Errorf("%s was not resolved", written)
		},
		Print: func(thread *starlark.Thread, msg string) {
			if e.options.Print == nil {
				return
			}
			at := e.callOf(thread, nil).at
			e.options.Print(at.String(), msg)
		},
	}
	steps := e.options.MaxSteps
	if steps == 0 {
		steps = defaultMaxSteps
	}
	thread.Steps = e.options.spent
	thread.SetMaxExecutionSteps(steps)
	thread.OnMaxSteps = func(thread *starlark.Thread) {
		thread.Cancel(fmt.Sprintf("the scripts took more than %d steps; a phase is a declaration, and this is a computation", steps))
	}
	e.thread = thread
	return context.AfterFunc(ctx, func() {
		thread.Cancel(fmt.Sprintf("evaluation was stopped: %v", context.Cause(ctx)))
	})
}

// execute runs the closure, what is loaded first, and reports what ends it. It returns false if it did not end well.
func (e *evaluation) execute() bool {
	for _, f := range e.order {
		e.running = f
		globals, err := f.program.Init(e.thread, e.builtins)
		globals.Freeze()
		e.globals[f] = globals
		if err != nil {
			e.raised(err, "")
			return false
		}
	}
	e.running = nil
	return true
}

// allowed refuses what may be called at some times only.
func (e *evaluation) allowed(r *record) error {
	k := r.kind.name
	switch {
	case e.callback != nil && slices.Contains([]string{"phase", "arm", "case", "param"}, k):
		return fmt.Errorf("%s: a callback gives a command or a number; call %s() at top level", k, k)
	case k == "phase" && isTest(e.entry.label):
		return fmt.Errorf("phase: tests declare no phase; plan_of(%q) gives the phase and the plan of another script", ":c2.star")
	case k == "phase" && e.running != nil && !e.inEntry():
		return fmt.Errorf("phase: a script that calls phase() can't be loaded; put the call in a function, def %s(): phase(...), and call that in the entry script", "declare")
	}
	return nil
}

// loading returns the load chain of the library whose top level runs; nil in the entry script and in callbacks.
func (e *evaluation) loading() []string {
	if e.running == nil || e.inEntry() {
		return nil
	}
	return e.loadChain(e.running)
}

// loadChain returns the places of the load statements that lead from a file to the entry.
func (e *evaluation) loadChain(f *file) []string {
	var chain []string
	for f != e.entry {
		var next *file
		for _, from := range e.order {
			for _, l := range from.loads {
				if l.to == f && next == nil {
					next = from
					chain = append(chain, fmt.Sprintf("%s:%d:%d", from.name, l.at.Line, l.at.Col))
				}
			}
		}
		if next == nil {
			return chain
		}
		f = next
	}
	return chain
}
