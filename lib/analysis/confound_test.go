package analysis_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

// d2 is the prefix confound as it was published: 24 processes, two cases of six blocks. The ordinary arm has a prefix
// of 5 bytes in rows10 block 5 and in rows1000 blocks 3 and 6, and of 6 bytes elsewhere; it ran first in blocks 1, 2
// and 6. The times are made up, with a known ratio in every block.
func d2() *experiment {
	x := newExperiment(6, 3, "ordinary", "remote").cases("rows10", "rows1000").constant("prefix-B", "physical prefix")
	for _, c := range []string{"rows10", "rows1000"} {
		for b := 1; b <= 6; b++ {
			o := []string{"remote", "ordinary"}
			if b == 1 || b == 2 || b == 6 {
				o = []string{"ordinary", "remote"}
			}
			x.orders[c] = append(x.orders[c], o)
		}
	}
	short := map[string][]int{"rows10": {5}, "rows1000": {3, 6}}
	ratios := map[string][]float64{
		"rows10":   {0.88, 0.90, 0.89, 0.91, 0.895, 0.885},
		"rows1000": {0.50, 0.52, 0.51, 0.54, 0.53, 0.60},
	}
	return x.run(func(r plan.Run, repeat int) map[string]float64 {
		ns, prefix := 1000+float64(10*r.Block+repeat-2), 6.0
		if r.Arm == "remote" {
			ns *= ratios[r.Case][r.Block-1]
		} else if slices.Contains(short[r.Case], r.Block) {
			prefix = 5
		}
		return map[string]float64{"ns/op": ns, "prefix-B": prefix}
	})
}

func TestPrefixConfound(t *testing.T) {
	r := d2().analyze(t)
	if len(r.Cases[0].Processes)+len(r.Cases[1].Processes) != 24 {
		t.Error("want 24 processes")
	}
	if code := r.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	none(t, r, "constant", "complete", "unbalanced")
	fs := findings(r, "prefix-confound")
	if len(fs) != 3 {
		t.Fatalf("%d findings, want one a case and one over both: %+v", len(fs), fs)
	}
	for _, f := range fs {
		if f.Severity != plan.Warning || f.Metric != "prefix-B" {
			t.Errorf("severity %q, metric %q", f.Severity, f.Metric)
		}
	}
	if f := fs[0]; f.Case != "rows10" || f.Arm != "ordinary" || !slices.Equal(f.Blocks, []int{5}) {
		t.Errorf("%+v", f)
	}
	contains(t, fs[0].Message, "1 of 6 processes of ordinary (5 in block 5)", "0 of 6 processes of remote",
		"remote against ordinary, is 1.0308533 over 6 blocks: a flag, not a result",
		"over the 5 matched blocks (ordinary first in 3, remote first in 2)", "block 5 lies inside", "0.88 to 0.91", "physical prefix")
	if f := fs[1]; f.Case != "rows1000" || !slices.Equal(f.Blocks, []int{3, 6}) {
		t.Errorf("%+v", f)
	}
	contains(t, fs[1].Message, "2 of 6 processes of ordinary (5 in blocks 3 and 6)", "is 1.0626586 over 6 blocks",
		"over the 4 matched blocks (ordinary first in 2, remote first in 2)", "block 3 lies inside", "block 6 lies outside")
	contains(t, fs[2].Message, "over 2 cases prefix-B is below the most common value of its case in 3 of 12 processes of ordinary and 0 of 12 processes of remote")
	contains(t, only(t, r, "not-comparable").Message, "absolutes are not comparable across rows10 and rows1000")
	// No sentence may judge the constant's speed.
	speed := regexp.MustCompile(`(?i)prefix-B[^.]*(faster|slower|lower|higher|better|worse)`)
	for _, f := range r.Findings {
		if speed.MatchString(f.Message) {
			t.Errorf("a finding judges the constant: %s", f.Message)
		}
	}
	for _, c := range r.Cases {
		for _, m := range c.Metrics {
			if m.Unit == "prefix-B" {
				t.Error("the constant is compared like a metric")
			}
		}
	}
}

