package analysis_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// experiment is a phase under construction: what tests say of it, and the processes that they give it.
type experiment struct {
	phase     plan.Phase
	orders    map[string][][]string // by case and block; declared order where there is none
	processes []sample.Process
	facts     analysis.Facts
	plan      *plan.Plan
}

// newExperiment returns a phase of one case "only" whose first arm is the baseline of all others.
func newExperiment(blocks, repeats int, arms ...string) *experiment {
	x := &experiment{orders: map[string][][]string{}}
	x.phase = plan.Phase{
		Name: "test", Question: "Is it right?", Baseline: arms[0], Repeats: repeats,
		Design:   plan.Design{Kind: "counterbalanced", Blocks: blocks},
		Estimand: plan.Estimand{Kind: plan.BlockRatio, Interval: plan.Interval{Kind: plan.StudentT, Level: 0.95}},
		Metrics:  []plan.Metric{{Unit: "ns/op", Role: plan.RoleMetric, Better: "lower"}},
	}
	for _, a := range arms {
		x.phase.Arms = append(x.phase.Arms, plan.Arm{Name: a})
	}
	for _, a := range arms[1:] {
		x.phase.Contrasts = append(x.phase.Contrasts, plan.Contrast{Arm: a, Base: arms[0]})
	}
	return x.cases("only")
}

func (x *experiment) cases(names ...string) *experiment {
	x.phase.Cases = nil
	for _, n := range names {
		c := plan.Case{Name: n}
		for i := range x.phase.Arms {
			c.Arms = append(c.Arms, x.phase.Arms[i].Name)
		}
		x.phase.Cases = append(x.phase.Cases, c)
	}
	return x
}

func (x *experiment) percentile(resamples int, seed int64) *experiment {
	x.phase.Estimand.Interval = plan.Interval{Kind: plan.Percentile, Level: 0.95, Resamples: resamples, Seed: seed}
	return x
}

func (x *experiment) constant(unit, confound string) *experiment {
	x.phase.Metrics = append(x.phase.Metrics, plan.Metric{Unit: unit, Role: plan.RoleConstant, Confound: confound})
	return x
}

// build plans the runs, block after block, case after case.
func (x *experiment) build() {
	x.plan = &plan.Plan{Version: plan.Version, Phase: &x.phase}
	for b := 1; b <= x.phase.Design.Blocks; b++ {
		for i := range x.phase.Cases {
			c := &x.phase.Cases[i]
			arms := c.Arms
			if o := x.orders[c.Name]; o != nil {
				arms = o[b-1]
			}
			for pos, arm := range arms {
				x.plan.Runs = append(x.plan.Runs, plan.Run{
					Number: len(x.plan.Runs) + 1, Case: c.Name, Arm: arm, Block: b, Position: pos + 1, Repeats: x.phase.Repeats,
				})
			}
		}
	}
}

// run plans the experiment and gives every run the samples that value returns for its repeats, counted from 1.
func (x *experiment) run(value func(r plan.Run, repeat int) map[string]float64) *experiment {
	x.build()
	x.processes = nil
	for _, r := range x.plan.Runs {
		p := sample.Process{Run: r, Attempt: 1, Retained: true, Audits: map[string]sample.AuditCount{}}
		for i := 1; i <= r.Repeats; i++ {
			p.Samples = append(p.Samples, sample.Sample{Repeat: i, Iterations: 100, Values: value(r, i)})
		}
		x.processes = append(x.processes, p)
	}
	return x
}

// medians runs the experiment with one metric whose samples are all the given median of arm and block.
func (x *experiment) medians(unit string, byArm map[string][]float64) *experiment {
	x.phase.Metrics[0].Unit = unit
	return x.run(func(r plan.Run, _ int) map[string]float64 { return map[string]float64{unit: byArm[r.Arm][r.Block-1]} })
}

// fail makes the run of an arm in a block of a case give no samples.
func (x *experiment) fail(name, arm string, block int) *experiment {
	for i := range x.processes {
		p := &x.processes[i]
		if p.Run.Case == name && p.Run.Arm == arm && p.Run.Block == block {
			p.Samples, p.Failure = nil, &sample.Failure{Kind: sample.FailExit, Message: "exit status 3"}
		}
	}
	return x
}

func (x *experiment) input() analysis.Input {
	return analysis.Input{Plan: x.plan, Processes: x.processes, Facts: x.facts}
}

func (x *experiment) analyze(t testing.TB) *analysis.Result {
	t.Helper()
	r, err := analysis.Analyze(x.input())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.JSON(); err != nil {
		t.Fatalf("result is no JSON: %v", err)
	}
	return r
}

// comparison returns a metric's comparison of an arm in a case.
func comparison(t testing.TB, r *analysis.Result, name, unit, arm string) *analysis.Comparison {
	t.Helper()
	for i := range r.Cases {
		for j := range r.Cases[i].Metrics {
			m := &r.Cases[i].Metrics[j]
			for k := range m.Comparisons {
				if r.Cases[i].Case == name && m.Unit == unit && m.Comparisons[k].Arm == arm {
					return &m.Comparisons[k]
				}
			}
		}
	}
	t.Fatalf("no comparison of %s of %q in case %q", unit, arm, name)
	return nil
}

// findings returns the findings of an id.
func findings(r *analysis.Result, id string) []check.Finding {
	var out []check.Finding
	for _, f := range r.Findings {
		if f.ID == id {
			out = append(out, f)
		}
	}
	return out
}

// only returns the one finding of an id.
func only(t testing.TB, r *analysis.Result, id string) check.Finding {
	t.Helper()
	fs := findings(r, id)
	if len(fs) != 1 {
		t.Fatalf("%d findings %q, want 1: %+v", len(fs), id, r.Findings)
	}
	return fs[0]
}

func none(t testing.TB, r *analysis.Result, ids ...string) {
	t.Helper()
	for _, f := range r.Findings {
		if slices.Contains(ids, f.ID) {
			t.Errorf("unexpected finding %+v", f)
		}
	}
}

// near holds a number to 1e-12 relative.
func near(t testing.TB, what string, got *float64, want float64) {
	t.Helper()
	within(t, what, got, want, 1e-12)
}

func within(t testing.TB, what string, got *float64, want, tolerance float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is null, want %v", what, want)
		return
	}
	if math.Abs(*got-want) > tolerance*math.Max(math.Abs(want), 1e-300) {
		t.Errorf("%s = %.17g, want %.17g", what, *got, want)
	}
}

func contains(t testing.TB, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q\nlacks %q", s, p)
		}
	}
}

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(readFile(t, name)), into); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
