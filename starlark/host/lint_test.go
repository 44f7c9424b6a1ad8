package host_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/starlark/host"
)

func TestLint(t *testing.T) {
	const calls = "\nphase(\"p\")\n"
	tests := []struct{ name, file, src, want string }{ // want: line:column of each finding and its lint
		{"unused load", "x.star", "load(\":l.star\", \"a\", b = \"c\")\n\nx = a\n", "1:22 unused-load"},
		{"load used in a function", "x.star", "load(\":l.star\", \"a\")\n\ndef f():\n    return a\n", ""},
		{"load hidden by a parameter", "x.star", "load(\":l.star\", \"a\")\n\ndef f(a):\n    return a\n", "1:18 unused-load, 3:7 shadowed-name"},
		{"global of a script that declares a phase", "x.star", "x = 1\n" + calls, "1:1 unused-global"},
		{"global of a library", "x.star", "x = 1\n", ""},
		{"private global of a library", "x.star", "_x = 1\n", "1:1 unused-global"},
		{"function that calls itself alone is used", "x.star", "def _f():\n    return _f()\n", ""},
		{"macro is a library", "x.star", "def f():\n    phase(\"p\")\n\nx = 1\n", ""},
		{"test", "x_test.star", "def test_a():\n    pass\n", ""},
		{"not a test", "x_test.star", "def tests_a():\n    pass\n", "1:5 unused-global"},
		{"loop variable at top level", "x.star", "for i in range(3):\n    print(1)\n" + calls, ""},
		{"local hides a global", "x.star", "x = 1\n\ndef f():\n    x = 2\n    return x\n", "4:5 shadowed-name"},
		{"comprehension hides a global", "x.star", "x = 1\ny = [x for x in range(3)]\n", "2:12 shadowed-name"},
		{"lambda hides a global", "x.star", "x = 1\nf = lambda x: x\n", "2:12 shadowed-name"},
		{"loop hides a builtin that is used", "x.star", "x = [case for case in [case(\"a\")]]\n", "1:15 shadowed-name"},
		{"loop hides a builtin that is not", "x.star", "def f(cases):\n    return [case for case in cases]\n", ""},
		{"parameters may be builtins", "x.star", "def f(arm, case, *, binary = None):\n    return [arm, case, binary]\n\nx = arm(\"a\")\n", ""},
		{"callbacks take both", "x.star", "def f(arm, case):\n    return arm.x\n", ""},
		{"unused variable", "x.star", "def f():\n    y = 1\n", "2:5 unused-variable"},
		{"unused parameter", "x.star", "def f(y):\n    pass\n", "1:7 unused-variable"},
		{"unreachable", "x.star", "def f():\n    return 1\n    print(2)\n", "3:5 unreachable"},
		{"some paths return", "x.star", "def f(a):\n    if a:\n        return 1\n", "1:1 return-value"},
		{"no effect", "x.star", "1 + 1\n", "1:1 no-effect"},
		{"turned off", "x.star", "x = 1  # buildifier: disable=unused-global\n" + calls, ""},
		{"turned off, another", "x.star", "x = 1  # buildifier: disable=unused-load\n" + calls, "1:1 unused-global"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := host.Lint(tt.file, []byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range found {
				at := strings.SplitN(d.Error(), ": ", 2)[0]
				got = append(got, strings.TrimPrefix(at, tt.file+":")+" "+d.What)
			}
			if d := cmp.Diff(tt.want, strings.Join(got, ", ")); d != "" {
				t.Errorf("%s\n%v", d, found)
			}
		})
	}
}

func TestLintMarksTheName(t *testing.T) {
	found, err := host.Lint("dir/x.star", []byte("load(\"@std//go.star\", \"gobench\")\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := `dir/x.star:1:24: unused-load: "gobench" is loaded and not used
    1 | load("@std//go.star", "gobench")
      |                        ^^^^^^^`
	if d := cmp.Diff(want, found.Error()); d != "" {
		t.Error(d)
	}
}

func TestLintRefuses(t *testing.T) {
	for src, want := range map[string]string{
		"x = (\n":                  "syntax",
		"x = nothing\n":            "name: undefined: nothing",
		"case = 1\n":               `name: "case" is a builtin`,
		"x = 1\nx = 2\n":           "cannot reassign global x",
		"def f():\n    assert.x\n": "it is for scripts of tests",
	} {
		_, err := host.Lint("x.star", []byte(src))
		if got := diagnostics(t, err).Error(); !strings.Contains(got, want) {
			t.Errorf("%q: %s", src, got)
		}
	}
}
