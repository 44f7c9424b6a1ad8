package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/check"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// lab is a phase of two arms "old" and "new" in some cases, whose every run gave its samples.
type lab struct {
	plan      *plan.Plan
	processes []sample.Process
	facts     check.Facts
}

// newLab plans blocks in which the arms take turns to run first, and gives each run the values of value.
func newLab(blocks, repeats int, cases []string, value func(r plan.Run, repeat int) map[string]float64) *lab {
	p := &plan.Phase{
		Name: "test", Baseline: "old", Arms: []plan.Arm{{Name: "old"}, {Name: "new"}}, Repeats: repeats,
		Contrasts: []plan.Contrast{{Arm: "new", Base: "old"}}, Design: plan.Design{Blocks: blocks},
		Estimand: plan.Estimand{Kind: plan.BlockRatio, Interval: plan.Interval{Kind: plan.StudentT, Level: 0.95}},
		Metrics:  []plan.Metric{{Unit: "ns/op", Role: plan.RoleMetric, Better: "lower"}},
		Process:  plan.Process{Pad: true},
	}
	l := &lab{plan: &plan.Plan{Phase: p}}
	for _, c := range cases {
		p.Cases = append(p.Cases, plan.Case{Name: c, Arms: []string{"old", "new"}})
	}
	for b := 1; b <= blocks; b++ {
		for _, c := range cases {
			order := []string{"old", "new"}
			if b%2 == 0 {
				order = []string{"new", "old"}
			}
			for i, arm := range order {
				r := plan.Run{
					Number: len(l.plan.Runs) + 1, Case: c, Arm: arm, Block: b, Position: i + 1, Repeats: repeats,
					Argv: []plan.Arg{{File: "bin/" + arm}, {Text: "-x"}}, Env: map[string]string{"LANG": "C"},
				}
				l.plan.Runs = append(l.plan.Runs, r)
				proc := sample.Process{Run: r, Attempt: 1, Retained: true}
				for k := 1; k <= repeats; k++ {
					proc.Samples = append(proc.Samples, sample.Sample{Repeat: k, Values: value(r, k)})
				}
				l.processes = append(l.processes, proc)
				l.facts.Runs = append(l.facts.Runs, check.RunFacts{Run: r.Number, Attempt: 1, Total: 800, CPUs: "2-3", CPUsRead: "2-3", Finished: true})
			}
		}
	}
	return l
}

// flat is a lab in which every sample is 100 ns/op.
func flat(blocks int, cases ...string) *lab {
	return newLab(blocks, 1, cases, func(plan.Run, int) map[string]float64 { return map[string]float64{"ns/op": 100} })
}

func (l *lab) constant(m plan.Metric) *lab {
	m.Role = plan.RoleConstant
	l.plan.Phase.Metrics = append(l.plan.Phase.Metrics, m)
	return l
}

// find runs every check and returns the findings of one.
func (l *lab) find(t testing.TB, id string, comparisons ...check.Comparison) []check.Finding {
	t.Helper()
	var out []check.Finding
	for _, f := range l.all(t, comparisons...) {
		if f.ID == id {
			out = append(out, f)
		}
	}
	return out
}

func (l *lab) all(t testing.TB, comparisons ...check.Comparison) []check.Finding {
	t.Helper()
	g, err := check.NewGrid(l.plan, l.processes)
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(&check.Input{Grid: g, Facts: l.facts, Comparisons: comparisons})
}

// one returns the only finding of an id, whose message has the given parts.
func (l *lab) one(t testing.TB, id string, parts ...string) check.Finding {
	t.Helper()
	fs := l.find(t, id)
	if len(fs) != 1 {
		t.Fatalf("%d findings %q, want 1: %+v", len(fs), id, fs)
	}
	for _, p := range parts {
		if !strings.Contains(fs[0].Message, p) {
			t.Errorf("%q\nlacks %q", fs[0].Message, p)
		}
	}
	return fs[0]
}

func (l *lab) none(t testing.TB, id string) {
	t.Helper()
	if fs := l.find(t, id); len(fs) != 0 {
		t.Errorf("unexpected %+v", fs)
	}
}

func about(t testing.TB, f check.Finding, name, arm string, blocks ...int) {
	t.Helper()
	if f.Case != name || f.Arm != arm || !slices.Equal(f.Blocks, blocks) {
		t.Errorf("about case %q, arm %q, blocks %v; want %q, %q, %v", f.Case, f.Arm, f.Blocks, name, arm, blocks)
	}
}
