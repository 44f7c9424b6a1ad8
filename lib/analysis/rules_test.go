package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// three arms in six blocks, every order once; b is 10% above a, c is half of it, with a little noise.
func threeArms() *experiment {
	x := newExperiment(6, 1, "a", "b", "c")
	x.orders["only"] = [][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}, {"a", "c", "b"}, {"b", "a", "c"}}
	factor := map[string][]float64{
		"a": {1, 1, 1, 1, 1, 1}, "b": {1.10, 1.11, 1.09, 1.12, 1.08, 1.10}, "c": {0.50, 0.51, 0.49, 0.50, 0.52, 0.48},
	}
	return x.run(func(r plan.Run, _ int) map[string]float64 {
		return map[string]float64{"ns/op": 1000 * factor[r.Arm][r.Block-1] * (1 + 0.01*float64(r.Block))}
	})
}

func TestFailedRun(t *testing.T) {
	x := threeArms()
	whole := comparison(t, x.analyze(t), "only", "ns/op", "b")
	r := x.fail("only", "c", 3).analyze(t)
	if r.ExitCode() != 3 {
		t.Errorf("exit code %d, want 3", r.ExitCode())
	}
	if r.Cases[0].Status != analysis.Incomplete {
		t.Errorf("status %q", r.Cases[0].Status)
	}
	contains(t, *r.Cases[0].StatusReason, "1 of 18 processes gave no samples", "run 7 (c, block 3) failed (exit): exit status 3")
	c := comparison(t, r, "only", "ns/op", "c")
	if c.Blocks != 5 || c.Verdict != analysis.VerdictAbsent || c.Estimate == nil || c.Interval == nil {
		t.Errorf("the pair that lost a block: %+v", c)
	}
	contains(t, *c.VerdictReason, "limited to complete blocks, 5 of 6", "run 7 (c, block 3)")
	near(t, "estimate over the complete blocks", c.Estimate, math.Pow(0.50*0.51*0.50*0.52*0.48, 0.2))
	if b := c.BlockRatios[2]; b.Block != 3 || b.Ratio != nil || b.First != "c" {
		t.Errorf("the lost block: %+v", b)
	}
	// The other pair has all its blocks and numbers; the case has no verdict all the same.
	b := comparison(t, r, "only", "ns/op", "b")
	if b.Blocks != 6 || b.Verdict != analysis.VerdictAbsent || *b.Estimate != *whole.Estimate {
		t.Errorf("the whole pair: %+v", b)
	}
	got := r.Completeness
	if got.ProcessesPlanned != 18 || got.ProcessesFinished != 17 || got.ProcessesFailed != 1 || got.SamplesPlanned != 18 || got.Samples != 17 ||
		!got.LimitedToCompleteBlocks || got.ParseFailures != 0 || got.CasesExcluded != 0 {
		t.Errorf("completeness %+v", got)
	}
	f := only(t, r, "complete")
	if f.Severity != plan.Invalid || f.Case != "only" || f.Arm != "c" || !slices.Equal(f.Blocks, []int{3}) {
		t.Errorf("%+v", f)
	}
	if p := r.Cases[0].Processes[6]; p.Failure == nil || p.Failure.Kind != sample.FailExit || len(p.Medians) != 0 {
		t.Errorf("a failed run contributes: %+v", p)
	}
}

func TestContrasts(t *testing.T) {
	x := threeArms()
	x.phase.Contrasts = []plan.Contrast{{Arm: "c", Base: "b"}, {Arm: "a", Base: "c"}}
	x.phase.Baseline = "b"
	r := x.analyze(t)
	cs := r.Cases[0].Metrics[0].Comparisons
	if len(cs) != 2 || cs[0].Base != "b" || cs[1].Arm != "a" || cs[1].Base != "c" {
		t.Fatalf("%+v", cs)
	}
	near(t, "c against b", cs[0].Estimate, math.Pow(0.50/1.10*0.51/1.11*0.49/1.09*0.50/1.12*0.52/1.08*0.48/1.10, 1.0/6))
	if r.Baseline != "b" {
		t.Errorf("baseline %q", r.Baseline)
	}
	// A case of fewer arms has the contrasts of which it has both.
	x = threeArms().cases("only", "two")
	x.phase.Cases[1].Arms = []string{"a", "c"}
	r = x.run(func(plan.Run, int) map[string]float64 { return map[string]float64{"ns/op": 1} }).analyze(t)
	cs = r.Cases[1].Metrics[0].Comparisons
	if len(cs) != 1 || cs[0].Arm != "c" {
		t.Fatalf("%+v", cs)
	}
}

