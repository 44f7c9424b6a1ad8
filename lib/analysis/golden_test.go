package analysis_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// pipelineCase is one experiment of pipeline.json: raw samples and the numbers that exact arithmetic gives.
type pipelineCase struct {
	ID        string
	Arms      []string
	Baseline  string
	Blocks    int
	Repeats   int
	Processes []struct {
		Block, Position int
		Arm             string
		NS              []float64 `json:"ns_per_op"`
		Rows            []float64 `json:"rows_per_op"`
	}
	Expected map[string]json.RawMessage
}

type pipelineArm struct {
	Absolute    float64    `json:"absolute_median_over_blocks"`
	RawMin      float64    `json:"raw_min"`
	RawMax      float64    `json:"raw_max"`
	Ratios      []float64  `json:"block_ratios"`
	GeoMean     float64    `json:"geo_mean"`
	Exact       [2]float64 `json:"exact_percentile95"`
	MinRatio    float64    `json:"min_block_ratio"`
	MaxRatio    float64    `json:"max_block_ratio"`
	ArmFirst    float64    `json:"gm_blocks_arm_first"`
	BaseFirst   float64    `json:"gm_blocks_baseline_first"`
	NArmFirst   int        `json:"n_arm_first"`
	NBaseFirst  int        `json:"n_baseline_first"`
	LeaveOneOut []float64  `json:"leave_one_block_out"`
	LOORange    [2]float64 `json:"loo_range"`
	PooledTrap  float64    `json:"pooled_median_TRAP"`
	AbsTrap     float64    `json:"ratio_of_absolute_medians_TRAP"`
	MeanTrap    float64    `json:"arithmetic_mean_of_ratios_TRAP"`
	MedianTrap  float64    `json:"median_of_ratios_TRAP"`
}

func (c *pipelineCase) experiment() *experiment {
	arms := []string{c.Baseline}
	for _, a := range c.Arms {
		if a != c.Baseline {
			arms = append(arms, a)
		}
	}
	x := newExperiment(c.Blocks, c.Repeats, arms...).constant("rows/op", "").percentile(20000, 391706)
	order := make([][]string, c.Blocks)
	for i := range order {
		order[i] = make([]string, len(arms))
	}
	samples := map[string][2][]float64{}
	for _, p := range c.Processes {
		order[p.Block-1][p.Position-1] = p.Arm
		samples[fmt.Sprintf("%d/%s", p.Block, p.Arm)] = [2][]float64{p.NS, p.Rows}
	}
	x.orders["only"] = order
	return x.run(func(r plan.Run, repeat int) map[string]float64 {
		s := samples[fmt.Sprintf("%d/%s", r.Block, r.Arm)]
		return map[string]float64{"ns/op": s[0][repeat-1], "rows/op": s[1][repeat-1]}
	})
}

func TestPipeline(t *testing.T) {
	var golden struct{ Cases []pipelineCase }
	readJSON(t, "pipeline.json", &golden)
	if len(golden.Cases) != 4 {
		t.Fatalf("%d experiments, want 4", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.ID, func(t *testing.T) {
			r := c.experiment().analyze(t)
			var medians map[string]float64
			if err := json.Unmarshal(c.Expected["process_medians"], &medians); err != nil {
				t.Fatal(err)
			}
			if got := len(r.Cases[0].Processes); got != len(medians) {
				t.Errorf("%d processes, want %d", got, len(medians))
			}
			for _, p := range r.Cases[0].Processes {
				k := fmt.Sprintf("%d/%s", p.Block, p.Arm)
				near(t, "median of "+k, p.Medians["ns/op"], medians[k])
				near(t, "rows/op of "+k, p.Constants["rows/op"], 5000)
			}
			for _, arm := range c.Arms {
				var want pipelineArm
				if err := json.Unmarshal(c.Expected[arm], &want); err != nil {
					t.Fatal(err)
				}
				checkAbsolute(t, arm, r.Cases[0].Metrics[0].Absolute[arm], want, c.Blocks*c.Repeats)
				if arm != c.Baseline {
					checkArm(t, comparison(t, r, "only", "ns/op", arm), want)
				}
			}
			if code := r.ExitCode(); code != 0 {
				t.Errorf("exit code %d: %+v", code, r.Findings)
			}
		})
	}
}

func checkAbsolute(t *testing.T, arm string, got analysis.Absolute, want pipelineArm, samples int) {
	t.Helper()
	near(t, arm+" absolute", got.Median, want.Absolute)
	near(t, arm+" minimum", got.Min, want.RawMin)
	near(t, arm+" maximum", got.Max, want.RawMax)
	trap(t, arm+" absolute", got.Median, want.Absolute, want.PooledTrap)
	if got.Samples != samples {
		t.Errorf("%s has %d samples, want %d", arm, got.Samples, samples)
	}
}

