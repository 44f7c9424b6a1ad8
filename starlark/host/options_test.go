package host_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
)

// okScript declares a good phase; %s is put before it.
const okScript = `%s
def run(arm, case):
    return command(["bin/tool", arm.name, case.name], format = "json")

phase(
    "ok",
    question = "Which is faster?",
    arms = [arm("a"), arm("b")],
    cases = [case("one"), case("two")],
    command = run,
    design = counterbalanced(blocks = 6, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(0.95)),
)
`

// tree writes files below a new folder and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestParams(t *testing.T) {
	script := fmt.Sprintf(okScript, `
quick = param("quick", default = False)
workers = param("workers", default = 8)
scale = param("scale", default = 0.5)
label = param("label", default = "x")
again = param("workers", default = 8)
print(quick, workers, scale, label, again)
`)
	tests := []struct {
		name string
		set  map[string]string
		want string // what is printed, or what the error holds
	}{
		{"defaults", nil, "False 8 0.5 x 8"},
		{"typed by the default", map[string]string{"quick": "true", "workers": "32", "scale": "2", "label": "7"}, "True 32 2.0 7 32"},
		{"not a bool", map[string]string{"quick": "yes"}, `param "quick": --set quick=yes: want true or false`},
		{"not an int", map[string]string{"workers": "1.5"}, `--set workers=1.5: want an int`},
		{"not a number", map[string]string{"scale": "NaN"}, `--set scale=NaN: want a finite number`},
		{"unknown", map[string]string{"quik": "true"}, `--set: no parameter "quik" (did you mean "quick"?); there are quick, workers, scale, label`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var printed string
			s, err := evalText(t, script, host.Options{Params: tt.set, Print: func(pos, msg string) { printed = pos + " " + msg }})
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if want := "x.star:7:1 " + tt.want; printed != want {
				t.Errorf("printed %q, want %q", printed, want)
			}
			if d := cmp.Diff(s.Params, s.Phases[0].Params); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParamsAreInThePhase(t *testing.T) {
	s, err := evalText(t, fmt.Sprintf(okScript, `param("n", default = 8)`), host.Options{Params: map[string]string{"n": "9"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []protocol.Parameter{{Name: "n", Value: protocol.Int(9)}}
	if d := cmp.Diff(want, s.Phases[0].Params); d != "" {
		t.Error(d)
	}
}

func TestSources(t *testing.T) {
	root := tree(t, map[string]string{
		"sub/x.star":   fmt.Sprintf(okScript, `load("//lib/y.star", "y")`),
		"lib/y.star":   "load(\":z.star\", \"z\")\ny = z\n",
		"lib/z.star":   "load(\"@std//s.star\", \"s\")\nz = s\n",
		"lib/not.star": "z = 1\n",
	})
	lib := fstest.MapFS{"s.star": {Data: []byte("s = 1\n")}}
	s, err := host.Eval(context.Background(), filepath.Join(root, "sub/x.star"), host.Options{Root: root, Std: lib})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, src := range s.Sources {
		sum := sha256.Sum256(src.Bytes)
		if src.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: digest", src.Label)
		}
		got = append(got, src.Label)
	}
	if d := cmp.Diff([]string{"//lib/y.star", "//lib/z.star", "//sub/x.star", "@std//s.star"}, got); d != "" {
		t.Error(d)
	}
	if s.Entry != "//sub/x.star" {
		t.Errorf("entry %s", s.Entry)
	}
}

func TestClosureErrors(t *testing.T) {
	ok := func(head string) string { return fmt.Sprintf(okScript, head) }
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{
			"cycle",
			map[string]string{"x.star": ok(`load(":a.star", "a")`), "a.star": `load(":b.star", "a")`, "b.star": `load(":a.star", "a")`},
			"b.star:1:6: load: cycle: //a.star loads //b.star loads //a.star\n    1 | load(\":a.star\", \"a\")\n      |      ^^^^^^^^^\n  loaded at a.star:1:6\n  loaded at x.star:1:6",
		},
		{
			"syntax of a library",
			map[string]string{"x.star": ok(`load(":a.star", "a")`), "a.star": "a = (\n"},
			"a.star:2:1: syntax: got end of file, want primary expression\n  loaded at x.star:1:6",
		},
		{
			"a library that fails",
			map[string]string{"x.star": ok(`load(":a.star", "a")`), "a.star": "def f():\n    fail(\"no\")\n\na = f()\n"},
			"a.star:2:5: fail: no\n    2 |     fail(\"no\")\n      |     ^^^^^^^^^^\n  called at a.star:4:5 in <toplevel>\n  loaded at x.star:1:6",
		},
		{
			"a library whose constructor is refused",
			map[string]string{"x.star": ok(`load(":a.star", "a")`), "a.star": "a = arm(3)\n"},
			"a.star:1:9: arm: name: want a string, got 3\n    1 | a = arm(3)\n      |         ^\n  loaded at x.star:1:6",
		},
		{
			"a library that calls phase",
			map[string]string{"x.star": `load(":a.star", "a")`, "a.star": ok("a = 1")},
			"a.star:5:1: phase: a script that calls phase() can't be loaded; put the call in a function, def declare(): phase(...), and call that in the entry script",
		},
		{"byte order mark", map[string]string{"x.star": "\xef\xbb\xbfx = 1\n"}, "x.star:1:1: syntax: the file starts with a byte order mark"},
		{"carriage return", map[string]string{"x.star": "x = 1\ny = 2\r\n"}, "x.star:2:6: syntax: a carriage return"},
		{"not UTF-8", map[string]string{"x.star": "x = 'é\xff'\n"}, "x.star:1:7: syntax: byte 0xff is not UTF-8"},
		{"UTF-16", map[string]string{"x.star": "\xff\xfex\x00"}, "byte order mark"},
		{"NUL", map[string]string{"x.star": "x = 1 \x00\n"}, "x.star:1:7: syntax: a NUL byte"},
		{"too large", map[string]string{"x.star": "#" + strings.Repeat("x", 1<<20) + "\n"}, "x.star: //x.star is larger than 1048576 bytes"},
		{"no phase", map[string]string{"x.star": "x = 1\n"}, "x.star: the script declares no phase"},
		{"no library", map[string]string{"x.star": `load("@std//go.star", "gobench")`}, "x.star:1:6: load: there is no standard library here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := tree(t, tt.files)
			_, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{})
			if got := diagnostics(t, err).Error(); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestMacroOfALibraryMayCallPhase(t *testing.T) {
	macro := "def declare():\n" + strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf(okScript, "")), "\n", "\n    ")
	macro = strings.Replace(macro, "\ndef run", "\n    def run", 1)
	root := tree(t, map[string]string{"x.star": "load(\":m.star\", \"declare\")\n\ndeclare()\n", "m.star": macro + "\n"})
	s, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := s.Phases[0].At
	if want := []protocol.Frame{{File: "x.star", Line: 3, Col: 1, Func: "<toplevel>"}}; at.File != "m.star" || !cmp.Equal(want, at.Callers) {
		t.Errorf("at %v, callers %v", at, at.Callers)
	}
}

func TestLinksOutOfTheRootAreRefused(t *testing.T) {
	outside := tree(t, map[string]string{"a.star": "a = 1\n"})
	root := tree(t, map[string]string{"x.star": fmt.Sprintf(okScript, `load(":a.star", "a")`)})
	if err := os.Symlink(filepath.Join(outside, "a.star"), filepath.Join(root, "a.star")); err != nil {
		t.Skip(err)
	}
	_, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{})
	if got := diagnostics(t, err)[0].Error(); !strings.HasPrefix(got, `x.star:1:6: load: //a.star: path escapes`) {
		t.Error(got)
	}
}

func TestEntryIsResolvedFirst(t *testing.T) {
	root := tree(t, map[string]string{"real/x.star": fmt.Sprintf(okScript, `load(":a.star", "a")`), "real/a.star": "a = 1\n", "elsewhere/y": ""})
	link := filepath.Join(root, "elsewhere/link.star")
	if err := os.Symlink(filepath.Join(root, "real/x.star"), link); err != nil {
		t.Skip(err)
	}
	s, err := host.Eval(context.Background(), link, host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(s.Root) != "real" || s.Entry != "//x.star" {
		t.Errorf("root %s, entry %s", s.Root, s.Entry)
	}
}

func TestEntryThatCannotBeRead(t *testing.T) {
	root := tree(t, map[string]string{"a/x.star": "", "b/y.star": ""})
	for name, o := range map[string]host.Options{"a/none.star": {}, "a/x.star": {Root: filepath.Join(root, "b")}} {
		_, err := host.Eval(context.Background(), filepath.Join(root, name), o)
		var ds host.Diagnostics
		if err == nil || errors.As(err, &ds) {
			t.Errorf("%s: got %v, want an error that is not the script's", name, err)
		}
	}
}

func TestOneBudgetForTheClosure(t *testing.T) {
	root := tree(t, map[string]string{
		"x.star": fmt.Sprintf(okScript, "load(\":a.star\", \"f\")\nf()"),
		"a.star": "def f():\n    for i in range(3000):\n        pass\n\nf()\n",
	})
	for steps, ok := range map[uint64]bool{100_000: true, 20_000: false} {
		_, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{MaxSteps: steps})
		if (err == nil) != ok {
			t.Errorf("%d steps: %v", steps, err)
		}
		if err != nil && !strings.Contains(err.Error(), "a.star:2:5: the scripts took more than 20000 steps") {
			t.Error(err)
		}
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("time is up"))
	root := tree(t, map[string]string{"x.star": "def f():\n    for i in range(1000000000):\n        pass\n\nf()\n"})
	_, err := host.Eval(ctx, filepath.Join(root, "x.star"), host.Options{MaxSteps: 1 << 62})
	if err == nil || !strings.Contains(err.Error(), "evaluation was stopped: time is up") {
		t.Error(err)
	}
}

func TestDiagnoseMarksTheArgument(t *testing.T) {
	s, err := evalText(t, fmt.Sprintf(okScript, ""), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Phases[0]
	ds := s.Diagnose(protocol.Problems{
		{At: p.Design.At, What: "counterbalanced", Message: "blocks: 6 cannot be balanced"},
		{At: p.Arms[1].At, What: `arm "b"`, Message: "broken"},
		{At: protocol.Place{File: "gone.star", Line: 3, Col: 4}, Message: "elsewhere"},
	})
	want := `x.star:11:30: counterbalanced: blocks: 6 cannot be balanced
   11 |     design = counterbalanced(blocks = 6, seed = 1),
      |                              ^^^^^^^^^^
x.star:8:23: arm "b": broken
    8 |     arms = [arm("a"), arm("b")],
      |                       ^^^
gone.star:3:4: elsewhere`
	if d := cmp.Diff(want, ds.Error()); d != "" {
		t.Error(d)
	}
}

func TestDiagnosticsAsJSON(t *testing.T) {
	_, err := evalText(t, "def f():\n    arm(3)\n\nf()\n", host.Options{})
	b, err := json.Marshal(diagnostics(t, err))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"file":"x.star","line":2,"col":9,"end_col":10,"what":"arm","message":"name: want a string, got 3","text":"    arm(3)","callers":[{"file":"x.star","line":4,"col":1,"func":"\u003ctoplevel\u003e"}]}]`
	if d := cmp.Diff(want, string(b)); d != "" {
		t.Error(d)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	_, err := evalText(t, "x = ["+strings.Repeat("1, ", 1000)+"arm(3), "+strings.Repeat("1, ", 1000)+"]\n", host.Options{})
	lines := strings.Split(diagnostics(t, err)[0].String(), "\n")
	if len(lines) != 3 || len([]rune(lines[1])) > 220 {
		t.Fatalf("%q", lines)
	}
	caret := strings.IndexByte(lines[2], '^')
	if got := []rune(lines[1])[caret]; got != '3' {
		t.Errorf("the caret stands under %q:\n%s\n%s", got, lines[1], lines[2])
	}
}