func TestCaseStatuses(t *testing.T) {
	x := newExperiment(2, 1, "a", "b").cases("hot", "late", "lost")
	x.medians("ns/op", map[string][]float64{"a": {1, 2}, "b": {2, 3}})
	x.processes = slices.DeleteFunc(x.processes, func(p sample.Process) bool { return p.Run.Case == "late" })
	x.facts.Statuses = map[string]ledger.CaseStatus{
		"hot":  {Case: "hot", Status: analysis.Contaminated, Why: "ceiling storage-queue: 2e9 is above 1e9 in run 3"},
		"lost": {Case: "lost", Status: analysis.Unverifiable, Why: "telemetry has a gap of 9 s"},
	}
	x.facts.Stopped = "a ceiling was passed"
	r := x.analyze(t)
	want := []struct{ status, reason string }{
		{analysis.Contaminated, "storage-queue"}, {analysis.Unexecuted, "a ceiling was passed"}, {analysis.Unverifiable, "gap of 9 s"},
	}
	for i, w := range want {
		c := &r.Cases[i]
		if c.Status != w.status {
			t.Errorf("%s is %s, want %s", c.Case, c.Status, w.status)
		}
		contains(t, *c.StatusReason, w.reason)
		k := &c.Metrics[0].Comparisons[0]
		if k.Verdict != analysis.VerdictAbsent || k.VerdictReason == nil {
			t.Errorf("%s has the verdict %q", c.Case, k.Verdict)
		}
	}
	if r.Completeness.CasesExcluded != 2 || r.Completeness.CasesUnexecuted != 1 {
		t.Errorf("%+v", r.Completeness)
	}
	if len(findings(r, "case-status")) != 2 || r.ExitCode() != 3 {
		t.Errorf("%+v", r.Findings)
	}
}

func TestOneBlock(t *testing.T) {
	for _, kind := range []string{plan.StudentT, plan.Percentile, plan.SignFlip} {
		x := newExperiment(1, 3, "a", "b").percentile(1000, 1)
		x.phase.Estimand.Interval.Kind = kind
		x.phase.Family = "holm"
		r := x.medians("ns/op", map[string][]float64{"a": {10}, "b": {12}}).analyze(t)
		c := comparison(t, r, "only", "ns/op", "b")
		if c.Interval != nil || c.LeaveOneOut != nil || c.Verdict != analysis.Unresolved {
			t.Errorf("%s: %+v", kind, c)
		}
		near(t, "estimate", c.Estimate, 1.2)
		contains(t, *c.VerdictReason, "one block", "no interval")
		only(t, r, "single-block")
		if r.ExitCode() != 0 {
			t.Errorf("exit code %d", r.ExitCode())
		}
	}
}

func TestZeroVariance(t *testing.T) {
	for _, kind := range []string{plan.StudentT, plan.Percentile, plan.SignFlip} {
		x := newExperiment(6, 1, "a", "b").percentile(20000, 391706)
		x.phase.Estimand.Interval.Kind = kind
		r := x.medians("ns/op", map[string][]float64{"a": {10, 10, 10, 10, 10, 10}, "b": {12, 12, 12, 12, 12, 12}}).analyze(t)
		c := comparison(t, r, "only", "ns/op", "b")
		near(t, kind+" low", c.Interval.Low, 1.2)
		near(t, kind+" high", c.Interval.High, 1.2)
		if c.Verdict != analysis.Higher || !c.RegisteredAgree {
			t.Errorf("%s: verdict %q, %v disagree", kind, c.Verdict, c.Disagreeing)
		}
		contains(t, only(t, r, "zero-variance").Message, "all 6 blocks give 1.2")
	}
}

