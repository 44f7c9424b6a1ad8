package host_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"pgregory.net/rapid"
)

// printed evaluates a script that prints, and returns the lines; the script declares no phase, which is its only error.
func printed(t testing.TB, script string) []string {
	t.Helper()
	var lines []string
	_, err := evalText(t, script, host.Options{Print: func(_, msg string) { lines = append(lines, msg) }})
	if ds := diagnostics(t, err); len(ds) != 1 || !strings.Contains(ds[0].Message, "declares no phase") {
		t.Fatal(err)
	}
	return lines
}

func TestBenchPattern(t *testing.T) {
	tests := []struct{ name, want string }{
		{"BenchmarkX", "^BenchmarkX$"},
		{"BenchmarkX/rows10", "^BenchmarkX$/^rows10$"},
		{"BenchmarkX/a.b(c)|d", `^BenchmarkX$/^a\.b\(c\)\|d$`},
		{`BenchmarkX/a\b`, `^BenchmarkX$/^a\\b$`},
		{"BenchmarkX/a b", "^BenchmarkX$/^a_b$"},
		{"BenchmarkX/[1]{2}^$*+?", `^BenchmarkX$/^\[1\]\{2\}\^\$\*\+\?$`},
		{"BenchmarkX/a\tb\x01\x07\x7f", `^BenchmarkX$/^a_b\\x01\\a\\x7f$`},
		{"BenchmarkX/é\u2003ü", "^BenchmarkX$/^é_ü$"},
	}
	for _, tt := range tests {
		got := printed(t, fmt.Sprintf("load(\"@std//go.star\", \"bench_pattern\")\nprint(bench_pattern(%s))\n", starlarkQuote(tt.name)))
		if d := cmp.Diff([]string{tt.want}, got); d != "" {
			t.Errorf("%q: %s", tt.name, d)
		}
	}
}

func starlarkQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// TestBenchPatternMatchesItsNameAlone draws names of printable characters: each element of the pattern matches the
// element of the name and no longer one.
func TestBenchPatternMatchesItsNameAlone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		element := rapid.StringMatching(`[!-.0-~]{1,8}`)
		name := "BenchmarkX/" + element.Draw(rt, "a") + "/" + element.Draw(rt, "b")
		got := printed(t, fmt.Sprintf("load(\"@std//go.star\", \"bench_pattern\")\nprint(bench_pattern(%s))\n", starlarkQuote(name)))[0]
		want := "^" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
		if got != want {
			rt.Fatalf("got %s, want %s", got, want)
		}
	})
}