func checkArm(t *testing.T, got *analysis.Comparison, want pipelineArm) {
	t.Helper()
	near(t, "estimate", got.Estimate, want.GeoMean)
	for _, v := range []float64{want.AbsTrap, want.MeanTrap, want.MedianTrap} {
		trap(t, "estimate", got.Estimate, want.GeoMean, v)
	}
	if got.Blocks != len(want.Ratios) || len(got.BlockRatios) != len(want.Ratios) {
		t.Fatalf("%d blocks, %d ratios, want %d", got.Blocks, len(got.BlockRatios), len(want.Ratios))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, b := range got.BlockRatios {
		near(t, fmt.Sprintf("ratio of block %d", b.Block), b.Ratio, want.Ratios[i])
		low, high = min(low, *b.Ratio), max(high, *b.Ratio)
	}
	near(t, "smallest ratio", &low, want.MinRatio)
	near(t, "largest ratio", &high, want.MaxRatio)
	near(t, "exact limit, low", got.Unregistered.ExactPercentile.Low, want.Exact[0])
	near(t, "exact limit, high", got.Unregistered.ExactPercentile.High, want.Exact[1])
	near(t, "sign-flip, low (n = 6)", got.Unregistered.SignFlip.Low, want.MinRatio)
	near(t, "sign-flip, high (n = 6)", got.Unregistered.SignFlip.High, want.MaxRatio)
	near(t, "arm first", got.Order.ArmFirst.Estimate, want.ArmFirst)
	near(t, "base first", got.Order.BaseFirst.Estimate, want.BaseFirst)
	if got.Order.ArmFirst.Blocks != want.NArmFirst || got.Order.BaseFirst.Blocks != want.NBaseFirst {
		t.Errorf("orders %d and %d, want %d and %d", got.Order.ArmFirst.Blocks, got.Order.BaseFirst.Blocks, want.NArmFirst, want.NBaseFirst)
	}
	near(t, "lowest without one", &got.LeaveOneOut.Low, want.LOORange[0])
	near(t, "highest without one", &got.LeaveOneOut.High, want.LOORange[1])
	near(t, "without the block of the lowest", &want.LeaveOneOut[got.LeaveOneOut.LowWithout-1], want.LOORange[0])
	near(t, "without the block of the highest", &want.LeaveOneOut[got.LeaveOneOut.HighWithout-1], want.LOORange[1])
}

// trap holds a number away from what a typical mistake gives, where the two differ.
func trap(t *testing.T, what string, got *float64, want, mistake float64) {
	t.Helper()
	if math.Abs(mistake-want) > 1e-9*math.Abs(want) && got != nil && math.Abs(*got-mistake) <= 1e-9*math.Abs(mistake) {
		t.Errorf("%s = %v is the value of a wrong implementation; want %v", what, *got, want)
	}
}

func TestPercentileBands(t *testing.T) {
	var golden struct {
		Sets []struct {
			ID       string
			Blocks   []string
			GM       float64
			Exact    [2]float64
			BandLow  [2]float64 `json:"band_low"`
			BandHigh [2]float64 `json:"band_high"`
		}
	}
	readJSON(t, "bands.json", &golden)
	if len(golden.Sets) != 12 {
		t.Fatalf("%d sets, want 12", len(golden.Sets))
	}
	for _, s := range golden.Sets {
		t.Run(s.ID, func(t *testing.T) {
			n := len(s.Blocks)
			arm, base := make([]float64, n), make([]float64, n)
			for i, v := range s.Blocks {
				f, err := strconv.ParseFloat(v, 64)
				if err != nil {
					t.Fatal(err)
				}
				arm[i], base[i] = f, 1
			}
			x := newExperiment(n, 1, "base", "arm").medians("ns/op", map[string][]float64{"arm": arm, "base": base})
			for seed := range int64(100) {
				x.percentile(20000, seed)
				c := comparison(t, x.analyze(t), "only", "ns/op", "arm")
				if seed == 0 {
					near(t, "estimate", c.Estimate, s.GM)
					near(t, "exact limit, low", c.Unregistered.ExactPercentile.Low, s.Exact[0])
					near(t, "exact limit, high", c.Unregistered.ExactPercentile.High, s.Exact[1])
				}
				inBand(t, seed, *c.Interval.Low, s.BandLow)
				inBand(t, seed, *c.Interval.High, s.BandHigh)
				if c.Interval.Resamples != 20000 || *c.Interval.Seed != seed {
					t.Fatalf("interval %+v does not say what made it", c.Interval)
				}
			}
		})
	}
}

func inBand(t *testing.T, seed int64, v float64, band [2]float64) {
	t.Helper()
	if v < band[0]*(1-1e-12) || v > band[1]*(1+1e-12) {
		t.Errorf("seed %d: end %.17g is outside the band %v", seed, v, band)
	}
}

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
		{"zero baseline", pairOf(t, "allocs/op", "z_old", "z_new"), analysis.Undefined, nil,
			[]string{"old", "a median of 0", "block 1", "6 of 6 blocks"}},
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
