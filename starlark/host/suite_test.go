package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// plannedRun stands for what a planner gives.
type plannedRun struct {
	Number int               `json:"run"`
	Argv   []protocol.Arg    `json:"argv"`
	CPUs   string            `json:"cpus,omitempty"`
	Env    map[string]string `json:"env"`
	Hidden string            `json:"-"` // no field of a script
}

func planFirst(s *host.Script, p *protocol.Phase) (*host.Planned, error) {
	if p.Name == "unplannable" {
		return nil, s.Diagnose(protocol.Problems{{At: p.Design.At, What: "counterbalanced", Message: "blocks: 3 cannot be balanced"}})
	}
	c := p.Cases[0]
	return &host.Planned{Digest: "d1", Runs: []any{&plannedRun{Number: 1, Argv: c.Commands[c.Arms[0]].Argv, Env: map[string]string{"B": "2", "A": "1"}}}}, nil
}

const planScript = `
quick = param("quick", default = False)
workers = param("workers", default = 8)

def run(arm, case):
    return command([binary("bin/x"), "-n=%d" % workers, arm.word, str(case.rows)], format = "process")

phase(
    "NAME",
    question = "q?",
    arms = [arm("a", word = "x"), arm("b", word = "y")],
    cases = [case("one", rows = 10)],
    command = run,
    design = counterbalanced(blocks = 2 if quick else 6, seed = 1),
    metrics = [metric("wall-ns", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
)
`

// suite writes a script of tests, with scripts beside it, and runs its tests.
func suite(t *testing.T, text string, o host.TestOptions) ([]host.TestResult, error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"x_test.star":       text,
		"p.star":            strings.Replace(planScript, "NAME", "p", 1),
		"unplannable.star":  strings.Replace(planScript, "NAME", "unplannable", 1),
		"two.star":          strings.Replace(planScript, "NAME", "p", 1) + "phase(" + strings.SplitN(strings.Replace(planScript, "NAME", "q", 1), "phase(", 2)[1],
		"lib.star":          "def double(x):\n    return 2 * x\n",
		"asserting.star":    "def f():\n    assert.eq(1, 1)\n",
		"support_test.star": "def same(a, b):\n    assert.eq(a, b)\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o.Std, o.Plan = std.FS, planFirst
	return host.Test(context.Background(), filepath.Join(root, "x_test.star"), o)
}

// TestOneTest runs the body of one test; want is what its failures say, in their order, empty where it passes.
func TestOneTest(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"equal", `assert.eq([1, (2, "x")], [1, (2, "x")])`, ``},
		{"int and float are equal", `assert.eq(1, 1.0)`, ``},
		{"not equal", `assert.eq(1, 2)`, `x_test.star:5:5: test_x: assert.eq: got 1, want 2`},
		{"an element", `assert.eq([1, 2, 3], [1, 5, 3])`, `assert.eq: at \[1\]: got 2, want 5`},
		{"an element too many", `assert.eq([1, 2], [1])`, `assert.eq: at \[1\]: got 2, want nothing`},
		{"a field in an entry", `assert.eq({"a": struct(b = "x")}, {"a": struct(b = "y")})`, `assert.eq: at \["a"\]\.b: got "x", want "y"`},
		{"a missing entry", `assert.eq({}, {"a": 1})`, `assert.eq: at \["a"\]: got nothing, want 1`},
		{"list and tuple", `assert.eq([1], (1,))`, `assert.eq: got \[1\], want \(1,\)`},
		{"a list in itself", "y = []\n    y.append(y)\n    assert.eq(y, [[1]])", `assert.eq: at \[0\]\[0\]: got \[\[\.\.\.\]\], want 1`},
		{"ne", `assert.ne(1, 2)`, ``},
		{"ne of equals", `assert.ne("a", "a")`, `assert.ne: both are "a"`},
		{"true", `assert.true([0])`, ``},
		{"not true", `assert.true(1 > 2)`, `assert.true: got False`},
		{"not true, with a message", `assert.true(0, "no rows")`, `assert.true: no rows`},
		{"contains", "assert.contains(\"abc\", \"b\")\n    assert.contains({\"k\": 1}, \"k\")\n    assert.contains((1, 2), 2)", ``},
		{"contains not", `assert.contains(["a"], "b")`, `assert.contains: "b" is not in \["a"\]`},
		{"contains in what holds nothing", `assert.contains(3, 1)`, `assert.contains: .*in`},
		{"fails", `assert.fails(lambda: fail("no", 3), "^fail: no 3$")`, ``},
		{"fails in a builtin", `assert.fails(lambda: [][1], "out of range")`, ``},
		{"fails in a constructor", `assert.fails(lambda: metric("ns/op", better = 3), 'metric: better: want "lower" or "higher", got 3')`, ``},
		{"fails in an assertion", `assert.fails(lambda: assert.eq(1, 2), "got 1, want 2")`, ``},
		{"does not fail", `assert.fails(lambda: 1, "x")`, `assert.fails: a lambda did not fail`},
		{"fails otherwise", `assert.fails(lambda: fail("a"), "^b$")`, `assert.fails: a lambda failed, and "\^b\$" is not in its message: fail: a`},
		{"no pattern", `assert.fails(lambda: fail("a"), "(")`, `assert.fails: pattern: error parsing regexp`},
		{"a constructor", `metric("ns/op", better = 3)`, `x_test.star:5:21: metric: better: want "lower" or "higher", got 3`},
		{"its value used", `metric("ns/op", better = 3).better`, `metric: better: want`},
		{"no such assertion", `assert.equal(1, 1)`, `test_x: module has no .equal`},
		{"an error", `double("a" // 2)`, `test_x: unknown binary op: string // int`},
		{"a phase", `phase("p")`, `phase: tests declare no phase; plan_of`},
		{"frozen globals", `shared.append(1)`, `append: cannot append to frozen list`},
		{"a loaded function", `assert.eq(double(2), 4)`, ``},
		{"a callback's command", `assert.eq(command(["echo", "x"], format = "process").argv, ["echo", "x"])`, ``},
		{"endless", "for i in range(1 << 60):\n        pass", `the scripts took more than 10000000 steps`},
		{"endless and caught", "assert.fails(lambda: [x for x in range(1 << 60)], \"steps\")\n    assert.eq(1, 1)", `took more than 10000000 steps`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			results, err := suite(t, "load(\":lib.star\", \"double\")\nshared = []\n\ndef test_x():\n    "+tt.body+"\n    double(1)\n", host.TestOptions{})
			if err != nil || len(results) != 1 {
				t.Fatal(results, err)
			}
			first := ""
			if f := results[0].Failures; len(f) > 0 {
				first = f[0].Error()
			}
			if (tt.want == "") != (first == "") || !regexp.MustCompile(tt.want).MatchString(first) {
				t.Errorf("%q, want %s", first, tt.want)
			}
		})
	}
}

