package analysis_test

import (
	"fmt"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// signs is an experiment whose arms differ from the base by ratios in such signs that their sign-flip p is known:
// with all six on one side it is 2/64, with the least of six on the other 4/64.
func signs(family string) *experiment {
	x := newExperiment(6, 1, "base", "all", "but-one", "control").percentile(20000, 391706)
	x.phase.Family = family
	x.phase.Arms[3].Control = true
	return x.medians("ns/op", map[string][]float64{
		"base": {100, 100, 100, 100, 100, 100}, "all": {110, 111, 112, 113, 114, 115},
		"but-one": {99, 111, 112, 113, 114, 115}, "control": {101, 99, 102, 98, 103, 97},
	})
}

func TestFamilies(t *testing.T) {
	tests := []struct {
		family       string
		all, butOne  float64
		unreachable  bool
		mustDescribe []string
	}{
		{"holm", 2 * 2.0 / 64, 4.0 / 64, true, []string{"Holm", "2 comparisons", "6 blocks", "0.0625", "7 blocks would do"}},
		{"bh", 4.0 / 64, 4.0 / 64, false, nil},
	}
	for _, tt := range tests {
		r := signs(tt.family).analyze(t)
		all, butOne := comparison(t, r, "only", "ns/op", "all"), comparison(t, r, "only", "ns/op", "but-one")
		near(t, "p of all", all.P, 2.0/64)
		near(t, "p of but-one", butOne.P, 4.0/64)
		near(t, tt.family+" of all", all.AdjustedP, tt.all)
		near(t, tt.family+" of but-one", butOne.AdjustedP, tt.butOne)
		if c := comparison(t, r, "only", "ns/op", "control"); c.P != nil || c.AdjustedP != nil || c.Interval == nil {
			t.Errorf("the control arm is part of the family: %+v", c)
		}
		if !tt.unreachable {
			none(t, r, "family-unreachable")
			continue
		}
		contains(t, only(t, r, "family-unreachable").Message, tt.mustDescribe...)
	}
	r := signs("").analyze(t)
	if c := comparison(t, r, "only", "ns/op", "all"); c.P != nil || c.AdjustedP != nil {
		t.Error("p values without a family")
	}
	contains(t, only(t, r, "control").Message, "control is a control (A/A)", "0 of 1 comparison")
}

// A comparison without a verdict stays in the family: its failure does not lighten the correction of the other.
func TestFamilyWithFailure(t *testing.T) {
	r := signs("holm").fail("only", "but-one", 2).analyze(t)
	all := comparison(t, r, "only", "ns/op", "all")
	if all.AdjustedP != nil || all.P != nil {
		t.Errorf("an incomplete case has a p: %v, %v", all.P, all.AdjustedP)
	}
	x := signs("holm").cases("only", "other")
	x.medians("ns/op", map[string][]float64{
		"base": {100, 100, 100, 100, 100, 100}, "all": {110, 111, 112, 113, 114, 115},
		"but-one": {99, 111, 112, 113, 114, 115}, "control": {101, 99, 102, 98, 103, 97},
	})
	near(t, "whole family of four", comparison(t, x.analyze(t), "only", "ns/op", "all").AdjustedP, 4*2.0/64)
	near(t, "with a failed case", comparison(t, x.fail("other", "all", 1).analyze(t), "only", "ns/op", "all").AdjustedP, 4*2.0/64)
}

// The p of Student's interval is that of the paired t test: below 0.05 exactly when the 95% interval excludes 1.
func TestStudentFamily(t *testing.T) {
	x := signs("holm")
	x.phase.Estimand.Interval = plan.Interval{Kind: plan.StudentT, Level: 0.95}
	r := x.analyze(t)
	for _, arm := range []string{"all", "but-one"} {
		c := comparison(t, r, "only", "ns/op", arm)
		if (*c.P < 0.05) != (c.Verdict == analysis.Higher) || *c.P == *c.Unregistered.SignFlip.P {
			t.Errorf("%s: p %v, verdict %s", arm, *c.P, c.Verdict)
		}
	}
	none(t, r, "family-unreachable")
}

func TestGates(t *testing.T) {
	base := []float64{100, 100, 100, 100, 100, 100}
	slower := []float64{112, 116, 112, 115, 117, 116} // 1.1466, Student's t about 1.124 to 1.170
	maxRatio := func(v float64) plan.Gate { return plan.Gate{Metric: "ns/op", MaxRatio: &v} }
	minRatio := func(v float64) plan.Gate { return plan.Gate{Metric: "ns/op", MinRatio: &v} }
	maxDifference := func(v float64) plan.Gate { return plan.Gate{Metric: "ns/op", MaxDifference: &v} }
	tests := []struct {
		name    string
		gate    plan.Gate
		arm     []float64
		verdict string
		code    int
	}{
		{"within", maxRatio(1.2), slower, analysis.Pass, 0},
		{"beyond", maxRatio(1.05), slower, analysis.Fail, 1},
		{"straddling", maxRatio(1.15), slower, analysis.Inconclusive, 5},
		{"at least, within", minRatio(1.05), slower, analysis.Pass, 0},
		{"at least, beyond", minRatio(1.2), slower, analysis.Fail, 1},
		{"at least, straddling", minRatio(1.15), slower, analysis.Inconclusive, 5},
		{"difference, within", maxDifference(20), slower, analysis.Pass, 0},
		{"difference, beyond", maxDifference(10), slower, analysis.Fail, 1},
		{"equal on the bound", maxRatio(1), base, analysis.Pass, 0},
		{"equal beyond the bound", maxRatio(0.9), base, analysis.Fail, 1},
		{"equal by difference", maxDifference(0), base, analysis.Pass, 0},
		{"undefined", maxRatio(1.05), []float64{0, 1, 1, 1, 1, 1}, analysis.Inconclusive, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newExperiment(6, 1, "a", "b")
			if tt.gate.MaxDifference != nil {
				x.phase.Estimand.Kind = plan.BlockDifference
			}
			x.phase.Gates = []plan.Gate{tt.gate}
			r := x.medians("ns/op", map[string][]float64{"a": base, "b": tt.arm}).analyze(t)
			if len(r.Gates) != 1 {
				t.Fatalf("%+v", r.Gates)
			}
			g := r.Gates[0]
			if g.Verdict != tt.verdict || g.Case != "only" || g.Arm != "b" || g.Base != "a" {
				t.Errorf("%+v, want %s", g, tt.verdict)
			}
			if (g.Verdict == analysis.Inconclusive) != (g.Reason != "") {
				t.Errorf("%s with the reason %q", g.Verdict, g.Reason)
			}
			if r.ExitCode() != tt.code {
				t.Errorf("exit code %d, want %d", r.ExitCode(), tt.code)
			}
		})
	}
}

