package host

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// record is what a constructor gives: a frozen value with an attribute for each parameter of its kind, and for
// each parameter of its own. It keeps where it was made.
type record struct {
	kind   *kind
	call   *call
	fields []starlark.Value // by index of kind.params; nil where the argument was refused
	own    []ownParam       // in the order of the call
	failed bool             // its constructor has reported something
	used   bool             // a phase uses it

	askedBy []*starlark.Function // callbacks that were called with it
	flat    bool                 // commands of a case stand written out, so that nothing need read its parameters
}

// ownParam is a keyword that an arm or a case carries for its callbacks.
type ownParam struct {
	name  string
	value starlark.Value // nil where it was refused
}

var (
	_ starlark.Value    = (*record)(nil)
	_ starlark.HasAttrs = (*record)(nil)
)

// errReported ends an evaluation that has used a value whose constructor had reported an error.
var errReported = fmt.Errorf("a value that was refused above is used")

func (r *record) String() string        { return r.expr().line() }
func (r *record) Type() string          { return r.kind.name }
func (r *record) Freeze()               {}
func (r *record) Truth() starlark.Bool  { return true }
func (r *record) Hash() (uint32, error) { return r.hash(), nil }

// hash is of the kind, the place and the leading name, and so the same in every evaluation.
func (r *record) hash() uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, r.kind.name, r.call.at, r.title())
	return h.Sum32()
}

// Attr returns a parameter of the kind or of the value's own; a callback's reading is noted.
func (r *record) Attr(name string) (starlark.Value, error) {
	if i := r.kind.index(name); i >= 0 {
		if r.fields[i] == nil {
			return nil, errReported
		}
		return r.fields[i], nil
	}
	for _, p := range r.own {
		if p.name != name {
			continue
		}
		r.call.eval.noteRead(r.kind.name, name)
		if p.value == nil {
			return nil, errReported
		}
		return p.value, nil
	}
	return nil, fmt.Errorf("%s has no attribute %q%s", r.kind.name, name, hintOrList(name, r.AttrNames()))
}

// AttrNames returns the names of all parameters, sorted.
func (r *record) AttrNames() []string {
	names := r.kind.names()
	for _, p := range r.own {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return names
}

// title names the record as messages do: `case "rev"`, `counterbalanced`.
func (r *record) title() string {
	if len(r.fields) > 0 && r.kind.leading {
		if s, ok := r.fields[0].(starlark.String); ok {
			return r.kind.name + " " + describe(s)
		}
	}
	return r.kind.name
}

// get returns a field, or nil where it was refused.
func (r *record) get(name string) starlark.Value { return r.fields[r.kind.index(name)] }

// text returns a string field; "" for None and where it was refused.
func (r *record) text(name string) string {
	s, _ := starlark.AsString(r.get(name))
	return s
}

// int returns an int field; 0 where it was refused.
func (r *record) int(name string) int64 {
	if i, ok := r.get(name).(starlark.Int); ok {
		n, _ := i.Int64()
		return n
	}
	return 0
}

func (r *record) bool(name string) bool {
	b, _ := r.get(name).(starlark.Bool)
	return bool(b)
}

// float returns a number field; nil for None and where it was refused.
func (r *record) float(name string) *float64 {
	f, ok := r.get(name).(starlark.Float)
	if !ok {
		return nil
	}
	x := float64(f)
	return &x
}

// list returns the items of a list field; nil for None and where it was refused.
func (r *record) list(name string) []starlark.Value {
	l, ok := r.get(name).(*starlark.List)
	if !ok {
		return nil
	}
	items := make([]starlark.Value, l.Len())
	for i := range items {
		items[i] = l.Index(i)
	}
	return items
}

func (r *record) texts(name string) []string {
	var all []string
	for _, v := range r.list(name) {
		s, _ := starlark.AsString(v)
		all = append(all, s)
	}
	return all
}

func (r *record) records(name string) []*record {
	var all []*record
	for _, v := range r.list(name) {
		all = append(all, v.(*record))
	}
	return all
}

// record returns a field that is a record; nil for None, functions, and where it was refused.
func (r *record) record(name string) *record {
	v, _ := r.get(name).(*record)
	return v
}

func (r *record) env(name string) map[string]string {
	d, ok := r.get(name).(*starlark.Dict)
	if !ok || d.Len() == 0 {
		return nil
	}
	env := make(map[string]string, d.Len())
	for _, item := range d.Items() {
		k, _ := starlark.AsString(item[0])
		env[k], _ = starlark.AsString(item[1])
	}
	return env
}

// arg returns the place of a parameter's argument.
func (r *record) arg(name string) arg { return r.call.arg(name) }

// report says that a parameter's argument is wrong, at the argument.
func (r *record) report(a arg, format string, args ...any) {
	r.call.report(a.span, r.title(), fmt.Sprintf(format, args...))
}

func (r *record) at() protocol.Place { return r.call.at }
