package analysis_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// positive draws medians between 1e-3 and 1e9.
func positive(t *rapid.T, n int, label string) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(1e-3, 1e9), n, n).Draw(t, label)
}

func two(n int, base, arm []float64) *experiment {
	return newExperiment(n, 1, "base", "arm").medians("ns/op", map[string][]float64{"base": base, "arm": arm})
}

// close holds two numbers to 1e-9 relative: logs of numbers twelve decades apart have lost three digits of twelve.
func closeTo(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Fatalf("%s = %v, want %v", what, got, want)
	}
}

// Swapping the arms inverts the estimate and the ends of Student's and the sign-flip interval. It does not for the
// percentile interval: its two ends are defined from one side.
func TestSwapInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "n")
		base, arm := positive(t, n, "base"), positive(t, n, "arm")
		r, err := analysis.Analyze(two(n, base, arm).input())
		if err != nil {
			t.Fatal(err)
		}
		s, err := analysis.Analyze(two(n, arm, base).input())
		if err != nil {
			t.Fatal(err)
		}
		a, b := &r.Cases[0].Metrics[0].Comparisons[0], &s.Cases[0].Metrics[0].Comparisons[0]
		closeTo(t, "estimate", *a.Estimate, 1 / *b.Estimate)
		closeTo(t, "lowest without one", a.LeaveOneOut.Low, 1/b.LeaveOneOut.High)
		if a.Interval != nil && b.Interval != nil {
			closeTo(t, "low", *a.Interval.Low, 1 / *b.Interval.High)
			closeTo(t, "high", *a.Interval.High, 1 / *b.Interval.Low)
		}
		if x, y := a.Unregistered.SignFlip, b.Unregistered.SignFlip; x.Low != nil && y.High != nil {
			closeTo(t, "sign-flip low", *x.Low, 1 / *y.High)
			if *x.P != *y.P {
				t.Fatalf("sign-flip p %v and %v", *x.P, *y.P)
			}
		}
	})
}

// A unit is a matter of taste: scaling both arms changes no ratio, scaling one scales the ratio.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10).Draw(t, "n")
		base, arm := positive(t, n, "base"), positive(t, n, "arm")
		k := rapid.Float64Range(1e-6, 1e6).Draw(t, "k")
		scaled := func(vs []float64) []float64 {
			out := slices.Clone(vs)
			for i := range out {
				out[i] *= k
			}
			return out
		}
		get := func(x *experiment) *analysis.Comparison {
			r, err := analysis.Analyze(x.input())
			if err != nil {
				t.Fatal(err)
			}
			return &r.Cases[0].Metrics[0].Comparisons[0]
		}
		plain, both, one := get(two(n, base, arm)), get(two(n, scaled(base), scaled(arm))), get(two(n, base, scaled(arm)))
		closeTo(t, "both scaled", *both.Estimate, *plain.Estimate)
		closeTo(t, "one scaled", *one.Estimate, *plain.Estimate*k)
		if plain.Interval != nil && one.Interval != nil {
			closeTo(t, "low, one scaled", *one.Interval.Low, *plain.Interval.Low*k)
		}
	})
}

// The order in which processes are handed over has no part in the result.
func TestPermutation(t *testing.T) {
	for name, x := range everything(t) {
		want, err := x.analyze(t).JSON()
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			y := *x
			y.processes = slices.Clone(x.processes)
			rand.New(rand.NewPCG(seed, 1)).Shuffle(len(y.processes), func(i, j int) {
				y.processes[i], y.processes[j] = y.processes[j], y.processes[i]
			})
			got, err := y.analyze(t).JSON()
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: another order of processes gives another result (%v)", name, err)
			}
		}
	}
}

// Adding a case changes nothing in the others: the resamples are shared, not consumed.
func TestAddingACase(t *testing.T) {
	values := map[string][]float64{"base": {10, 11, 12, 13, 14, 15}, "arm": {9, 11, 11.5, 12, 14.5, 14}}
	alone := newExperiment(6, 1, "base", "arm").percentile(20000, 391706).cases("x").medians("ns/op", values).analyze(t)
	more := newExperiment(6, 1, "base", "arm").percentile(20000, 391706).cases("w", "x", "y").run(func(r plan.Run, _ int) map[string]float64 {
		v := values[r.Arm][r.Block-1]
		if r.Case != "x" {
			v *= float64(r.Number)
		}
		return map[string]float64{"ns/op": v}
	}).analyze(t)
	a, b := alone.Cases[0].Metrics[0].Comparisons[0], more.Cases[1].Metrics[0].Comparisons[0]
	if *a.Interval.Low != *b.Interval.Low || *a.Interval.High != *b.Interval.High || *a.Estimate != *b.Estimate {
		t.Errorf("with other cases %v [%v, %v], alone %v [%v, %v]", *b.Estimate, *b.Interval.Low, *b.Interval.High, *a.Estimate, *a.Interval.Low, *a.Interval.High)
	}
}

