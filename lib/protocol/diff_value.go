package protocol

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fields compares two structs, field by field.
func (d *differ) fields(w where, b, a reflect.Value) {
	for i := range b.NumField() {
		name := jsonName(b.Type().Field(i))
		if name == "" {
			continue
		}
		if commands, ok := b.Field(i).Interface().(map[string]Command); ok {
			d.commands(w, commands, a.Field(i).Interface().(map[string]Command))
			continue
		}
		if name == "label" && d.renamed[a.Field(i).String()] == b.Field(i).String() {
			continue // it follows from the recipe
		}
		d.value(w.to(spoken(name)), b.Field(i), a.Field(i))
	}
}

// commands compares what each arm of a case runs; the arm is part of the subject.
func (d *differ) commands(w where, b, a map[string]Command) {
	for _, arm := range unionOfKeys(b, a) {
		was, had := b[arm]
		is, has := a[arm]
		at := where{subject: fmt.Sprintf("%s, arm %q", w.subject, arm), was: was.At, at: is.At}
		switch {
		case !had:
			d.add(Added, at.to("command"), "", d.text(reflect.ValueOf(is), true))
		case !has:
			d.add(Removed, at.to("command"), d.text(reflect.ValueOf(was), false), "")
		default:
			d.fields(at, reflect.ValueOf(was), reflect.ValueOf(is))
		}
	}
}

// value compares two values of one type, as far down as both have parts to compare.
func (d *differ) value(w where, b, a reflect.Value) {
	switch {
	case d.text(b, false) == d.text(a, true):
		return
	case b.Kind() == reflect.Pointer && !b.IsNil() && !a.IsNil():
		d.value(w, b.Elem(), a.Elem())
		return
	case b.Kind() == reflect.Struct && !isLeaf(b.Type()):
		d.fields(w, b, a)
		return
	case b.Kind() == reflect.Slice && b.Type() == reflect.TypeFor[[]Parameter]():
		d.parameters(w, b.Interface().([]Parameter), a.Interface().([]Parameter))
		return
	case b.Kind() == reflect.Map:
		for _, key := range unionOfReflected(b, a) {
			d.entry(w.to(key), b.MapIndex(reflect.ValueOf(key)), a.MapIndex(reflect.ValueOf(key)))
		}
		return
	case b.Type() == reflect.TypeFor[[]string]() && d.items(w, b.Interface().([]string), a.Interface().([]string)):
		return
	case b.Kind() == reflect.Slice && b.Len() == a.Len():
		for i := range b.Len() {
			at := w
			at.aspect += fmt.Sprintf("[%d]", i)
			d.value(at, b.Index(i), a.Index(i))
		}
		return
	}
	d.leaf(w, b, a)
}

// items compares two lists of words or sentences by what they hold. It reports false where that does not tell them
// apart.
func (d *differ) items(w where, b, a []string) bool {
	before := len(d.changes)
	w.aspect = singular(w.aspect)
	for _, s := range b {
		if !slices.Contains(a, s) {
			d.add(Removed, w, quoted(s), "")
		}
	}
	for _, s := range a {
		if !slices.Contains(b, s) {
			d.add(Added, w, "", quoted(s))
		}
	}
	return len(d.changes) > before
}

// parameters compares named values.
func (d *differ) parameters(w where, b, a []Parameter) {
	was, is := map[string]Value{}, map[string]Value{}
	var wasNames, isNames []string
	for _, p := range b {
		was[p.Name] = p.Value
		wasNames = append(wasNames, p.Name)
	}
	for _, p := range a {
		is[p.Name] = p.Value
		isNames = append(isNames, p.Name)
	}
	before := len(d.changes)
	w.aspect = strings.TrimSpace(strings.TrimSuffix(w.aspect, "params") + " parameter")
	for _, name := range unionOfKeys(was, is) {
		x, had := was[name]
		y, has := is[name]
		switch {
		case !had:
			d.add(Added, w.to(name), "", d.text(reflect.ValueOf(y), true))
		case !has:
			d.add(Removed, w.to(name), d.text(reflect.ValueOf(x), false), "")
		default:
			d.value(w.to(name), reflect.ValueOf(x), reflect.ValueOf(y))
		}
	}
	if len(d.changes) == before && !slices.Equal(wasNames, isNames) {
		w.aspect += "s"
		d.add(Moved, w, strings.Join(wasNames, ", "), strings.Join(isNames, ", "))
	}
}

// entry compares one entry of two maps; an invalid value is none.
func (d *differ) entry(w where, b, a reflect.Value) {
	switch {
	case !b.IsValid():
		d.add(Added, w, "", d.text(a, true))
	case !a.IsValid():
		d.add(Removed, w, d.text(b, false), "")
	default:
		d.value(w, b, a)
	}
}

// leaf compares what has no parts. An absent value, "" or null, is none.
func (d *differ) leaf(w where, b, a reflect.Value) {
	was, is := d.text(b, false), d.text(a, true)
	switch {
	case was == is:
	case absent(b):
		d.add(Added, w, "", is)
	case absent(a):
		d.add(Removed, w, was, "")
	default:
		d.add(Changed, w, was, is)
	}
}

func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Pointer, reflect.Interface:
		return v.IsNil()
	}
	return false
}

func unionOfKeys[V any](a, b map[string]V) []string {
	var keys []string
	for k := range a {
		keys = append(keys, k)
	}
	for k := range b {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func unionOfReflected(a, b reflect.Value) []string {
	var keys []string
	for _, k := range slices.Concat(a.MapKeys(), b.MapKeys()) {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
