package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Diff returns in what a phase differs from an earlier one, in the order of Phase's fields; nothing where both are
// the same protocol. Places have no part in it. What only follows from another change is not told again: the commands
// of an arm that is new, the contrasts of one that is gone.
func Diff(before, after *Phase) []Change {
	d := &differ{renamed: renamedBuilds(before.Files, after.Files), alike: map[alike]int{}}
	b, a := before.within(after), after.within(before)
	tb, ta := reflect.ValueOf(b).Elem(), reflect.ValueOf(a).Elem()
	for i := range tb.NumField() {
		if name := jsonName(tb.Type().Field(i)); name != "" {
			d.member(name, tb.Field(i), ta.Field(i))
		}
	}
	return d.changes
}

// differ collects changes.
type differ struct {
	renamed map[string]string // labels of builds in the later phase, and what they were in the earlier one
	changes []Change
	alike   map[alike]int // places in changes
}

// alike is what changes of several subjects have in common.
type alike struct{ kind, aspect, before, after string }

// where is what a change is about.
type where struct {
	subject string
	aspect  string
	was, at Place
}

func (w where) to(aspect string) where {
	w.aspect = strings.TrimSpace(w.aspect + " " + aspect)
	return w
}

// add keeps a change, together with one that says the same of another subject.
func (d *differ) add(kind string, w where, before, after string) {
	same := alike{kind, w.aspect, before, after}
	if i, ok := d.alike[same]; ok && w.aspect != "" {
		d.changes[i].Subjects = append(d.changes[i].Subjects, w.subject)
		return
	}
	d.alike[same] = len(d.changes)
	d.changes = append(d.changes, Change{
		Kind: kind, Subjects: []string{w.subject}, Aspect: w.aspect, Before: before, After: after, At: w.at, Was: w.was,
	})
}

// member compares one field of two phases.
func (d *differ) member(name string, b, a reflect.Value) {
	switch {
	case b.Kind() == reflect.Slice && b.Type().Elem().Kind() == reflect.Struct && b.Type() != reflect.TypeFor[[]Parameter]():
		d.list(name, b, a)
	case b.Kind() == reflect.Struct && !isLeaf(b.Type()):
		d.fields(where{subject: "the " + spoken(name), was: placeOf(b), at: placeOf(a)}, b, a)
	default:
		d.value(where{subject: "the phase"}.to(spoken(name)), b, a)
	}
}

// list compares two lists of arms, cases, metrics and the like, by their names.
func (d *differ) list(name string, b, a reflect.Value) {
	noun := singular(name)
	was, is := d.keyed(noun, b, false), d.keyed(noun, a, true)
	for _, key := range was.keys {
		if v := was.byKey[key]; !is.has(key) {
			d.add(Removed, where{subject: key, was: placeOf(v)}, d.brief(v, false), "")
		}
	}
	for _, key := range is.keys {
		v := is.byKey[key]
		w := where{subject: key, at: placeOf(v)}
		if !was.has(key) {
			d.add(Added, w, "", d.brief(v, true))
			continue
		}
		w.was = placeOf(was.byKey[key])
		d.fields(w, was.byKey[key], v)
	}
	wasOrder, isOrder := was.common(is), is.common(was)
	if !slices.Equal(wasOrder, isOrder) {
		d.add(Moved, where{subject: "the " + spoken(name)}, strings.Join(wasOrder, ", "), strings.Join(isOrder, ", "))
	}
}

// members are the members of a list, by what they are known by.
type members struct {
	keys  []string
	byKey map[string]reflect.Value
}

func (m members) has(key string) bool { return m.byKey[key].IsValid() }

// common returns the keys that o has too.
func (m members) common(o members) []string {
	return slices.DeleteFunc(slices.Clone(m.keys), func(key string) bool { return !o.has(key) })
}

// keyed returns the members of a list; a second one of a key is numbered.
func (d *differ) keyed(noun string, list reflect.Value, later bool) members {
	m := members{byKey: map[string]reflect.Value{}}
	for i := range list.Len() {
		name := d.keyOf(noun, list.Index(i), later)
		key := name
		for n := 2; m.has(key); n++ {
			key = fmt.Sprintf("%s, number %d", name, n)
		}
		m.keys, m.byKey[key] = append(m.keys, key), list.Index(i)
	}
	return m
}

// keyOf names a member: `arm "old"`, `expectation audit "path"`, `gate "ns/op"`.
func (d *differ) keyOf(noun string, v reflect.Value, later bool) string {
	switch x := v.Interface().(type) {
	case Contrast:
		return fmt.Sprintf("contrast of %q with %q", x.Arm, x.Base)
	case File:
		return fmt.Sprintf("%s %q", x.Kind, d.label(x.Label, later))
	case Metric:
		return fmt.Sprintf("%s %q", x.Role, x.Unit)
	}
	words := []string{noun}
	for _, field := range []string{"kind", "name", "label", "unit", "metric", "case"} {
		f, ok := fieldNamed(v, field)
		switch {
		case !ok || f.Kind() != reflect.String || f.String() == "":
		case field == "kind":
			words = append(words, f.String())
		default:
			words = append(words, fmt.Sprintf("%q", f.String()))
		}
	}
	return strings.Join(words, " ")
}
