package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/starlark/host"
)

func TestFormat(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"spaces", "x=[1,2 ,3]\n", "x = [1, 2, 3]\n"},
		{"keywords", "f(a=1)\n", "f(a = 1)\n"},
		{"comments stay", "x = 1 # why\n", "x = 1  # why\n"},
		{"if on one line", "def f(a):\n  if a: return 1\n", "def f(a):\n    if a:\n        return 1\n"},
		{"loaded names are sorted", "load(\":l.star\", \"b\", \"a\")\n", "load(\":l.star\", \"a\", \"b\")\n"},
		{"empty", "", ""},
		{"names that are not bound", "x = undefined(1)\n", "x = undefined(1)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := host.Format("x.star", []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Error(d)
			}
			again, err := host.Format("x.star", got)
			if err != nil || string(again) != string(got) {
				t.Errorf("formatted again: %q, %v", again, err)
			}
		})
	}
}

func TestFormatRefuses(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"syntax", "x = (1\ny = 2\n", "x.star:2:2: syntax: got identifier, want ')'"},
		{"a foreign word", "x = 1 && 2\n", `x.star:1:8: syntax: got '&', want primary expression (did you mean "and"?)`},
		{"carriage returns", "x = 1\r\n", "x.star:1:6: syntax: a carriage return"},
		{"nesting", "x = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "\n", "x.star:1:82: syntax: excessive nesting"},
		{"a long chain", "x = a" + strings.Repeat(".b", 5000) + "\n", "expressions are nested more than 2000 deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := host.Format("x.star", []byte(tt.src))
			if out != nil {
				t.Errorf("%q", out)
			}
			if got := diagnostics(t, err).Error(); !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestFormatKeepsTheProtocol formats flat forms of drawn phases: what they declare stays.
func TestFormatKeepsTheProtocol(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		flat := host.Print(drawPhase(rt))
		out, err := host.Format("x.star", flat)
		if err != nil {
			rt.Fatalf("%v\n%s", err, flat)
		}
		s, err := evalText(t, string(out), host.Options{})
		if err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		if d := cmp.Diff(string(flat), string(host.Print(s.Phases[0]))); d != "" {
			rt.Fatal(d)
		}
	})
}

// TestOurScriptsAreFormattedAndClean holds the examples and the standard library to fmt and lint.
func TestOurScriptsAreFormattedAndClean(t *testing.T) {
	paths, err := host.FindScripts([]string{"../../examples", "../std"})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out, err := host.Format(path, src)
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(string(src), string(out)); d != "" {
			t.Errorf("phaselock fmt %s: %s", filepath.Clean(path), d)
		}
		found, err := host.Lint(path, src)
		if err != nil || len(found) > 0 {
			t.Error(found, err)
		}
	}
}

// FuzzFormat: nothing panics, and what comes back is formatted.
func FuzzFormat(f *testing.F) {
	for _, s := range []string{"x = 1", "def f(a, *, b = 1):\n  return [y for y in a if y]", "load(':x', 'a')", "x = ((1))", "if x:\n pass\nelse:\n pass"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, err := host.Format("x.star", src)
		if err != nil {
			diagnostics(t, err)
			return
		}
		again, err := host.Format("x.star", out)
		if err != nil {
			t.Fatalf("%v\n%q\n%q", err, src, out)
		}
		if third, err := host.Format("x.star", again); err != nil || string(third) != string(again) {
			t.Fatalf("not stable: %q, %q, %q", src, again, third)
		}
		if _, err := host.Lint("x.star", src); err != nil {
			diagnostics(t, err)
		}
	})
}
