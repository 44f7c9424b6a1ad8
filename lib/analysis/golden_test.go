package analysis_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
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
		t.Run(c.ID, func(t *testing.T) { c.check(t, c.experiment().analyze(t)) })
		t.Run(c.ID+" as CSV", func(t *testing.T) { c.check(t, throughCSV(t, c.experiment(), c.Baseline)) })
	}
}

// throughCSV writes an experiment's samples as metrics.csv and analyses that file.
func throughCSV(t *testing.T, x *experiment, baseline string) *analysis.Result {
	t.Helper()
	var file bytes.Buffer
	if err := sample.WriteCSV(&file, x.plan, x.processes); err != nil {
		t.Fatal(err)
	}
	pl, processes, err := sample.ReadCSV(&file, "metrics.csv", sample.CSVOptions{
		Baseline: baseline, Interval: plan.Percentile, Level: 0.95, Resamples: 20000, Seed: 391706,
		Constants: []sample.CSVConstant{{Unit: "rows/op"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Analyze(analysis.Input{Plan: pl, Processes: processes})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// check holds a result to every number that is expected, to 1e-12.
func (c *pipelineCase) check(t *testing.T, r *analysis.Result) {
	t.Helper()
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
