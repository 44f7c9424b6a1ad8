package host

import (
	"fmt"
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// subject is what a callback is asked about: `case "rev", arm "old"`. It is put into words where something is wrong.
type subject struct {
	first, second *record
	between       string
}

func (s subject) String() string {
	if s.first == nil {
		return ""
	}
	return s.first.title() + s.between + s.second.title()
}

// call runs a callback with frozen arguments. It reports what goes wrong, as something about what.
func (e *evaluation) call(fn *starlark.Function, what subject, args ...starlark.Value) (starlark.Value, bool) {
	if !e.mayCall(fn) || e.stopped {
		return nil, false
	}
	e.callback, e.context = fn, what
	defer func() { e.callback, e.context = nil, subject{} }()
	v, err := starlark.Call(e.thread, fn, args, nil)
	for _, a := range args {
		if r, ok := a.(*record); ok && !slices.Contains(r.askedBy, fn) {
			r.askedBy = append(r.askedBy, fn)
		}
	}
	if err != nil {
		e.raised(err, what.String())
		return nil, false
	}
	return v, true
}

// returned reports what a callback gave, at the callback's head.
func (e *evaluation) returned(fn *starlark.Function, what, message string) {
	f := e.byName[fn.Position().Filename()]
	at := pointOf(fn.Position())
	s := span{at, at}
	switch n := f.funcs[at].(type) {
	case *syntax.DefStmt:
		s = spanOf(n.Name)
	case *syntax.LambdaExpr:
		s = spanOf(n)
	}
	e.add(f.diagnostic(s, what, fmt.Sprintf("%s returned: %s", describe(fn), message)))
}

// mayCall reports whether a callback is free of loop variables, and reports those that it captures. Callbacks run
// when every loop has ended, and would see the last value.
func (e *evaluation) mayCall(fn *starlark.Function) bool {
	if free, ok := e.captures[fn]; ok {
		return free
	}
	e.captures[fn] = true // recursion ends here
	free := e.freeOfLoops(fn)
	e.captures[fn] = free
	return free
}

func (e *evaluation) freeOfLoops(fn *starlark.Function) bool {
	f := e.byName[fn.Position().Filename()]
	if f == nil {
		return true
	}
	node := f.funcs[pointOf(fn.Position())]
	if node == nil {
		return true
	}
	free := true
	inner := map[point]bool{} // loop variables of the callback's own loops
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForStmt:
			bindings(n.Vars, inner)
		case *syntax.ForClause:
			bindings(n.Vars, inner)
		}
		return true
	})
	globals := fn.Globals()
	syntax.Walk(node, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok {
			return true
		}
		b, ok := id.Binding.(*resolve.Binding)
		if !ok || b.First == nil {
			return true
		}
		at := pointOf(b.First.NamePos)
		if f.loops[at] && !inner[at] {
			free = false
			e.add(f.diagnostic(spanOf(id), "callback", fmt.Sprintf(
				"captures the loop variable %q; callbacks run after the loop has ended and would see its last value: "+
					"pass it as a parameter, case(..., %s = %s), and read case.%s", id.Name, id.Name, id.Name, id.Name)))
		}
		if called, ok := globals[id.Name].(*starlark.Function); ok && b.Scope == resolve.Global {
			free = e.mayCall(called) && free
		}
		return true
	})
	for i := range fn.NumFreeVars() {
		if _, v := fn.FreeVar(i); v != nil {
			if called, ok := v.(*starlark.Function); ok {
				free = e.mayCall(called) && free
			}
		}
	}
	return free
}

func bindings(vars syntax.Expr, into map[point]bool) {
	syntax.Walk(vars, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			into[pointOf(id.NamePos)] = true
		}
		return true
	})
}
