package analysis_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// rows reads a file of Go benchmark rows of one benchmark: the values of each unit, one a row.
func rows(t *testing.T, name string) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	for line := range strings.Lines(readFile(t, name)) {
		f := strings.Fields(line)
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			out[f[i+1]] = append(out[f[i+1]], v)
		}
	}
	return out
}

// pairOf is an experiment of two files of rows, one block a row.
func pairOf(t *testing.T, unit, base, arm string) *experiment {
	t.Helper()
	b, a := rows(t, base)[unit], rows(t, arm)[unit]
	if len(a) != len(b) || len(a) == 0 {
		t.Fatalf("%d rows in %s, %d in %s", len(b), base, len(a), arm)
	}
	return newExperiment(len(a), 1, "old", "new").medians(unit, map[string][]float64{"old": b, "new": a})
}

func TestReportedCases(t *testing.T) {
	difference := func(x *experiment) *experiment {
		x.phase.Estimand.Kind = plan.BlockDifference
		return x
	}
	tests := []struct {
		name     string
		x        *experiment
		verdict  string
		estimate *float64
		reason   []string
	}{
		{
			"zero baseline", pairOf(t, "allocs/op", "z_old", "z_new"), analysis.Undefined, nil,
			[]string{"old", "a median of 0", "block 1", "6 of 6 blocks"},
		},
		{"zero arm", pairOf(t, "allocs/op", "z_new", "z_old"), analysis.Undefined, nil, []string{"new", "a median of 0", "block 1"}},
		{"zero baseline by difference", difference(pairOf(t, "allocs/op", "z_old", "z_new")), analysis.Higher, value(3), nil},
		{"zero against zero", pairOf(t, "allocs/op", "z_old", "z_old"), analysis.Equal, nil, nil},
		{"negative", pairOf(t, "delta", "n_old", "n_new"), analysis.Undefined, nil, []string{"a median of -5", "positive"}},
		{"negative by difference", difference(pairOf(t, "delta", "n_old", "n_new")), analysis.Lower, value(-1), nil},
		{"negative against itself", pairOf(t, "delta", "n_old", "n_old"), analysis.Equal, nil, nil},
		{"identical values", pairOf(t, "x/op", "five", "five"), analysis.Equal, value(1), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.x.analyze(t)
			c := &r.Cases[0].Metrics[0].Comparisons[0]
			if c.Verdict != tt.verdict {
				t.Errorf("verdict %q, want %q", c.Verdict, tt.verdict)
			}
			switch {
			case tt.estimate == nil && c.Estimate != nil:
				t.Errorf("estimate %v, want null", *c.Estimate)
			case tt.estimate != nil && (c.Estimate == nil || *c.Estimate != *tt.estimate):
				t.Errorf("estimate %v, want exactly %v", c.Estimate, *tt.estimate)
			}
			if (c.VerdictReason == nil) != (len(tt.reason) == 0) {
				t.Fatalf("reason %v", c.VerdictReason)
			}
			if c.VerdictReason != nil {
				contains(t, *c.VerdictReason, tt.reason...)
			}
			undefined := 0
			if tt.verdict == analysis.Undefined {
				undefined = 1
			}
			if r.Completeness.UndefinedComparisons != undefined || len(findings(r, "undefined")) != undefined {
				t.Errorf("undefined comparisons: counted %d, found %d, want %d", r.Completeness.UndefinedComparisons, len(findings(r, "undefined")), undefined)
			}
			if r.Cases[0].Metrics[0].Absolute["old"].Median == nil {
				t.Error("the absolute value is not shown")
			}
		})
	}
}

func value(v float64) *float64 { return &v }

// A drift of 4% a block hides a paired effect of 3% from unpaired tests; it is found within the blocks.
func TestPairedEffectUnderDrift(t *testing.T) {
	c := comparison(t, pairOf(t, "ns/op", "d_old", "d_new").percentile(20000, 391706).analyze(t), "only", "ns/op", "new")
	within(t, "estimate", c.Estimate, 1.0305, 5e-5)
	within(t, "low", c.Interval.Low, 1.0291, 5e-5)
	within(t, "high", c.Interval.High, 1.0320, 5e-5)
	if c.Verdict != analysis.Higher {
		t.Errorf("verdict %q, want higher", c.Verdict)
	}
	// Student's t on the ten log ratios, by hand: mean ± 2.262157 s/sqrt(10).
	logs := make([]float64, len(c.BlockRatios))
	sum, square := 0.0, 0.0
	for i, b := range c.BlockRatios {
		logs[i] = math.Log(*b.Ratio)
		sum += logs[i]
	}
	for _, l := range logs {
		square += (l - sum/10) * (l - sum/10)
	}
	half := 2.2621571627409915 * math.Sqrt(square/9/10)
	within(t, "student, low", c.Unregistered.StudentT.Low, math.Exp(sum/10-half), 1e-9)
	within(t, "student, high", c.Unregistered.StudentT.High, math.Exp(sum/10+half), 1e-9)
}

func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := newExperiment(6, 3, "old", "new").run(func(r plan.Run, repeat int) map[string]float64 {
			if r.Arm == "new" && r.Block == 4 && repeat == 2 {
				return map[string]float64{"ns/op": bad}
			}
			return map[string]float64{"ns/op": 10 + float64(r.Block)}
		})
		r := x.analyze(t)
		c := comparison(t, r, "only", "ns/op", "new")
		if c.Verdict != analysis.Undefined || c.Estimate != nil {
			t.Errorf("%v: verdict %q, estimate %v", bad, c.Verdict, c.Estimate)
		}
		contains(t, *c.VerdictReason, "new has no finite median in block 4", "1 of 6")
		if got := r.Cases[0].Metrics[0].Absolute["new"].Samples; got != 17 {
			t.Errorf("%v: %d samples in the range, want 17", bad, got)
		}
	}
}

// Ratios beyond what a double holds are undefined, not infinite.
func TestOverflow(t *testing.T) {
	x := newExperiment(3, 1, "old", "new").medians("ns/op", map[string][]float64{
		"old": {1e-308, 1e-308, 1e-308}, "new": {1e308, 1e308, 1e308},
	})
	c := comparison(t, x.analyze(t), "only", "ns/op", "new")
	if c.Verdict != analysis.Undefined || c.Estimate != nil || c.Interval != nil {
		t.Errorf("%+v", c)
	}
	contains(t, *c.VerdictReason, "in block 1 new against old is beyond")
}

func TestForeignData(t *testing.T) {
	x := newExperiment(2, 1, "old", "new").medians("ns/op", map[string][]float64{"old": {1, 2}, "new": {3, 4}})
	in := x.input()
	in.Processes = append(slices.Clone(in.Processes), sample.Process{Run: plan.Run{Number: 99, Case: "only", Arm: "new", Block: 1}, Retained: true})
	if _, err := analysis.Analyze(in); err == nil || !strings.Contains(err.Error(), "run 99") {
		t.Errorf("error %v, want one that names run 99", err)
	}
	if _, err := analysis.Analyze(analysis.Input{}); err == nil {
		t.Error("no plan and no error")
	}
}