func TestVerdicts(t *testing.T) {
	base := []float64{100, 100, 100, 100, 100, 100}
	tests := []struct {
		name    string
		arm     []float64
		verdict string
	}{
		{"lower", []float64{89, 86, 91, 87, 89, 89}, analysis.Lower},
		{"higher", []float64{112, 116, 112, 115, 117, 116}, analysis.Higher},
		{"unresolved", []float64{101, 98, 103, 97, 102, 100}, analysis.Unresolved},
		{"equal", base, analysis.Equal},
	}
	for _, tt := range tests {
		for _, kind := range []string{plan.BlockRatio, plan.BlockDifference} {
			x := newExperiment(6, 1, "a", "b")
			x.phase.Estimand.Kind = kind
			c := comparison(t, x.medians("ns/op", map[string][]float64{"a": base, "b": tt.arm}).analyze(t), "only", "ns/op", "b")
			if c.Verdict != tt.verdict || c.VerdictReason != nil || !c.RegisteredAgree {
				t.Errorf("%s by %s: verdict %q, reason %v, disagreeing %v", tt.name, kind, c.Verdict, c.VerdictReason, c.Disagreeing)
			}
		}
	}
}

// The percentile interval is narrower than Student's: of the two only the first excludes 1 here.
func TestDisagreement(t *testing.T) {
	x := newExperiment(6, 1, "a", "b").percentile(20000, 391706)
	x.phase.Estimand.Also = []plan.Interval{{Kind: plan.StudentT, Level: 0.95}}
	x.medians("ns/op", map[string][]float64{"a": {100, 100, 100, 100, 100, 100}, "b": {101, 99.9, 103, 106, 100.2, 101}})
	c := comparison(t, x.analyze(t), "only", "ns/op", "b")
	if c.Verdict != analysis.Higher || c.RegisteredAgree || !slices.Equal(c.Disagreeing, []string{"also student_t", "student_t", "sign_flip"}) {
		t.Errorf("verdict %q, disagreeing %v", c.Verdict, c.Disagreeing)
	}
	if len(c.Also) != 1 || c.Also[0].Seed != nil || c.Also[0].Resamples != 0 {
		t.Errorf("also %+v", c.Also)
	}
}

func TestSignFlipWithoutInterval(t *testing.T) {
	x := newExperiment(5, 1, "a", "b")
	x.phase.Estimand.Interval.Kind = plan.SignFlip
	r := x.medians("ns/op", map[string][]float64{"a": {1, 1, 1, 1, 1}, "b": {2, 2.1, 2.2, 2.3, 2.4}}).analyze(t)
	c := comparison(t, r, "only", "ns/op", "b")
	if c.Interval != nil || c.Verdict != analysis.Unresolved {
		t.Errorf("%+v", c)
	}
	contains(t, *c.VerdictReason, "no distribution-free interval of level 0.95 exists for 5 blocks", "0.9375")
	if s := c.Unregistered.SignFlip; s == nil || s.Low != nil || s.Level != nil || *s.P != 0.0625 || *s.MinP != 0.0625 {
		t.Errorf("%+v", s)
	}
	only(t, r, "no-interval")
}