func TestGobenchTakesBuiltBinaries(t *testing.T) {
	s, err := evalText(t, fmt.Sprintf(strings.Replace(okScript, "command = run", "command = bench", 1), `
load("@std//go.star", "gobench", "go_metrics")
old, new = go_test("./sort", ref = "v1"), go_test("./sort")
def bench(arm, case):
    return gobench(old if arm.name == "a" else new, "BenchmarkSort/" + case.name, args = ["-x"], env = {"GOGC": "off"}, dir = "sort")
`), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Phases[0]
	if len(p.Files) != 2 || p.Files[0].Kind != protocol.KindGoTest || p.Files[0].Label == p.Files[1].Label {
		t.Fatalf("files %+v", p.Files)
	}
	cmd := p.Cases[0].Commands["a"]
	f := p.File(cmd.Argv[0].File)
	if f == nil || f.Build.Ref != "v1" || !f.Build.Test || f.Label != f.Build.Label() {
		t.Errorf("file %+v", f)
	}
	var argv []string
	for _, a := range cmd.Argv[1:] {
		argv = append(argv, a.Text)
	}
	want := []string{"-test.bench=^BenchmarkSort$/^one$", "-x", "-test.count=1", "-test.run=^$", "-test.benchmem"}
	if d := cmp.Diff(want, argv); d != "" {
		t.Error(d)
	}
	if cmd.Dir != "sort" || cmd.Env["GOGC"] != "off" || !cmp.Equal(cmd.Names, []string{"BenchmarkSort/one"}) {
		t.Errorf("%+v", cmd)
	}
}

func TestGoMetrics(t *testing.T) {
	s, err := evalText(t, fmt.Sprintf(strings.Replace(okScript, `[metric("ns/op", better = "lower")]`, "go_metrics()", 1), `load("@std//go.star", "go_metrics")`), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	difference := &protocol.Estimand{Kind: protocol.BlockDifference, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95}}
	want := []protocol.Metric{
		{Unit: "ns/op", Role: "metric", Better: "lower"},
		{Unit: "B/op", Role: "metric", Better: "lower", Estimand: difference},
		{Unit: "allocs/op", Role: "metric", Better: "lower", Estimand: difference},
	}
	if d := cmp.Diff(want, s.Phases[0].Metrics, ignorePlaces); d != "" {
		t.Error(d)
	}
	if at := s.Phases[0].Metrics[0].At; at.File != "@std//go.star" || len(at.Callers) == 0 || at.Callers[len(at.Callers)-1].File != "x.star" {
		t.Errorf("at %v, callers %v", at, at.Callers)
	}
}

func TestGrid(t *testing.T) {
	got := printed(t, `
load("@std//grid.star", "flags", "grid", "slug", "where")
points = grid(rows = [10, 1000], dir = ["forward", "reverse"])
print(points)
print([slug("scan", **p) for p in where(points, lambda p: p.rows < 1000 or p.dir == "forward")])
print(slug("A b", cold = True, warm = False, ratio = 0.5, none = None))
print(flags(rows = 10, cold = True, warm = False, block_size = 0.5, tag = ["a", "b"]))
print(grid())
`)
	want := []string{
		`[{"rows": 10, "dir": "forward"}, {"rows": 10, "dir": "reverse"}, {"rows": 1000, "dir": "forward"}, {"rows": 1000, "dir": "reverse"}]`,
		`["scan-rows10-dirforward", "scan-rows10-dirreverse", "scan-rows1000-dirforward"]`,
		`a-b-cold-ratio0.5`,
		`["--rows=10", "--cold", "--block-size=0.5", "--tag=a", "--tag=b"]`,
		`[{}]`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestChecks(t *testing.T) {
	s, err := evalText(t, fmt.Sprintf(strings.NewReplacer(
		"command = run,", `command = run, checks = usual_checks("prefix-B", on = "invalid"), expect = go_passes(),`,
		`better = "lower")]`, `better = "lower"), rows(), constant("prefix-B", confound = "prefix")]`,
		`case("one"), case("two")`, `case("one", returned = 3), case("two", returned = 4)`,
	).Replace(okScript), `load("@std//checks.star", "go_passes", "rows", "usual_checks")`), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Phases[0]
	if d := cmp.Diff([]protocol.Check{{Kind: "complete", On: "invalid"}, {Kind: "prefix_confound", Metric: "prefix-B", On: "invalid"}}, p.Checks, ignorePlaces); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]float64{"one": 3, "two": 4}, p.Metric("rows/op").Equals); d != "" {
		t.Error(d)
	}
	if len(p.Expect) != 2 || p.Expect[1].Matches != "(?m)^PASS$" {
		t.Errorf("%+v", p.Expect)
	}
}

func TestStdErrors(t *testing.T) {
	tests := []struct{ call, want string }{
		{`gobench(binary("b"), "Sort")`, `gobench: want the whole name of a benchmark, "BenchmarkFetch/rows=10", got "Sort"`},
		{`gobench(binary("b"), "BenchmarkX//y")`, `gobench: an element of "BenchmarkX//y" is empty`},
		{`grid(rows = 10)`, `grid: rows: want a list of values, got a int`},
		{`grid(rows = [])`, `grid: rows is empty`},
		{`where(grid(a = [1]), lambda p: False)`, `where: no combination is left of 1`},
		{`slug()`, `slug: nothing to make a name of`},
	}
	for _, tt := range tests {
		_, err := evalText(t, "load(\"@std//go.star\", \"gobench\")\nload(\"@std//grid.star\", \"grid\", \"slug\", \"where\")\nx = "+tt.call+"\n", host.Options{})
		ds := diagnostics(t, err)
		if !strings.HasPrefix(ds[0].Message, tt.want) {
			t.Errorf("%s: %v", tt.call, ds)
		}
		if n := len(ds[0].Callers); n == 0 || ds[0].Callers[n-1].File != "x.star" {
			t.Errorf("%s: callers %v", tt.call, ds[0].Callers)
		}
	}
}
