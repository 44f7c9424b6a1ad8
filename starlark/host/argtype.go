package host

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// argType is what a parameter takes. check returns the value to keep, frozen or to be frozen by the constructor,
// or nil after it has reported what is wrong at the argument or at the very element of it.
type argType struct {
	name  string // as messages and docs say it: "a string"
	check func(a arg, v starlark.Value) starlark.Value
}

// arg is the place of an argument, or of an element within it.
type arg struct {
	call  *call
	param string
	expr  syntax.Expr // the expression of the value; nil where it is not written out
	span  span        // what is marked
}

// refuse reports a message about the argument and returns nil.
func (a arg) refuse(format string, args ...any) starlark.Value {
	a.call.report(a.span, a.call.kind.name, a.param+": "+fmt.Sprintf(format, args...))
	return nil
}

// want reports a value of another type or range than wanted.
func (a arg) want(wanted string, got starlark.Value) starlark.Value {
	return a.refuse("want %s, got %s", wanted, describe(got))
}

// elem returns the place of the i'th element where the argument is written as a list or tuple.
func (a arg) elem(i int) arg {
	var list []syntax.Expr
	switch e := unparen(a.expr).(type) {
	case *syntax.ListExpr:
		list = e.List
	case *syntax.TupleExpr:
		list = e.List
	}
	if i < len(list) {
		a.expr, a.span = list[i], spanOf(list[i])
	} else {
		a.expr = nil
	}
	return a
}

// entry returns the places of the i'th key and value where the argument is written as a dict.
func (a arg) entry(i int) (key, value arg) {
	key, value = a, a
	key.expr, value.expr = nil, nil
	if d, ok := unparen(a.expr).(*syntax.DictExpr); ok && i < len(d.List) {
		e := d.List[i].(*syntax.DictEntry)
		key.expr, key.span = e.Key, spanOf(e.Key)
		value.expr, value.span = e.Value, spanOf(e)
	}
	return key, value
}

func unparen(e syntax.Expr) syntax.Expr {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return e
		}
		e = p.X
	}
}

// describe says what a value is, in at most a few words.
func describe(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.String:
		return clip(syntax.Quote(string(v), false), 60)
	case starlark.NoneType, starlark.Bool, starlark.Float:
		return v.String()
	case starlark.Int:
		return clip(v.String(), 40)
	case *starlark.List:
		return fmt.Sprintf("a list of %d", v.Len())
	case starlark.Tuple:
		return fmt.Sprintf("a tuple of %d", v.Len())
	case *starlark.Dict:
		return fmt.Sprintf("a dict of %d", v.Len())
	case *starlark.Function:
		if v.Name() == "lambda" {
			return "a lambda"
		}
		return "the function " + v.Name()
	case *starlark.Builtin:
		return "the builtin " + v.Name()
	case *record:
		return v.title()
	}
	return article(v.Type())
}

// quoteAll returns the words in double quotes, joined by " or ".
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " or ")
}

// optional takes None too.
func optional(t argType) argType {
	return argType{t.name + " or None", func(a arg, v starlark.Value) starlark.Value {
		if v == starlark.None {
			return v
		}
		return t.check(a, v)
	}}
}

// listOf takes a list or tuple of lo to hi elements of type t, and keeps a list of its own.
func listOf(t argType, lo, hi int) argType {
	name := "a list, each item " + t.name
	return argType{name, func(a arg, v starlark.Value) starlark.Value {
		seq, ok := sequence(v)
		if !ok {
			return a.want(name, v)
		}
		n := seq.Len()
		if n < lo {
			return a.refuse("is empty; want at least %d", lo)
		}
		if n > hi {
			return a.refuse("has %d items; want at most %d", n, hi)
		}
		kept := make([]starlark.Value, n)
		good := true
		for i := range kept {
			kept[i] = t.check(a.elem(i), seq.Index(i))
			good = good && kept[i] != nil
		}
		if !good {
			return nil
		}
		return starlark.NewList(kept)
	}}
}

// sequence accepts lists and tuples: they are indexable, ordered, and not a string.
func sequence(v starlark.Value) (starlark.Indexable, bool) {
	switch v := v.(type) {
	case *starlark.List:
		return v, true
	case starlark.Tuple:
		return v, true
	}
	return nil, false
}

// pairOf takes a list or tuple of two.
func pairOf(t argType) argType {
	list := listOf(t, 2, 2)
	return argType{"a pair (arm, base)", func(a arg, v starlark.Value) starlark.Value {
		if seq, ok := sequence(v); !ok || seq.Len() != 2 {
			return a.want("a pair (arm, base)", v)
		}
		kept, ok := list.check(a, v).(*starlark.List)
		if !ok {
			return nil
		}
		return starlark.Tuple{kept.Index(0), kept.Index(1)}
	}}
}

// dictOf takes a dict and keeps one of its own in the same order.
func dictOf(key, value argType) argType {
	name := fmt.Sprintf("a dict of %s to %s", key.name, value.name)
	return argType{name, func(a arg, v starlark.Value) starlark.Value {
		d, ok := v.(*starlark.Dict)
		if !ok {
			return a.want(name, v)
		}
		if d.Len() > maxItems {
			return a.refuse("has %d items; want at most %d", d.Len(), maxItems)
		}
		kept := starlark.NewDict(d.Len())
		good := true
		for i, item := range d.Items() {
			ka, va := a.entry(i)
			k, x := key.check(ka, item[0]), value.check(va, item[1])
			if k == nil || x == nil {
				good = false
				continue
			}
			if _, found, _ := kept.Get(k); found {
				ka.refuse("%s stands twice", describe(k))
				good = false
				continue
			}
			if err := kept.SetKey(k, x); err != nil {
				ka.refuse("%v", err)
				good = false
			}
		}
		if !good {
			return nil
		}
		return kept
	}}
}

// valueOf takes what one of the named constructors gives.
func valueOf(names ...string) argType {
	name := strings.Join(names, "() or ") + "()"
	return argType{name, func(a arg, v starlark.Value) starlark.Value {
		if r, ok := v.(*record); ok {
			for _, n := range names {
				if r.kind.name == n {
					return r
				}
			}
		}
		return a.want(name, v)
	}}
}
