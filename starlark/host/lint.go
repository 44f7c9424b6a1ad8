package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bazelbuild/buildtools/build"
	"github.com/bazelbuild/buildtools/warn"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// buildifierLints are those of buildifier's that mean something in a phase: not those of BUILD files, nor those of
// Bazel's own functions, nor those that the resolver refuses anyway.
var buildifierLints = []string{
	"confusing-name", "dict-method-named-arg", "function-docstring-args", "function-docstring-header", "list-append",
	"name-conventions", "no-effect", "return-value", "uninitialized", "unreachable", "unused-variable",
}

// Lint returns what in a script is likely a mistake though it can be evaluated, by line; each What is the name of a
// lint, which a comment "# buildifier: disable=NAME" at the statement turns off. The error is Diagnostics where the
// script does not parse or uses a name that nothing binds. What it loads is not read.
func Lint(name string, src []byte) (Diagnostics, error) {
	f, err := parseAlone(name, src)
	if err != nil {
		return nil, err
	}
	known := namesFor(name)
	f.defined = func(n string) bool { return slices.Contains(known, n) && !starlark.Universe.Has(n) }
	c := &closure{}
	if !c.parse(f) {
		return nil, c.diags
	}
	c.checkBindings(f)
	if len(c.diags) > 0 {
		return nil, c.diags
	}
	tree, err := build.ParseBzl(name, src)
	if err != nil {
		return nil, Diagnostics{buildDiagnostic(f, err)}
	}
	l := &linter{file: f, module: f.tree.Module.(*resolve.Module), uses: map[*syntax.Ident]int{}, builtins: map[string]bool{}}
	var found Diagnostics
	for _, w := range warn.FileWarnings(tree, buildifierLints, nil, warn.ModeWarn, nil) {
		s := span{point{int32(w.Start.Line), int32(w.Start.LineRune)}, point{int32(w.End.Line), int32(w.End.LineRune)}}
		if w.Category == "unused-variable" && (isCallbackParameter(w.Message) || l.bindsGlobal(s.start)) {
			continue // the second is unused-global's
		}
		found.add(f.diagnostic(s, w.Category, w.Message))
	}
	l.countUses()
	l.unusedLoads()
	l.unusedGlobals()
	l.shadowed()
	for _, d := range l.found {
		if !warn.DisabledWarning(tree, d.Line, d.What) {
			found.add(d)
		}
	}
	return found.sorted([]string{name}), nil
}

// isCallbackParameter reports whether a variable that is not used is one of a callback's: it takes both whether it
// needs them or not.
func isCallbackParameter(message string) bool {
	return strings.Contains(message, `"arm"`) || strings.Contains(message, `"case"`)
}

// linter finds what buildifier does not look for.
type linter struct {
	file   *file
	module *resolve.Module
	uses   map[*syntax.Ident]int // by the identifier that binds
	found  Diagnostics

	builtins map[string]bool // that the script uses
}

func (l *linter) report(id *syntax.Ident, lint, format string, args ...any) {
	l.found.add(l.file.diagnostic(spanOf(id), lint, fmt.Sprintf(format, args...)))
}

// bindsGlobal reports whether a global is bound at a point.
func (l *linter) bindsGlobal(at point) bool {
	return slices.ContainsFunc(l.module.Globals, func(b *resolve.Binding) bool { return pointOf(b.First.NamePos) == at })
}

func (l *linter) countUses() {
	syntax.Walk(l.file.tree, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok {
			return true
		}
		switch b, ok := id.Binding.(*resolve.Binding); {
		case !ok:
		case b.Scope == resolve.Predeclared || b.Scope == resolve.Universal:
			l.builtins[id.Name] = true
		case b.First != nil && b.First != id:
			l.uses[b.First]++
		}
		return true
	})
}

// unusedLoads finds names that are loaded for nothing: a loaded name is the file's own, and cannot be loaded from it.
func (l *linter) unusedLoads() {
	for _, id := range l.loaded() {
		if l.uses[id] == 0 {
			l.report(id, "unused-load", "%q is loaded and not used", id.Name)
		}
	}
}

func (l *linter) loaded() []*syntax.Ident {
	var ids []*syntax.Ident
	for _, s := range l.file.tree.Stmts {
		if load, ok := s.(*syntax.LoadStmt); ok {
			ids = append(ids, load.To...)
		}
	}
	return ids
}

// unusedGlobals finds functions and variables that nobody uses: any in a script that nobody can load, those with a
// leading underscore in others.
func (l *linter) unusedGlobals() {
	private := l.callsPhase() || isTest(l.file.name)
	for _, b := range l.module.Globals {
		id := b.First
		switch {
		case l.uses[id] > 0, l.file.loops[pointOf(id.NamePos)]:
		case isTest(l.file.name) && strings.HasPrefix(id.Name, testPrefix):
		case private || strings.HasPrefix(id.Name, "_"):
			l.report(id, "unused-global", "%q is bound and not used", id.Name)
		}
	}
}

// callsPhase reports whether the top level of the script calls phase(), so that it cannot be loaded.
func (l *linter) callsPhase() bool {
	found := false
	for _, s := range l.file.tree.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.DefStmt, *syntax.LambdaExpr:
				return false
			case *syntax.CallExpr:
				id, ok := n.Fn.(*syntax.Ident)
				found = found || ok && id.Name == "phase"
			}
			return true
		})
	}
	return found
}

// shadowed finds local names that hide one of the file, or a builtin that the file uses too, so that a reader takes the
// one for the other. A parameter may have a builtin's name, since callers write it as a keyword.
func (l *linter) shadowed() {
	outer := map[string]*syntax.Ident{}
	for _, b := range l.module.Globals {
		outer[b.First.Name] = b.First
	}
	for _, id := range l.loaded() {
		outer[id.Name] = id
	}
	locals := func(bindings []*resolve.Binding, params []syntax.Expr) {
		for _, b := range bindings {
			if b.First == nil {
				continue
			}
			name, isParam := b.First.Name, slices.ContainsFunc(params, func(p syntax.Expr) bool { return paramName(p) == b.First })
			if o := outer[name]; o == b.First {
				continue // a loaded name is a local one of the file
			} else if o != nil {
				l.report(b.First, "shadowed-name", "%q hides the %q of line %d", name, name, o.NamePos.Line)
			} else if !isParam && l.builtins[name] {
				l.report(b.First, "shadowed-name", "%q hides the builtin, which this script uses elsewhere", name)
			}
		}
	}
	locals(l.module.Locals, nil)
	syntax.Walk(l.file.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			if fn, ok := n.Function.(*resolve.Function); ok {
				locals(fn.Locals, n.Params)
			}
		case *syntax.LambdaExpr:
			if fn, ok := n.Function.(*resolve.Function); ok {
				locals(fn.Locals, n.Params)
			}
		}
		return true
	})
}

// paramName returns the identifier of a parameter: x, x = 1, *x, **x; nil for a bare *.
func paramName(p syntax.Expr) *syntax.Ident {
	switch p := p.(type) {
	case *syntax.Ident:
		return p
	case *syntax.BinaryExpr:
		return paramName(p.X)
	case *syntax.UnaryExpr:
		if p.X != nil {
			return paramName(p.X)
		}
	}
	return nil
}
