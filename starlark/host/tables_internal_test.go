package host

import (
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

// TestTables holds what every table must have: docs, distinct names, and defaults that their own types take.
func TestTables(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kinds {
		if seen[k.name] || k.doc == "" || len(k.params) == 0 {
			t.Errorf("%s: stands twice, or has no doc or no parameters", k.name)
		}
		seen[k.name] = true
		names := k.names()
		slices.Sort(names)
		if len(slices.Compact(names)) != len(k.params) {
			t.Errorf("%s: a parameter stands twice", k.name)
		}
		for _, p := range k.params {
			if p.doc == "" || p.typ.name == "" || strings.HasSuffix(p.doc, ".") {
				t.Errorf("%s.%s: want a line of doc without a full stop, and a type's name", k.name, p.name)
			}
			if p.required() {
				continue
			}
			e := &evaluation{entry: &file{}}
			c := &call{eval: e, kind: k}
			if got := p.typ.check(c.arg(p.name), p.value); got == nil || len(e.diags) > 0 {
				t.Errorf("%s.%s: the default %s is refused: %v", k.name, p.name, p.value, e.diags)
			}
		}
	}
}

// TestLeadingParametersAreRequired holds for what a call gives by position.
func TestLeadingParametersAreRequired(t *testing.T) {
	for _, k := range kinds {
		if k.leading && !k.params[0].required() {
			t.Errorf("%s: the leading parameter %s has a default", k.name, k.params[0].name)
		}
	}
}

// TestRecordsCompare holds that == on what constructors give neither panics nor takes two for one.
func TestRecordsCompare(t *testing.T) {
	k := kindOf("arm")
	a, b := &record{kind: k, call: &call{}}, &record{kind: k, call: &call{}}
	for _, tt := range []struct {
		x, y starlark.Value
		want bool
	}{{a, a, true}, {a, b, false}, {a, starlark.None, false}} {
		got, err := starlark.Equal(tt.x, tt.y)
		if err != nil || got != tt.want {
			t.Errorf("%p == %p: %v, %v", tt.x, tt.y, got, err)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		candidates []string
	}{
		{"base", "baseline", []string{"arms", "baseline", "cases"}},
		{"comand", "command", []string{"name", "command", "commands"}},
		{"final-remot", "final-remote", []string{"final-ordinary", "final-remote"}},
		{"metirc", "metric", []string{"metric", "constant"}},
		{"METRIC", "metric", []string{"metric"}},
		{"c", "", []string{"a", "b"}},
		{"gates", "", []string{"phase", "process"}},
		{strings.Repeat("x", 1000), "", []string{"metric"}},
	} {
		if got := nearest(tt.name, tt.candidates); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"é", "e", 1}} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestResolveLabel(t *testing.T) {
	for _, tt := range []struct{ from, written, want string }{
		{"//a/x.star", ":y.star", "//a/y.star"},
		{"//x.star", ":y.star", "//y.star"},
		{"//x.star", "//b/y.star", "//b/y.star"},
		{"//x.star", "@std//go.star", "@std//go.star"},
		{"@std//go.star", ":grid.star", "@std//grid.star"},
		{"@std//go.star", "//x.star", ""},
		{"//x.star", "y.star", ""},
		{"//x.star", "/y.star", ""},
		{"//x.star", "//../y.star", ""},
		{"//a/x.star", ":..", ""},
		{"//x.star", "//a//y.star", ""},
		{"//x.star", "//./y.star", ""},
		{"//x.star", "//", ""},
		{"//x.star", ":", ""},
		{"//x.star", "", ""},
		{"//x.star", "@std//../x.star", ""},
	} {
		got, err := resolveLabel(tt.from, tt.written)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s loads %q: %q, %v", tt.from, tt.written, got, err)
		}
	}
}

func TestBuiltinPanicsBecomeErrors(t *testing.T) {
	e := &evaluation{}
	b := starlark.NewBuiltin("broken", e.guarded(func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		panic("slip")
	}))
	_, err := starlark.Call(&starlark.Thread{}, b, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "broken: internal error: slip") {
		t.Error(err)
	}
}
