package report_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/sample"
)

// lab is an experiment whose samples are made by hand: the phase, what every process measures, what the ledger says.
type lab struct {
	phase  *plan.Phase
	value  func(r plan.Run, repeat int) map[string]float64
	broken map[int]sample.Failure // by run
	ledger []ledger.Entry
	seal   *string
}

// wobble is noise of about one percent: fixed, so that every number of a golden file is reproducible.
func wobble(r plan.Run, repeat int) float64 {
	steps := []float64{0.000, 0.006, -0.004, 0.009, -0.007, 0.003, -0.002, 0.011, -0.009, 0.001, 0.005, -0.005, 0.008}
	n := 5*r.Block + 3*repeat + 7*len(r.Arm) + 2*len(r.Case)
	return 1 + steps[n%len(steps)]
}

// ns returns a value function that gives ns/op: a base by case, times a ratio by arm, with a little noise.
func ns(base map[string]float64, ratio map[string]float64) func(plan.Run, int) map[string]float64 {
	return func(r plan.Run, repeat int) map[string]float64 {
		return map[string]float64{"ns/op": base[r.Case] * ratio[r.Arm] * wobble(r, repeat)}
	}
}

var place = plan.Place{File: "sorting.star", Line: 12, Col: 5}

// newLab returns a phase of six counterbalanced blocks of three repeats, measured in ns/op.
func newLab(arms, cases []string) *lab {
	p := &plan.Phase{
		Name: "sorting", Question: "Is slices.SortFunc faster than sort.Slice on real records?",
		Baseline: arms[0],
		Design:   plan.Design{Kind: "counterbalanced", Blocks: 6, Seed: 641401, Nesting: plan.NestBlocks, Order: plan.OrderCase, At: place},
		Repeats:  3,
		Metrics:  []plan.Metric{{Unit: "ns/op", Role: plan.RoleMetric, Better: "lower", At: place}},
		Estimand: plan.Estimand{Kind: plan.BlockRatio, Interval: plan.Interval{Kind: plan.StudentT, Level: 0.95}, At: place},
		Process: plan.Process{
			Timeout: plan.Duration(time.Minute), CPUs: "2-3", Pad: true,
			Env: map[string]string{"GOGC": "100", "GOMAXPROCS": "2"},
		},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block", At: place,
	}
	for _, a := range arms {
		p.Arms = append(p.Arms, plan.Arm{Name: a, Params: []plan.Parameter{{Name: "sorter", Value: plan.Value{V: a}}}, At: place})
	}
	for _, a := range arms[1:] {
		p.Contrasts = append(p.Contrasts, plan.Contrast{Arm: a, Base: arms[0]})
	}
	p.Files = []plan.File{{Label: "bin/sorting.test", Kind: plan.KindBinary, At: place}}
	for i, c := range cases {
		commands := map[string]plan.Command{}
		for _, a := range arms {
			commands[a] = plan.Command{Format: plan.FormatGobench, Argv: []plan.Arg{
				{File: "bin/sorting.test"},
				{Text: "-test.bench=^BenchmarkSort$/^size=" + c + "$/^sorter=" + a + "$"},
				{Text: "-test.benchtime=1s"},
				{Text: "-test.count=3"},
				{Text: "-test.run=^$"},
			}}
		}
		p.Cases = append(p.Cases, plan.Case{
			Name: c, Arms: arms, Commands: commands, At: place,
			Params: []plan.Parameter{{Name: "records", Value: plan.Value{V: int64(100 * (i + 1))}}},
		})
	}
	l := &lab{phase: p, broken: map[int]sample.Failure{}}
	l.journal(&ledger.PinVerified{When: "closing", Files: 1})
	return l
}

// journal adds an event to the ledger, a minute after the last.
func (l *lab) journal(b ledger.Body) {
	n := len(l.ledger) + 1
	l.ledger = append(l.ledger, ledger.Entry{Body: b, Line: n, Header: ledger.Header{
		Seq: n, Event: b.Kind(), Time: time.Date(2026, 10, 14, 10, n, 0, 0, time.UTC),
	}})
}

// metric adds a metric or a constant.
func (l *lab) metric(m plan.Metric) {
	m.At = place
	l.phase.Metrics = append(l.phase.Metrics, m)
}

// page plans, measures and analyses the experiment.
func (l *lab) page(t testing.TB) report.Page {
	t.Helper()
	pl, err := plan.New(l.phase, "5f0c2d9e6b1a4837c2d9e6b1a48375f0c2d9e6b1a48375f0c2d9e6b1a4837000")
	if err != nil {
		t.Fatal(err)
	}
	var ps []sample.Process
	for _, r := range pl.Runs {
		p := sample.Process{Run: r, Attempt: 1, Retained: true, Audits: map[string]sample.AuditCount{}}
		if f, ok := l.broken[r.Number]; ok {
			p.Failure = &f
			ps = append(ps, p)
			continue
		}
		for i := 1; i <= r.Repeats; i++ {
			p.Samples = append(p.Samples, sample.Sample{Repeat: i, Iterations: 100, Values: l.value(r, i)})
		}
		ps = append(ps, p)
	}
	opened := ledger.Entry{
		Line: 1, Header: ledger.Header{Seq: 1, Event: "opened", Time: time.Date(2026, 10, 14, 10, 0, 0, 0, time.UTC)},
		Body: &ledger.Opened{
			Phase: l.phase.Name, Tool: "phaselock v0.1.0 go1.26.8", ProtocolDigest: pl.ProtocolDigest, PlanDigest: pl.Digest, Seal: l.seal,
			Host:        map[string]string{"cpu_model": "Neoverse-N1", "cpu_count": "4", "kernel": "6.12.0", "memory_kb": "16384000", "governor": "unknown", "turbo": "unknown", "ksm": "off"},
			HarnessCPUs: "0-1", AllowedCPUs: "0-3",
			Files: []ledger.PinnedFile{{
				Label: "bin/sorting.test", Kind: plan.KindBinary, SHA256: "5be0c1aa9d3f4e6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
				Build: map[string]string{"go": "go1.26.8", "revision": "267a41434a81", "modified": "false"},
			}},
		},
	}
	entries := append([]ledger.Entry{opened}, l.ledger...)
	r, err := analysis.Analyze(analysis.Input{Plan: pl, Processes: ps, Seal: l.seal, Facts: analysis.FactsOf(entries)})
	if err != nil {
		t.Fatal(err)
	}
	pinCoverage(r)
	return report.Page{Plan: pl, Result: r, Ledger: entries, Folder: "out/sorting"}
}

// pinCoverage gives every comparison the coverage of one simulation: the table may be made again with more
// replications, and the page shows what it is given.
func pinCoverage(r *analysis.Result) {
	for i := range r.Cases {
		for j := range r.Cases[i].Metrics {
			for k := range r.Cases[i].Metrics[j].Comparisons {
				c := &r.Cases[i].Metrics[j].Comparisons[k]
				if c.Unregistered == nil || c.Unregistered.SimulatedCoverage == nil || c.Interval == nil {
					continue
				}
				v := map[string]float64{plan.StudentT: 0.949, plan.Percentile: 0.861, plan.SignFlip: 0.969}[c.Interval.Kind]
				c.Unregistered.SimulatedCoverage = &v
			}
		}
	}
}

func terminal(t testing.TB, p report.Page, o report.TerminalOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Terminal(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdown(t testing.TB, p report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Markdown(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func explain(t testing.TB, p report.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Explain(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func planTable(t testing.TB, pl *plan.Plan, columns int) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.PlanTable(&b, pl, columns); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