// TestPlanOf holds what a script sees of a plan.
func TestPlanOf(t *testing.T) {
	results, err := suite(t, `
def test_fields():
    p = plan_of(":p.star")
    assert.eq((p.name, p.question, p.blocks, p.digest), ("p", "q?", 6, "d1"))
    assert.eq([arm.name for arm in p.arms], ["a", "b"])
    assert.eq(p.arms[0].params, {"word": "x"})
    assert.eq((p.arms[0].cpus, p.arms[0].control), ("", False))
    assert.eq(p.cases[0].params, {"rows": 10})
    assert.eq(p.cases[0].commands["b"].argv, ["bin/x", "-n=8", "y", "10"])
    assert.eq([(c.arm, c.base) for c in p.contrasts], [("b", "a")])
    assert.eq((p.design.kind, p.design.seed), ("counterbalanced", 1))
    assert.eq((p.metrics[0].unit, p.metrics[0].estimand), ("wall-ns", None))
    assert.eq(p.estimand.interval.level, 0.95)
    assert.eq(p.process.timeout, "10m0s")
    assert.eq((p.process.aslr, p.process.nice), (None, None))
    assert.eq(p.params, {"quick": False, "workers": 8})
    assert.eq(p.files[0].label, "bin/x")
    run = p.runs[0]
    assert.eq((run.run, run.argv[0], run.cpus), (1, "bin/x", ""))
    assert.eq(run.env, {"A": "1", "B": "2"})
    assert.eq(dir(run), ["argv", "cpus", "env", "run"])
    assert.fails(lambda: p.at, "no .at")
    assert.fails(lambda: p.runs.append(1), "frozen")

def test_params():
    p = plan_of("//p.star", quick = True, workers = 3)
    assert.eq(p.blocks, 2)
    assert.eq(p.cases[0].commands["a"].argv[1], "-n=3")

def test_several_phases():
    assert.eq(plan_of(":two.star", "q").name, "q")
    assert.fails(lambda: plan_of(":two.star"), 'two.star: it declares 2 phases; choose one, plan_of\\(label, "p"\\)')
    assert.fails(lambda: plan_of(":two.star", "r"), 'no phase "r"; there is "p" or "q"')

def test_refusals():
    assert.fails(lambda: plan_of(":p.star", quick = "perhaps"), "p.star:2:\\d+: param .*want true or false")
    assert.fails(lambda: plan_of(":p.star", quik = True), 'no parameter "quik" .did you mean "quick"')
    assert.fails(lambda: plan_of(":p.star", quick = []), "plan_of: quick: want a bool, int, float or string, got a list")
    assert.fails(lambda: plan_of(":lib.star"), "declares no phase")
    assert.fails(lambda: plan_of(":none.star"), "none.star does not exist")
    assert.fails(lambda: plan_of("//../p.star"), "elements")
    assert.fails(lambda: plan_of("p.star"), "bare names")
    assert.fails(lambda: plan_of(":unplannable.star"), "unplannable.star:14:30: counterbalanced: blocks: 3 cannot be balanced")
    assert.fails(lambda: plan_of(), "plan_of: got 0 arguments, want at least 1")
`, host.TestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.Failures) > 0 {
			t.Errorf("%s: %v", r.Name, r.Failures)
		}
	}
	if len(results) != 4 {
		t.Errorf("%d tests", len(results))
	}
}

