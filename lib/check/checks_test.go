package check_test

import (
	"math"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestNothingToFind(t *testing.T) {
	if fs := flat(6, "x", "y").all(t); len(fs) != 0 {
		t.Errorf("a flawless phase has findings: %+v", fs)
	}
}

func TestComplete(t *testing.T) {
	l := flat(4, "x")
	l.processes[2].Samples, l.processes[2].Failure = nil, &sample.Failure{Kind: sample.FailExit, Message: "exit status 3", At: "a.star:4:2"}
	l.processes[7].Samples, l.processes[7].Failure = nil, &sample.Failure{Kind: sample.FailTimeout, Message: "10m0s passed"}
	l.processes = append(l.processes[:4], l.processes[5:]...) // run 5: old, block 3
	l.processes[4].Samples = append(l.processes[4].Samples, sample.Sample{Repeat: 2, Values: map[string]float64{"ns/op": 1}})
	l.facts.Stopped = "on_failure = \"stop-phase\""
	fs := l.find(t, "complete")
	want := []string{
		"stopped before its last run", "run 5 (old, block 3) has no record", "run 8 (old, block 4) failed (timeout): 10m0s passed",
		"run 3 (new, block 2) failed (exit): exit status 3", "run 6 gave 2 samples where the plan asks for 1",
	}
	if len(fs) != len(want) {
		t.Fatalf("%d findings, want %d: %+v", len(fs), len(want), fs)
	}
	for i, w := range want {
		if !strings.Contains(fs[i].Message, w) || fs[i].Severity != plan.Invalid {
			t.Errorf("%+v\nwant %q", fs[i], w)
		}
	}
	about(t, fs[3], "x", "new", 2)
	if fs[3].At != "a.star:4:2" {
		t.Errorf("at %q", fs[3].At)
	}
}

// Runs that failed alike stand together.
func TestCompleteGroups(t *testing.T) {
	l := flat(4, "x")
	for i := range l.processes {
		if l.processes[i].Run.Arm == "new" {
			l.processes[i].Samples, l.processes[i].Failure = nil, &sample.Failure{Kind: sample.FailRows, Message: "0 of 1 rows"}
		}
	}
	f := l.one(t, "complete", "run 2 (new, block 1) failed (rows): 0 of 1 rows", "4 of 4 processes of this arm", "blocks 1, 2, 3 and 4")
	about(t, f, "x", "new", 1, 2, 3, 4)
}

func TestConstant(t *testing.T) {
	const unit = "rows/op"
	build := func(value func(r plan.Run, repeat int) float64) *lab {
		return newLab(2, 2, []string{"x"}, func(r plan.Run, repeat int) map[string]float64 {
			out := map[string]float64{"ns/op": 100}
			if v := value(r, repeat); !math.IsNaN(v) {
				out[unit] = v
			}
			return out
		})
	}
	equals := plan.Metric{Unit: unit, Equals: map[string]float64{"x": 10}, At: plan.Place{File: "a.star", Line: 9, Col: 1}}
	tests := []struct {
		name   string
		metric plan.Metric
		value  func(r plan.Run, repeat int) float64
		want   string
	}{
		{"one value", plan.Metric{Unit: unit}, func(plan.Run, int) float64 { return 10 }, ""},
		{"as declared", equals, func(plan.Run, int) float64 { return 10 }, ""},
		{"other than declared", equals, func(plan.Run, int) float64 { return 9 }, "is 9 in run 1 (old, block 1); the phase says 10"},
		{"between samples", plan.Metric{Unit: unit}, func(r plan.Run, k int) float64 { return float64(10 + k/2*r.Block/2) }, "is 10 or 11 in run 3 (new, block 2), one process"},
		{
			"between arms",
			plan.Metric{Unit: unit},
			func(r plan.Run, _ int) float64 { return map[string]float64{"old": 10, "new": 12}[r.Arm] },
			"is 10 in run 1 (old, block 1) and 12 in run 2 (new, block 1)",
		},
		{"missing", plan.Metric{Unit: unit}, func(plan.Run, int) float64 { return math.NaN() }, "is missing in run 1"},
		{"missing in one sample", equals, func(_ plan.Run, k int) float64 { return []float64{10, math.NaN()}[k-1] }, "is 10 or missing in run 1"},
		{"a confound may differ", plan.Metric{Unit: unit, Confound: "prefix"}, func(r plan.Run, _ int) float64 { return float64(r.Position) }, ""},
		{
			"a confound other than declared",
			plan.Metric{Unit: unit, Confound: "prefix", Equals: equals.Equals},
			func(r plan.Run, _ int) float64 { return float64(9 + r.Position) },
			"is 11 in run 2 (new, block 1); the phase says 10",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := build(tt.value).constant(tt.metric)
			if tt.want == "" {
				l.none(t, "constant")
				return
			}
			f := l.one(t, "constant", tt.want)
			if f.Severity != plan.Invalid || f.Metric != unit || f.At != tt.metric.At.String() {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestPins(t *testing.T) {
	l := flat(2, "x")
	l.plan.Phase.Files = []plan.File{{Label: "bin/new", At: plan.Place{File: "a.star", Line: 2, Col: 7}}}
	l.facts.PinsBroken = []ledger.PinBroken{{When: "run 2", Run: 2, Label: "bin/new", Want: "aa", Got: "bb"}, {When: "closing", Label: "data", Want: "cc", Got: "no such file"}}
	fs := l.find(t, "pins")
	if len(fs) != 2 || fs[0].At != "a.star:2:7" || fs[0].Severity != plan.Invalid {
		t.Fatalf("%+v", fs)
	}
	about(t, fs[0], "x", "new", 1)
	about(t, fs[1], "", "")
}

func TestAffinity(t *testing.T) {
	l := flat(2, "x")
	l.facts.Runs[0].CPUs, l.facts.Runs[0].CPUsRead = "2,3", "2-3" // one set, written twice
	l.facts.Runs[1].CPUsRead = ""                                 // could not be read back
	l.facts.Runs[2].CPUs, l.facts.Runs[2].CPUsRead = "", "0-7"    // unpinned
	l.none(t, "affinity")
	l.facts.Runs[3].CPUsRead = "0-7"
	about(t, l.one(t, "affinity", "run 4 was pinned to CPUs 2-3 and read back as on 0-7"), "x", "old", 2)
}

func TestLayout(t *testing.T) {
	l := flat(2, "x", "y")
	for i := range l.facts.Runs {
		if l.plan.Runs[i].Case == "y" {
			l.facts.Runs[i].Total = 900 // another case may have another length
		}
	}
	l.none(t, "layout")
	for i := range l.facts.Runs {
		if r := l.plan.Runs[i]; r.Case == "y" && r.Arm == "new" {
			l.facts.Runs[i].Total = 912
		}
	}
	f := l.one(t, "layout", "900 bytes in old and 912 bytes in new", "could not pad")
	if f.Case != "y" || f.Severity != plan.Warning {
		t.Errorf("%+v", f)
	}
	l.plan.Phase.Process.Pad = false
	l.one(t, "layout", "pad = False")
}

func TestIdenticalArms(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	l := flat(2, "x", "y")
	l.none(t, "identical-arms") // two files, no digests
	l.facts.Digests = map[string]string{"bin/old": digest, "bin/new": strings.Repeat("cd", 32)}
	l.none(t, "identical-arms")
	l.facts.Digests["bin/new"] = digest
	f := l.one(t, "identical-arms", "old and new are one program", "sha256 abababababab")
	if f.Case != "" || f.Severity != plan.Note {
		t.Errorf("%+v", f)
	}
	for i := range l.plan.Runs {
		if r := &l.plan.Runs[i]; r.Case == "x" && r.Arm == "new" {
			r.Argv[1].Text = "-y"
		}
	}
	if f := l.one(t, "identical-arms"); f.Case != "y" {
		t.Errorf("one case of two: %+v", f)
	}
	for i := range l.plan.Runs {
		if r := &l.plan.Runs[i]; r.Arm == "new" {
			r.Env = map[string]string{"LANG": "C", "GOGC": "50"}
		}
	}
	l.none(t, "identical-arms") // the environment is what differs
}

// Without a ledger and without digests, one path in both arms is enough.
func TestIdenticalArmsByPath(t *testing.T) {
	l := flat(2, "x")
	for i := range l.plan.Runs {
		l.plan.Runs[i].Argv = []plan.Arg{{Text: "/bin/true"}}
	}
	l.one(t, "identical-arms", "/bin/true")
	for i := range l.plan.Runs {
		l.plan.Runs[i].Argv = nil // a CSV file knows no argv
	}
	l.none(t, "identical-arms")
}

func TestReaderWarnings(t *testing.T) {
	l := flat(4, "x")
	for _, i := range []int{1, 2} { // new, blocks 1 and 2
		l.processes[i].Warnings = []sample.Warning{
			{ID: "shadowed-unit", Unit: "B/op", Message: "B/op is reported by the benchmark itself"},
			{ID: "implausible", Unit: "x/op", Message: "runs/0002/stdout:3: printed as 0.0000000"},
			{ID: "duplicate-name", Message: "BenchmarkX#01 looks like a duplicate"},
			{ID: "something-new", Message: "no goos: line"},
		}
	}
	about(t, l.one(t, "shadowed-unit", "B/op", "blocks 1 and 2"), "x", "new", 1, 2)
	about(t, l.one(t, "implausible", "0.0000000"), "x", "new", 1, 2)
	about(t, l.one(t, "duplicate-name", "#01"), "x", "new", 1, 2)
	about(t, l.one(t, "output", "no goos"), "x", "new", 1, 2)
}

func TestImplausible(t *testing.T) {
	for _, tt := range []struct {
		ns    float64
		found bool
	}{{0.0000006, true}, {0.16, true}, {0.25, false}, {0, false}, {-1, false}} {
		l := newLab(2, 1, []string{"x"}, func(plan.Run, int) map[string]float64 { return map[string]float64{"ns/op": tt.ns} })
		if got := len(l.find(t, "implausible")); (got == 2) != tt.found || (got == 0) == tt.found {
			t.Errorf("%v ns/op: %d findings", tt.ns, got)
		}
	}
}

func TestUnbalanced(t *testing.T) {
	flat(6, "x").none(t, "unbalanced")
	flat(5, "x", "y").one(t, "unbalanced", "new runs before old in 2 of 5 blocks of x and y")
}

func TestMachineSpeed(t *testing.T) {
	l := flat(10, "x")
	for i := range l.facts.Runs {
		l.facts.Runs[i].SpinNS = 20_000_000 + int64(i%3)*10_000 // within 0.1%
	}
	l.none(t, "machine-speed")
	l.facts.Runs[9].SpinNS = 24_400_000 // 22% slower before the second run of block 5
	f := l.one(t, "machine-speed", "block 5", "+22%")
	about(t, f, "x", "", 5)
	for i := range l.facts.Runs {
		l.facts.Runs[i].SpinNS = 0
	}
	l.none(t, "machine-speed")
}

func TestNoise(t *testing.T) {
	l := flat(10, "x")
	for i := range l.facts.Runs {
		l.facts.Runs[i].Involuntary = 4
	}
	l.none(t, "noise")
	l.facts.Runs[6].Involuntary = 5000
	l.one(t, "noise", "run 7 (x, new, block 4) 5000 times", "the median run was 4 times")
}

func TestLeftoverAndHarness(t *testing.T) {
	l := flat(2, "x")
	l.facts.Runs[1].LeftProcesses = 2
	l.facts.Notes = []string{"the harness shares CPU 0 with what it measures"}
	about(t, l.one(t, "leftover", "run 2 left 2 processes behind"), "x", "new", 1)
	l.one(t, "harness", "shares CPU 0")
}

// 1% a run, exactly: ten runs of each arm of which the first and the last are 18 runs apart.
func TestDrift(t *testing.T) {
	l := newLab(10, 1, []string{"x"}, func(r plan.Run, _ int) map[string]float64 {
		if r.Arm == "old" {
			return map[string]float64{"ns/op": 100}
		}
		return map[string]float64{"ns/op": 100 * math.Exp(0.01*float64(r.Number))}
	})
	f := l.one(t, "drift", "ns/op: the medians of new move by +19% from the first to the last") // new runs 2 to 19: exp(0.17) = 1.185
	if f.Arm != "new" || f.Metric != "ns/op" {
		t.Errorf("%+v", f)
	}
}

func TestWarmUp(t *testing.T) {
	l := newLab(3, 3, []string{"x"}, func(r plan.Run, repeat int) map[string]float64 {
		v := 100.0
		if r.Arm == "old" && repeat == 1 {
			v = 150
		}
		return map[string]float64{"ns/op": v}
	})
	f := l.one(t, "warm-up", "ns/op: the first repeat of old differs by +50% from the median of the others, over 3 processes")
	if f.Arm != "old" {
		t.Errorf("%+v", f)
	}
	flat(3, "x").none(t, "warm-up") // one repeat
}

func TestOrder(t *testing.T) {
	e := plan.Estimand{Kind: plan.BlockRatio}
	part := func(v float64) check.Part { return check.Part{Blocks: 3, Estimate: &v} }
	l := flat(6, "x", "y")
	fs := l.find(t, "order",
		check.Comparison{Case: "x", Metric: "ns/op", Arm: "new", Base: "old", Estimand: &e, BaseFirst: part(1.01), ArmFirst: part(1.00)},
		check.Comparison{Case: "y", Metric: "ns/op", Arm: "new", Base: "old", Estimand: &e, BaseFirst: part(0.5), ArmFirst: part(0.52)})
	if len(fs) != 1 || fs[0].Case != "y" || !strings.Contains(fs[0].Message, "0.5 where old ran first (3 blocks), 0.52 where new did") {
		t.Errorf("%+v", fs)
	}
}

func TestSeverityOnlyRises(t *testing.T) {
	l := flat(5, "x")
	l.plan.Phase.Checks = []plan.Check{{Kind: "unbalanced", On: plan.Warning}, {Kind: "complete", On: plan.Note}}
	l.processes = l.processes[:9]
	if f := l.one(t, "unbalanced"); f.Severity != plan.Warning {
		t.Errorf("%+v", f)
	}
	if f := l.one(t, "complete"); f.Severity != plan.Invalid {
		t.Errorf("%+v", f)
	}
	if all := l.all(t); all[0].Severity != plan.Invalid {
		t.Error("the most severe finding does not stand first")
	}
}

func TestFactsOf(t *testing.T) {
	entry := func(b ledger.Body) ledger.Entry { return ledger.Entry{Body: b} }
	f := check.FactsOf([]ledger.Entry{
		entry(&ledger.Opened{Files: []ledger.PinnedFile{{Label: "bin/a", SHA256: "aa"}}, Notes: []string{"n"}}),
		entry(&ledger.RunStarted{Run: 1, Attempt: 1, Total: 700, CPUs: "2", SpinNS: 5}),
		entry(&ledger.RunStarted{Run: 1, Attempt: 2, Total: 701, CPUs: "2"}),
		entry(&ledger.RunFinished{Run: 1, Attempt: 2, CPUs: "2", InvoluntarySwitches: 7, Leftover: 1}),
		entry(&ledger.RunFinished{Run: 9, Attempt: 1}), // never started
		entry(&ledger.CaseStatus{Case: "x", Status: "contaminated", Why: "w"}),
		entry(&ledger.PinBroken{Label: "bin/a"}),
		entry(&ledger.BlockRerun{Case: "x", Block: 1, Attempt: 2}),
		entry(&ledger.PhaseStopped{Why: "s"}),
		entry(&ledger.Note{Text: "later"}),
		entry(&ledger.Closed{}),
	})
	if f.Digests["bin/a"] != "aa" || len(f.Notes) != 1 || f.Statuses["x"].Why != "w" || len(f.PinsBroken) != 1 || len(f.Reruns) != 1 || f.Stopped != "s" {
		t.Errorf("%+v", f)
	}
	want := []check.RunFacts{
		{Run: 1, Attempt: 1, Total: 700, SpinNS: 5, CPUs: "2"},
		{Run: 1, Attempt: 2, Total: 701, CPUs: "2", CPUsRead: "2", Finished: true, Involuntary: 7, LeftProcesses: 1},
	}
	if len(f.Runs) != 2 || f.Runs[0] != want[0] || f.Runs[1] != want[1] {
		t.Errorf("%+v", f.Runs)
	}
	if f := check.FactsOf([]ledger.Entry{entry(&ledger.PhaseStopped{Why: "s"}), entry(&ledger.Resumed{})}); f.Stopped != "" {
		t.Error("a resumed phase is still called stopped")
	}
}