// Whatever numbers come, whatever is missing: the analysis does not panic, its JSON holds to the schema (so has no
// NaN and no infinity), and verdicts follow from the interval that is shown.
func TestAnyData(t *testing.T) {
	s := schema(t)
	odd := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 1e300}
	number := rapid.OneOf(rapid.SampledFrom(odd), rapid.Float64(), rapid.Float64Range(0.5, 2))
	rapid.Check(t, func(rt *rapid.T) {
		x := newExperiment(rapid.IntRange(1, 7).Draw(rt, "blocks"), rapid.IntRange(1, 4).Draw(rt, "repeats"), "a", "b", "c").cases("x", "y")
		x.constant("n", "something").percentile(100, 1)
		x.phase.Estimand.Interval.Kind = rapid.SampledFrom([]string{plan.StudentT, plan.Percentile, plan.SignFlip}).Draw(rt, "interval")
		x.phase.Family = rapid.SampledFrom([]string{"", "holm", "bh"}).Draw(rt, "family")
		difference := x.phase.Estimand
		difference.Kind = plan.BlockDifference
		limit := 1.0
		x.phase.Gates = []plan.Gate{{Metric: "ns/op", MaxRatio: &limit}, {Metric: "d", MaxDifference: &limit}}
		x.phase.Metrics = append(x.phase.Metrics, plan.Metric{Unit: "d", Role: plan.RoleMetric, Better: "lower", Estimand: &difference},
			plan.Metric{Unit: "q", Role: plan.RoleDerived, Better: "higher", Num: "ns/op", Den: "n"})
		x.run(func(plan.Run, int) map[string]float64 {
			return map[string]float64{"ns/op": number.Draw(rt, "ns"), "d": number.Draw(rt, "d"), "n": number.Draw(rt, "n")}
		})
		var kept []sample.Process
		for _, p := range x.processes {
			switch rapid.IntRange(0, 9).Draw(rt, "fate") {
			case 0:
				continue
			case 1:
				p.Samples, p.Failure = nil, &sample.Failure{Kind: sample.FailSignal, Message: "SIGSEGV"}
			case 2:
				p.Samples = p.Samples[:len(p.Samples)-1]
			case 3:
				delete(p.Samples[0].Values, "ns/op")
			}
			kept = append(kept, p)
		}
		x.processes = kept
		r, err := analysis.Analyze(x.input())
		if err != nil {
			rt.Fatal(err)
		}
		data, err := r.JSON()
		if err != nil {
			rt.Fatal(err)
		}
		if err := validate(t, s, data); err != nil {
			rt.Fatalf("%v\n%s", err, data)
		}
		for _, c := range r.Cases {
			for _, m := range c.Metrics {
				for _, k := range m.Comparisons {
					checkVerdict(rt, &c, &k)
				}
			}
		}
	})
}

func checkVerdict(t *rapid.T, c *analysis.Case, k *analysis.Comparison) {
	null := 1.0
	if k.Estimand == plan.BlockDifference {
		null = 0
	}
	if c.Status != analysis.Measured && k.Verdict != analysis.VerdictAbsent {
		t.Fatalf("a case that is %s has the verdict %q", c.Status, k.Verdict)
	}
	switch k.Verdict {
	case analysis.Lower:
		if *k.Interval.High >= null {
			t.Fatalf("lower with an interval up to %v", *k.Interval.High)
		}
	case analysis.Higher:
		if *k.Interval.Low <= null {
			t.Fatalf("higher with an interval from %v", *k.Interval.Low)
		}
	case analysis.Undefined, analysis.VerdictAbsent:
		if k.VerdictReason == nil || *k.VerdictReason == "" {
			t.Fatalf("%s without a reason", k.Verdict)
		}
	}
}