// TestPlanOfFails shows what is wrong with the other script where that stands, and who asked for it.
func TestPlanOfFails(t *testing.T) {
	results, err := suite(t, "def test_x():\n    plan_of(\":p.star\", quick = \"perhaps\")\n", host.TestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := `x_test.star:2:5: test_x: plan_of: //p.star is refused, with 1 error
    2 |     plan_of(":p.star", quick = "perhaps")
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
p.star:2:15: param "quick": --set quick=perhaps: want true or false
    2 | quick = param("quick", default = False)
      |               ^^^^^^^`
	if d := cmp.Diff(want, results[0].Failures.Error()); d != "" {
		t.Error(d)
	}
}

// TestBudget counts what plan_of() evaluates to the test that asks, and nothing to the next test.
func TestBudgetOfPlanOf(t *testing.T) {
	text := "def test_a():\n    for i in range(200):\n        plan_of(\":p.star\")\n\ndef test_b():\n    plan_of(\":p.star\")\n"
	results, err := suite(t, text, host.TestOptions{Options: host.Options{MaxSteps: 2000}})
	if err != nil {
		t.Fatal(err)
	}
	if f := results[0].Failures.Error(); !strings.Contains(f, "more than 2000 steps") {
		t.Errorf("test_a: %q", f)
	}
	if f := results[1].Failures; len(f) > 0 {
		t.Errorf("test_b: %v", f)
	}
}

func TestTimeout(t *testing.T) {
	results, err := suite(t, "def test_a():\n    for i in range(1 << 60):\n        pass\n\ndef test_b():\n    pass\n",
		host.TestOptions{Options: host.Options{MaxSteps: 1 << 62}, Timeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if f := results[0].Failures.Error(); !strings.Contains(f, "the test took more than 1ms") {
		t.Errorf("test_a: %q", f)
	}
}

// TestBrokenSuites are scripts of which no test is run.
func TestBrokenSuites(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"syntax", "def test_a(:\n", `x_test.star:1:\d+: syntax:`},
		{"top level", "def test_a():\n    pass\n\nassert.eq(1, 2)\n", `x_test.star:4:1: assert.eq: got 1, want 2`},
		{"parameters", "def test_a(x):\n    pass\n", `x_test.star:1:5: test_a: has parameters`},
		{"no test", "x = 1\n", `x_test.star: there is no test`},
		{"assert elsewhere", "load(\":asserting.star\", \"f\")\n\ndef test_a():\n    f()\n", `asserting.star:2:5: name: undefined: assert; it is for scripts of tests`},
		{"rebound", "plan_of = 1\n", `"plan_of" is a builtin`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := suite(t, tt.text, host.TestOptions{})
			if ds := diagnostics(t, err); !regexp.MustCompile(tt.want).MatchString(ds[0].Error()) {
				t.Errorf("%v, want %s", ds, tt.want)
			}
		})
	}
}

func TestMatchAndSupport(t *testing.T) {
	results, err := suite(t, `load(":support_test.star", "same")
def test_b():
    same(1, 1)
def test_a():
    same(1, 2)
def helps():
    pass
test_data = [1]
`, host.TestOptions{})
	if err != nil || len(results) != 2 || results[0].Name != "test_b" || len(results[0].Failures) != 0 {
		t.Fatal(results, err)
	}
	f := results[1].Failures
	if len(f) != 1 || f[0].File != "support_test.star" || len(f[0].Callers) != 1 || f[0].Callers[0].Func != "test_a" {
		t.Errorf("%+v", f)
	}
	results, err = suite(t, "def test_b():\n    pass\n\ndef test_a():\n    pass\n", host.TestOptions{Match: regexp.MustCompile("a$")})
	if err != nil || len(results) != 1 || results[0].Name != "test_a" || results[0].At.String() != "x_test.star:4:1" {
		t.Error(results, err)
	}
}

func TestFindTests(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b_test.star", "a/c_test.star", "a/lib.star", ".hidden/d_test.star", "empty/x.star"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := host.FindTests([]string{filepath.Join(root, "b_test.star"), root})
	if d := cmp.Diff([]string{filepath.Join(root, "a/c_test.star"), filepath.Join(root, "b_test.star")}, got); err != nil || d != "" {
		t.Error(d, err)
	}
	if _, err = host.FindTests([]string{filepath.Join(root, "empty")}); err == nil || !strings.Contains(err.Error(), "empty: no file there") {
		t.Error(err)
	}
	if _, err = host.FindTests([]string{filepath.Join(root, "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err = host.Test(context.Background(), filepath.Join(root, "a/lib.star"), host.TestOptions{}); err == nil || !strings.Contains(err.Error(), "ends in _test.star") {
		t.Error(err)
	}
}
