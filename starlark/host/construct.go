package host

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// constructor returns the builtin of a kind. It never fails: what is wrong is reported, and the record that it
// gives is marked, so that a script shows all of its independent errors at once.
func (e *evaluation) constructor(k *kind) *starlark.Builtin {
	return starlark.NewBuiltin(k.name, e.guarded(func(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		r := &record{kind: k, call: e.callOf(thread, k), fields: make([]starlark.Value, len(k.params))}
		before := len(e.diags)
		if err := e.allowed(r); err != nil {
			return nil, err
		}
		r.fill(args, kwargs)
		if len(e.diags) == before && k.check != nil && !r.failed {
			k.check(r)
		}
		r.failed = r.failed || len(e.diags) > before
		for _, v := range r.fields {
			if v != nil {
				v.Freeze()
			}
		}
		if k.result != nil {
			v := k.result(r)
			if v == nil {
				return nil, errReported
			}
			return v, nil
		}
		if e.callback == nil {
			e.made = append(e.made, made{r, e.inEntry() && r.call.file == e.entry})
		}
		return r, nil
	}))
}

// fill binds the arguments to the parameters.
func (r *record) fill(args starlark.Tuple, kwargs []starlark.Tuple) {
	k, c := r.kind, r.call
	var few [32]bool
	given := few[:]
	if len(k.params) > len(few) {
		given = make([]bool, len(k.params))
	}
	misplaced := r.positional(args, given)
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		i := k.index(name)
		switch {
		case i < 0:
			r.extra(name, kw[1])
		case given[i]:
			r.refuse(c.arg(name).span, fmt.Sprintf("%s: given twice", name))
		default:
			given[i] = true
			r.set(i, kw[1])
		}
	}
	var missing []string
	for i := range k.params {
		p := &k.params[i]
		switch {
		case given[i]:
		case p.required():
			missing = append(missing, p.name)
			r.failed = true
		default:
			r.fields[i] = p.value
		}
	}
	if len(missing) > 0 && !misplaced {
		r.refuse(c.whole(), "missing "+strings.Join(missing, ", "))
	}
}

// positional binds the leading argument, and reports and returns whether there are others.
func (r *record) positional(args starlark.Tuple, given []bool) (misplaced bool) {
	k := r.kind
	for i, v := range args {
		switch {
		case i == 0 && k.leading:
			given[0] = true
			r.set(0, v)
		case k.leading:
			r.refuse(r.call.positional(i), fmt.Sprintf("only %s is positional; write the others as name = value", k.params[0].name))
			return true
		default:
			r.refuse(r.call.positional(i), fmt.Sprintf("takes keywords only; write %s = %s", k.params[min(i, len(k.params)-1)].name, describe(v)))
			return true
		}
	}
	return false
}

func (r *record) set(i int, v starlark.Value) {
	if bad, ok := v.(*record); ok && bad.failed {
		r.failed = true
	}
	r.fields[i] = r.kind.params[i].typ.check(r.call.arg(r.kind.params[i].name), v)
	if r.fields[i] == nil {
		r.failed = true
	}
}

// extra keeps a keyword as a parameter of the value's own, or refuses it with the keyword that was meant.
func (r *record) extra(name string, v starlark.Value) {
	k, a := r.kind, r.call.arg(name)
	if !k.own {
		r.refuse(a.span, fmt.Sprintf("no parameter %q%s", name, didYouMean(name, k.names())))
		return
	}
	if !identifierPattern.MatchString(name) || slices.Contains(keywords, name) {
		r.refuse(a.span, fmt.Sprintf("%s: a parameter's name has letters, digits and underscores, and is no keyword", describe(starlark.String(name))))
		return
	}
	for _, p := range k.params {
		if mistyped(name, p.name) {
			r.refuse(a.span, fmt.Sprintf("no parameter %q (did you mean %q?); a parameter of its own needs another name", name, p.name))
			r.own = append(r.own, ownParam{name, nil})
			return
		}
	}
	if owner := fieldOwner(name); owner != "" {
		r.refuse(a.span, fmt.Sprintf("%q is a parameter of %s(), not of %s; a parameter of its own needs another name", name, owner, k.article()))
		r.own = append(r.own, ownParam{name, nil})
		return
	}
	r.own = append(r.own, ownParam{name, ownValue(a, v)})
}

// keywords are what **kwargs can name and a call cannot.
var keywords = []string{
	"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
	"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "load", "nonlocal", "not", "or", "pass",
	"raise", "return", "try", "while", "with", "yield",
}

// fieldOwner returns the constructor that has a parameter of this name, of those that stand around arms and cases.
func fieldOwner(name string) string {
	for _, owner := range []string{"phase", "arm", "case"} {
		if kindOf(owner).index(name) >= 0 {
			return owner
		}
	}
	return ""
}

func (r *record) refuse(s span, message string) {
	r.failed = true
	r.call.report(s, r.kind.name, message)
}

// guarded turns a panic of a builtin into an error at the script's line.
func (e *evaluation) guarded(f func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)) func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return func(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (v starlark.Value, err error) {
		defer func() {
			if p := recover(); p != nil {
				v, err = nil, fmt.Errorf("%s: internal error: %v", b.Name(), p)
			}
		}()
		return f(thread, args, kwargs)
	}
}

// builtinNames returns the names that scripts can use, sorted.
func builtinNames() []string {
	names := []string{"fail", "print", "struct"}
	for _, k := range kinds {
		first, _, _ := strings.Cut(k.name, ".")
		names = append(names, first)
	}
	for name := range starlark.Universe {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