func TestReplacedAttempts(t *testing.T) {
	x := newExperiment(2, 2, "a", "b").medians("ns/op", map[string][]float64{"a": {10, 10}, "b": {20, 20}})
	want, err := x.analyze(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	// Block 2 was interrupted after its first run; both its runs have a second attempt.
	first := x.processes[2]
	first.Retained = false
	first.Samples = []sample.Sample{{Repeat: 1, Values: map[string]float64{"ns/op": 1e9}}, {Repeat: 2, Values: map[string]float64{"ns/op": 1e9}}}
	cut := sample.Process{Run: x.plan.Runs[3], Attempt: 1, Failure: &sample.Failure{Kind: sample.FailInterrupted, Message: "kill -9"}}
	x.processes[2].Attempt, x.processes[3].Attempt = 2, 2
	x.processes = append(x.processes, first, cut)
	x.facts.Reruns = []ledger.BlockRerun{{Case: "only", Block: 2, Attempt: 2, Why: "the harness ended in run 4"}}
	r := x.analyze(t)
	if r.ExitCode() != 0 || r.Cases[0].Status != analysis.Measured {
		t.Errorf("exit %d, status %s", r.ExitCode(), r.Cases[0].Status)
	}
	near(t, "estimate", comparison(t, r, "only", "ns/op", "b").Estimate, 2)
	if a := r.Cases[0].Metrics[0].Absolute["a"]; *a.Max != 10 || a.Samples != 4 {
		t.Errorf("the replaced attempt has a part in the absolutes: %+v", a)
	}
	ps := r.Cases[0].Processes
	if len(ps) != 6 || !ps[2].Replaced || ps[3].Attempt != 2 || ps[4].Failure == nil || !ps[4].Replaced || ps[5].Replaced {
		t.Errorf("%+v", ps)
	}
	got := r.Completeness
	if got.BlocksRerun != 1 || got.ProcessesFinished != 4 || got.ProcessesFailed != 1 || got.Samples != 8 {
		t.Errorf("%+v", got)
	}
	contains(t, only(t, r, "block-rerun").Message, "block 2", "attempt 1", "the harness ended in run 4")
	if strings.Contains(string(want), "replaced") {
		t.Error("a result without replaced attempts speaks of them")
	}
}

func TestDerived(t *testing.T) {
	x := newExperiment(2, 3, "a", "b")
	x.phase.Metrics = append(x.phase.Metrics,
		plan.Metric{Unit: "rows/op", Role: plan.RoleConstant},
		plan.Metric{Unit: "ns/row", Role: plan.RoleDerived, Better: "lower", Num: "ns/op", Den: "rows/op"})
	x.run(func(r plan.Run, repeat int) map[string]float64 {
		rows := 10.0
		if r.Arm == "b" && r.Block == 1 && repeat == 1 {
			rows = 0
		}
		return map[string]float64{"ns/op": map[string]float64{"a": 100, "b": 50}[r.Arm] * float64(repeat), "rows/op": rows}
	})
	r := x.analyze(t)
	// b, block 1: 0 rows in repeat 1, so 100/10 and 150/10 are left; block 2: 5, 10, 15.
	near(t, "derived median", r.Cases[0].Processes[1].Medians["ns/row"], 12.5)
	near(t, "estimate", comparison(t, r, "only", "ns/row", "b").Estimate, math.Sqrt(12.5/20*10/20))
	if r.Completeness.DerivedOmitted != 1 {
		t.Errorf("%d omitted, want 1", r.Completeness.DerivedOmitted)
	}
	contains(t, only(t, r, "derived-omitted").Message, "no value in 1 sample")
	if m := r.Cases[0].Metrics; len(m) != 2 || m[1].Role != plan.RoleDerived {
		t.Errorf("metrics %+v", m)
	}
}

func TestAudits(t *testing.T) {
	x := newExperiment(2, 3, "a", "b")
	x.phase.Expect = []plan.Expect{{Kind: plan.ExpectAudit, Name: "path", PerRepeat: 2}}
	x.medians("ns/op", map[string][]float64{"a": {1, 2}, "b": {2, 3}})
	for i := range x.processes {
		x.processes[i].Audits["path"] = sample.AuditCount{Expected: 6, Passed: 6}
	}
	r := x.analyze(t)
	if got := r.Completeness.Audits["path"]; got.Expected != 24 || got.Passed != 24 {
		t.Errorf("%+v", got)
	}
	none(t, r, "complete")
	x.processes[3].Audits["path"] = sample.AuditCount{Expected: 6, Passed: 5}
	r = x.analyze(t)
	if got := r.Completeness.Audits["path"]; got.Passed != 23 || r.ExitCode() != 3 {
		t.Errorf("%+v, exit %d", got, r.ExitCode())
	}
	contains(t, only(t, r, "complete").Message, `audit "path"`, "run 4 wrote 5 of 6 lines")
}
