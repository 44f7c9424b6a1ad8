package host

import (
	"strings"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// expr is a Starlark expression to print: a text, or a bracketed list of items with their keys.
type expr struct {
	text        string // of a leaf
	open, close string // of a list, dict or call
	items       []item
}

// item is an element of a list, an entry of a dict, or an argument of a call.
type item struct {
	key string // `"a": `, `name = `, or ""
	val expr
}

const lineWidth = 120

// line returns the expression on one line.
func (e expr) line() string {
	var b strings.Builder
	e.writeLine(&b)
	return b.String()
}

func (e expr) writeLine(b *strings.Builder) {
	if e.open == "" {
		b.WriteString(e.text)
		return
	}
	b.WriteString(e.open)
	for i, it := range e.items {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(it.key)
		it.val.writeLine(b)
	}
	if e.open == "(" && len(e.items) == 1 {
		b.WriteByte(',') // a tuple of one
	}
	b.WriteString(e.close)
}

// write prints the expression at a depth of indentation: on one line where it fits behind used characters, with an
// item a line otherwise.
func (e expr) write(b *strings.Builder, depth, used int) {
	line := e.line()
	if len(e.items) == 0 || used+utf8.RuneCountInString(line)+1 <= lineWidth {
		b.WriteString(line)
		return
	}
	b.WriteString(e.open)
	b.WriteByte('\n')
	indent := strings.Repeat("    ", depth+1)
	for _, it := range e.items {
		b.WriteString(indent + it.key)
		it.val.write(b, depth+1, len(indent)+utf8.RuneCountInString(it.key))
		b.WriteString(",\n")
	}
	b.WriteString(strings.Repeat("    ", depth) + e.close)
}

func leaf(text string) expr   { return expr{text: text} }
func quoted(s string) expr    { return leaf(syntax.Quote(s, false)) }
func list(items []item) expr  { return expr{open: "[", close: "]", items: items} }
func dict(items []item) expr  { return expr{open: "{", close: "}", items: items} }
func tuple(items []item) expr { return expr{open: "(", close: ")", items: items} }

func entryOf(key string, val expr) item { return item{syntax.Quote(key, false) + ": ", val} }

func callExpr(name string, items []item) expr {
	return expr{open: name + "(", close: ")", items: items}
}

func quotedList(texts []string) expr {
	items := make([]item, len(texts))
	for i, s := range texts {
		items[i].val = quoted(s)
	}
	return list(items)
}

// expr is the call that gives an equal record: its defaults are left out.
func (r *record) expr() expr {
	var items []item
	for i, p := range r.kind.params {
		v := r.fields[i]
		if v == nil || isDefault(v, p.value) {
			continue
		}
		it := item{p.name + " = ", exprOf(v)}
		if i == 0 && r.kind.leading {
			it.key = ""
		}
		items = append(items, it)
	}
	for _, p := range r.own {
		if p.value != nil {
			items = append(items, item{p.name + " = ", exprOf(p.value)})
		}
	}
	return callExpr(r.kind.name, items)
}

func isDefault(v, value starlark.Value) bool {
	if value == nil || v.Type() != value.Type() {
		return false
	}
	same, err := starlark.Equal(v, value)
	return same && err == nil
}

// exprOf prints a value as it stands in a script; functions by their name.
func exprOf(v starlark.Value) expr {
	switch v := v.(type) {
	case starlark.String:
		return quoted(string(v))
	case starlark.Float:
		return leaf(protocol.FormatFloat(float64(v)))
	case *starlark.Function:
		return leaf(v.Name())
	case *record:
		return v.expr()
	case *starlark.List:
		return list(itemsOf(v))
	case starlark.Tuple:
		return tuple(itemsOf(v))
	case *starlark.Dict:
		var items []item
		for _, kv := range v.Items() {
			items = append(items, item{exprOf(kv[0]).line() + ": ", exprOf(kv[1])})
		}
		return dict(items)
	}
	return leaf(v.String())
}

func itemsOf(seq starlark.Indexable) []item {
	items := make([]item, seq.Len())
	for i := range items {
		items[i].val = exprOf(seq.Index(i))
	}
	return items
}
