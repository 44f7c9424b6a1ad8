package protocol

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// isLeaf reports whether values of a type are shown whole.
func isLeaf(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Arg](), reflect.TypeFor[Value](), reflect.TypeFor[Duration](), reflect.TypeFor[Place]():
		return true
	}
	return false
}

// text shows a value in the form of plan.json, without places and absent fields. A build that is known by another
// label in the later phase has its earlier one there too.
func (d *differ) text(v reflect.Value, later bool) string {
	switch x := v.Interface().(type) {
	case Arg:
		if x.File != "" {
			return fmt.Sprintf("file %q", d.label(x.File, later))
		}
		return quoted(x.Text)
	case FileRef:
		return fmt.Sprintf("file %q", d.label(string(x), later))
	case Value:
		switch x := x.V.(type) {
		case nil:
			return "None"
		case float64:
			return FormatFloat(x) // 1.0 and 1 are two values
		}
		return d.text(reflect.ValueOf(x.V), later)
	case Duration:
		return x.String()
	case *big.Int:
		return x.String()
	case float64:
		return strings.TrimSuffix(FormatFloat(x), ".0")
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case Dict:
		return d.joined("{", "}", len(x), func(i int) string {
			return d.text(reflect.ValueOf(x[i].Key), later) + ": " + d.text(reflect.ValueOf(x[i].Value), later)
		})
	case Tuple:
		return d.joined("(", ")", len(x), func(i int) string { return d.text(reflect.ValueOf(x[i]), later) })
	}
	switch v.Kind() {
	case reflect.String:
		return quoted(v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return "none"
		}
		return d.text(v.Elem(), later)
	case reflect.Slice:
		return d.joined("[", "]", v.Len(), func(i int) string { return d.text(v.Index(i), later) })
	case reflect.Map:
		keys := unionOfReflected(v, v)
		return d.joined("{", "}", len(keys), func(i int) string {
			return quoted(keys[i]) + ": " + d.text(v.MapIndex(reflect.ValueOf(keys[i])), later)
		})
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			name := jsonName(v.Type().Field(i))
			if name != "" && !v.Field(i).IsZero() {
				parts = append(parts, spoken(name)+" "+d.text(v.Field(i), later))
			}
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(v.Interface())
}

func (d *differ) joined(open, end string, n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return open + strings.Join(items, ", ") + end
}

// brief says what a member of a list is, where its name does not: all of it but for arms and cases, which are long.
func (d *differ) brief(v reflect.Value, later bool) string {
	switch x := v.Interface().(type) {
	case Case, Arm, Contrast:
		return ""
	case File:
		if x.Build != nil {
			return d.text(reflect.ValueOf(*x.Build), later)
		}
		return x.SHA256
	}
	return d.text(v, later)
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// label returns the label by which a file was known in the earlier phase.
func (d *differ) label(label string, later bool) string {
	if was, ok := d.renamed[label]; ok && later {
		return was
	}
	return label
}

// renamedBuilds pairs builds of one package whose recipes differ, and so their labels: where each phase has one that
// the other has not.
func renamedBuilds(before, after []File) map[string]string {
	type program struct {
		pkg  string
		test bool
	}
	alone := func(files, others []File) map[program][]string {
		found := map[program][]string{}
		for _, f := range files {
			known := slices.ContainsFunc(others, func(o File) bool { return o.Label == f.Label })
			if f.Build != nil && !known {
				p := program{f.Build.Package, f.Build.Test}
				found[p] = append(found[p], f.Label)
			}
		}
		return found
	}
	was, is := alone(before, after), alone(after, before)
	renamed := map[string]string{}
	for p, labels := range is {
		if len(labels) == 1 && len(was[p]) == 1 {
			renamed[labels[0]] = was[p][0]
		}
	}
	return renamed
}

// within returns a copy of p in which what is said of arms, and of cases, that the other phase has not is left out.
func (p *Phase) within(other *Phase) *Phase {
	q := *p
	known := func(arm string) bool { return other.Arm(arm) != nil }
	q.Contrasts = slices.DeleteFunc(slices.Clone(p.Contrasts), func(c Contrast) bool { return !known(c.Arm) || !known(c.Base) })
	q.Cases = slices.Clone(p.Cases)
	for i := range q.Cases {
		c := &q.Cases[i]
		c.Arms = slices.DeleteFunc(slices.Clone(c.Arms), func(a string) bool { return !known(a) })
		commands := map[string]Command{}
		for arm, cmd := range c.Commands {
			if known(arm) {
				commands[arm] = cmd
			}
		}
		c.Commands = commands
	}
	q.Metrics = slices.Clone(p.Metrics)
	for i := range q.Metrics {
		var equals map[string]float64
		for name, v := range q.Metrics[i].Equals {
			if other.Case(name) != nil {
				if equals == nil {
					equals = map[string]float64{}
				}
				equals[name] = v
			}
		}
		q.Metrics[i].Equals = equals
	}
	return &q
}

// jsonName returns the name of a field in plan.json; "" for places and what is not there.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || f.Type == reflect.TypeFor[Place]() {
		return ""
	}
	return name
}

func fieldNamed(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if jsonName(v.Type().Field(i)) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func placeOf(v reflect.Value) Place {
	for i := range v.NumField() {
		if at, ok := v.Field(i).Interface().(Place); ok {
			return at
		}
	}
	return Place{}
}

// spoken is a JSON name as a sentence says it.
func spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }

// singular returns the noun for a member of a list.
func singular(name string) string {
	if name == "expect" {
		return "expectation"
	}
	return strings.TrimSuffix(spoken(name), "s")
}