func TestNarrowGate(t *testing.T) {
	limit := 1.05
	x := newExperiment(6, 1, "a", "b").percentile(20000, 391706)
	x.phase.Gates = []plan.Gate{{Metric: "ns/op", MaxRatio: &limit}}
	x.medians("ns/op", map[string][]float64{"a": {100, 100, 100, 100, 100, 100}, "b": {101, 101, 102, 101, 102, 101}})
	r := x.analyze(t)
	if r.Gates[0].Verdict != analysis.Inconclusive || r.ExitCode() != 5 {
		t.Errorf("%+v", r.Gates[0])
	}
	only(t, r, "gate-narrow")
	covers, ok := stats.Coverage(plan.Percentile, 6)
	if !ok || covers < 0.8 || covers > 0.92 {
		t.Fatalf("simulated coverage %v, %v", covers, ok)
	}
	contains(t, only(t, r, "narrow-interval").Message, "6 blocks", fmt.Sprintf("covers about %.0f%% there", 100*covers))
	c := comparison(t, r, "only", "ns/op", "b")
	near(t, "simulated coverage", c.Unregistered.SimulatedCoverage, covers)
	x.phase.Estimand.Interval.Level = 0.9
	if c := comparison(t, x.analyze(t), "only", "ns/op", "b"); c.Unregistered.SimulatedCoverage != nil {
		t.Error("the coverage at 95% is given for another level")
	}
	x.phase.Estimand.Interval.Level = 0.95
	x.phase.Gates[0].AcceptNarrow = true
	r = x.analyze(t)
	if r.Gates[0].Verdict != analysis.Pass || r.ExitCode() != 0 {
		t.Errorf("%+v", r.Gates[0])
	}
	none(t, r, "gate-narrow")
}

// What was not measured has not passed: a gate over failed runs, over a control arm alone, over no comparison.
func TestGateHoldsNothing(t *testing.T) {
	limit := 1.05
	gates := []plan.Gate{{Metric: "ns/op", MaxRatio: &limit}}
	x := newExperiment(6, 1, "a", "b").medians("ns/op", map[string][]float64{"a": {1, 1, 1, 1, 1, 1}, "b": {1, 1, 1, 1, 1, 1}})
	x.phase.Gates = gates
	r := x.fail("only", "b", 1).analyze(t)
	if r.Gates[0].Verdict != analysis.Inconclusive || r.ExitCode() != 3 {
		t.Errorf("failed run: %+v, exit %d", r.Gates[0], r.ExitCode())
	}
	x = newExperiment(6, 1, "a", "b")
	x.phase.Gates, x.phase.Arms[1].Control = gates, true
	r = x.medians("ns/op", map[string][]float64{"a": {1, 1, 1, 1, 1, 1}, "b": {1, 1, 1, 1, 1, 1}}).analyze(t)
	if len(r.Gates) != 1 || r.Gates[0].Verdict != analysis.Inconclusive || r.ExitCode() != 5 {
		t.Errorf("control alone: %+v, exit %d", r.Gates, r.ExitCode())
	}
	only(t, r, "gate-unmatched")
}

// Above 20 blocks flips are not enumerated: a registered sign-flip interval is missing and says so, and the family of
// a percentile interval has the paired t test.
func TestManyBlocks(t *testing.T) {
	base, arm := make([]float64, 21), make([]float64, 21)
	for i := range base {
		base[i], arm[i] = 100, 110+float64(i%5)
	}
	for _, kind := range []string{plan.SignFlip, plan.Percentile} {
		x := newExperiment(21, 1, "a", "b").percentile(20000, 391706)
		x.phase.Estimand.Interval.Kind, x.phase.Family = kind, "holm"
		r := x.medians("ns/op", map[string][]float64{"a": base, "b": arm}).analyze(t)
		c := comparison(t, r, "only", "ns/op", "b")
		if c.Unregistered.SignFlip != nil || c.Unregistered.ExactPercentile != nil || c.Unregistered.StudentT == nil {
			t.Errorf("%s: unregistered %+v", kind, c.Unregistered)
		}
		none(t, r, "family-unreachable", "narrow-interval")
		if kind == plan.Percentile {
			if c.Verdict != analysis.Higher || c.P == nil || *c.P > 1e-6 || *c.AdjustedP != *c.P {
				t.Errorf("percentile: verdict %s, p %v, adjusted %v", c.Verdict, c.P, c.AdjustedP)
			}
			continue
		}
		if c.Interval != nil || c.Verdict != analysis.Unresolved || c.P != nil {
			t.Errorf("sign-flip: %+v", c)
		}
		contains(t, *c.VerdictReason, "not enumerated for 21 blocks")
		only(t, r, "no-interval")
	}
}