func TestMatchedEstimate(t *testing.T) {
	r := d2().analyze(t)
	tests := []struct {
		name      string
		blocks    []int
		estimate  float64 // product of the matched ratios to the power of 1/n, by hand
		base, arm int
	}{
		{"rows10", []int{1, 2, 3, 4, 6}, 0.8929352551427114, 3, 2},
		{"rows1000", []int{1, 2, 4, 5}, 0.5222888378283259, 2, 2},
	}
	for _, tt := range tests {
		c := comparison(t, r, tt.name, "ns/op", "remote")
		m := c.Matched
		if m == nil || !slices.Equal(m.Blocks, tt.blocks) || m.BaseFirst != tt.base || m.ArmFirst != tt.arm || m.Status != "post-hoc" {
			t.Fatalf("%s: %+v", tt.name, m)
		}
		within(t, tt.name+" matched estimate", m.Estimate, tt.estimate, 1e-9)
		for _, b := range c.BlockRatios {
			if b.Matched == nil || *b.Matched != slices.Contains(tt.blocks, b.Block) {
				t.Errorf("%s block %d: matched %v", tt.name, b.Block, b.Matched)
			}
		}
		if c.Blocks != 6 || c.Verdict != analysis.Lower {
			t.Errorf("%s: the registered estimate must stand over all blocks: %d blocks, %s", tt.name, c.Blocks, c.Verdict)
		}
	}
}

func TestConfoundDeclared(t *testing.T) {
	x := d2()
	x.phase.Checks = []plan.Check{{
		Kind: "prefix_confound", Metric: "prefix-B", On: plan.Invalid,
		At: plan.Place{File: "d2.star", Line: 7, Col: 11},
	}}
	r := x.analyze(t)
	if r.ExitCode() != 3 {
		t.Errorf("exit code %d, want 3: the check was raised to invalid", r.ExitCode())
	}
	for _, f := range findings(r, "prefix-confound") {
		if f.Severity != plan.Invalid || f.At != "d2.star:7:11" {
			t.Errorf("severity %q at %q", f.Severity, f.At)
		}
	}
	if only(t, r, "not-comparable").Severity != plan.Note {
		t.Error("raising the check raised its neighbour")
	}
	if s := comparison(t, r, "rows10", "ns/op", "remote").Matched.Status; s != "declared" {
		t.Errorf("status %q, want declared", s)
	}
	// The check alone makes the constant a confound, and a severity below the default is not taken.
	x.phase.Metrics[1].Confound = ""
	x.phase.Checks[0].On = plan.Note
	for _, f := range findings(x.analyze(t), "prefix-confound") {
		if f.Severity != plan.Warning {
			t.Errorf("severity %q, want warning", f.Severity)
		}
	}
	// Without either it is a constant that differs: not what was declared.
	x.phase.Checks = nil
	r = x.analyze(t)
	if r.ExitCode() != 3 || len(findings(r, "constant")) != 2 || len(findings(r, "prefix-confound")) != 0 {
		t.Errorf("exit %d, findings %+v", r.ExitCode(), r.Findings)
	}
	if c := comparison(t, r, "rows10", "ns/op", "remote"); c.Matched != nil || c.BlockRatios[0].Matched != nil {
		t.Error("matched without a declared confound")
	}
}

func TestAllMatched(t *testing.T) {
	x := newExperiment(4, 1, "a", "b").constant("prefix-B", "physical prefix").run(func(r plan.Run, _ int) map[string]float64 {
		return map[string]float64{"ns/op": 10, "prefix-B": 6}
	})
	r := x.analyze(t)
	c := comparison(t, r, "only", "ns/op", "b")
	if c.Matched != nil || c.BlockRatios[0].Matched == nil || !*c.BlockRatios[0].Matched {
		t.Errorf("matched %+v, block %+v", c.Matched, c.BlockRatios[0])
	}
	none(t, r, "prefix-confound", "not-comparable")
}

func TestNoBlockMatched(t *testing.T) {
	x := newExperiment(4, 2, "a", "b").constant("prefix-B", "physical prefix").run(func(r plan.Run, repeat int) map[string]float64 {
		return map[string]float64{"ns/op": 10 + float64(r.Position), "prefix-B": float64(5 + repeat)}
	})
	r := x.analyze(t)
	c := comparison(t, r, "only", "ns/op", "b")
	if c.Matched == nil || len(c.Matched.Blocks) != 0 || c.Matched.Estimate != nil {
		t.Errorf("matched %+v", c.Matched)
	}
	if p := r.Cases[0].Processes[0]; p.Constants["prefix-B"] != nil {
		t.Error("a constant that differs within a process has a value")
	}
	contains(t, only(t, r, "prefix-confound").Message, "different within 4 processes", "no block is matched")
}
