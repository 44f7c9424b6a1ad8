package report_test

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
)

// hostile are texts that break out of what they stand in, if nobody minds.
var hostile = []string{
	"a", "b", "small", "", "with|bar", "`tick`", "``", "<script>alert(1)</script>", "line\nbreak", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07",
	"*bold* _em_", "# heading", "- item", "1. one", "[a](http://x)", "ünï", "漢字漢字", strings.Repeat("long-", 40), "\xff\xfe", "a\\|b", "&amp;", "\u202eevil",
	"ns/op", "B/op", "allocs/op", "p99-ns/op", "MB/s", "wall-ns", "s", "bytes",
}

var texts = rapid.SampledFrom(hostile)

func text(t *rapid.T) string { return texts.Draw(t, "text") }

// figure draws a number or nil, with the awkward ones more often than chance would.
var figures = rapid.Custom(func(t *rapid.T) *float64 {
	v := rapid.OneOf(
		rapid.Float64(), rapid.Float64Range(0.9, 1.1),
		rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 0.9999999999999999, 1.0000000000000002, 999.96, 1e6}),
	).Draw(t, "number")
	if rapid.IntRange(0, 3).Draw(t, "nil") == 0 {
		return nil
	}
	return &v
})

func figure(t *rapid.T) *float64 { return figures.Draw(t, "figure") }

func maybe[T any](t *rapid.T, of func(*rapid.T) T) *T {
	if rapid.Bool().Draw(t, "nil") {
		return nil
	}
	v := of(t)
	return &v
}

func several[T any](t *rapid.T, most int, of func(*rapid.T) T) []T {
	out := make([]T, rapid.IntRange(0, most).Draw(t, "n"))
	for i := range out {
		out[i] = of(t)
	}
	return out
}

func drawBool(t *rapid.T) bool { return rapid.Bool().Draw(t, "bool") }

func drawEnds(t *rapid.T) analysis.Ends { return analysis.Ends{Low: figure(t), High: figure(t)} }

func drawInterval(t *rapid.T) analysis.Interval {
	return analysis.Interval{
		Kind: rapid.SampledFrom([]string{"student_t", "percentile", "sign_flip", "<b>"}).Draw(t, "kind"), Level: rapid.SampledFrom([]float64{0.95, 0.99, 0, math.NaN()}).Draw(t, "level"),
		Low: figure(t), High: figure(t),
	}
}

func drawComparison(t *rapid.T) analysis.Comparison {
	small := rapid.IntRange(-1, 8)
	return analysis.Comparison{
		Arm: text(t), Base: text(t), Estimand: rapid.SampledFrom([]string{"block_ratio", "block_difference"}).Draw(t, "estimand"),
		Blocks: small.Draw(t, "blocks"), Estimate: figure(t),
		Verdict:       rapid.SampledFrom([]string{"lower", "higher", "unresolved", "equal", "undefined", "incomplete", "odd", ""}).Draw(t, "verdict"),
		VerdictReason: maybe(t, text), Interval: maybe(t, drawInterval), Also: several(t, 2, drawInterval),
		Unregistered: maybe(t, func(t *rapid.T) analysis.Unregistered {
			return analysis.Unregistered{
				ExactPercentile: maybe(t, drawEnds), StudentT: maybe(t, drawEnds), SimulatedCoverage: figure(t),
				SignFlip: maybe(t, func(t *rapid.T) analysis.SignFlipEnds {
					return analysis.SignFlipEnds{Low: figure(t), High: figure(t), Level: figure(t), P: figure(t), MinP: figure(t)}
				}),
			}
		}),
		BlockRatios: several(t, 4, func(t *rapid.T) analysis.BlockRatio {
			return analysis.BlockRatio{Block: small.Draw(t, "block"), Ratio: figure(t), First: text(t), Matched: maybe(t, drawBool)}
		}),
		Order: maybe(t, func(t *rapid.T) analysis.Order {
			return analysis.Order{BaseFirst: analysis.OrderPart{Blocks: 3, Estimate: figure(t)}, ArmFirst: analysis.OrderPart{Estimate: figure(t)}}
		}),
		LeaveOneOut: maybe(t, func(t *rapid.T) analysis.LeaveOneOut {
			return analysis.LeaveOneOut{Low: rapid.Float64().Draw(t, "low"), High: math.NaN()}
		}),
		Matched: maybe(t, func(t *rapid.T) analysis.Matched {
			return analysis.Matched{Blocks: several(t, 3, func(t *rapid.T) int { return small.Draw(t, "block") }), Estimate: figure(t), Status: text(t)}
		}),
		P: figure(t), AdjustedP: figure(t), RegisteredAgree: rapid.Bool().Draw(t, "agree"), Disagreeing: several(t, 2, text),
	}
}

func drawResult(t *rapid.T) *analysis.Result {
	byUnit := func(t *rapid.T) map[string]*float64 {
		return map[string]*float64{"prefix-B": figure(t), "rows/op": figure(t), text(t): figure(t)}
	}
	return &analysis.Result{
		Phase: text(t), Seal: maybe(t, text), Baseline: text(t),
		Completeness: analysis.Completeness{
			ProcessesPlanned: 4, ProcessesFailed: rapid.IntRange(0, 2).Draw(t, "failed"), LimitedToCompleteBlocks: drawBool(t),
			Audits: map[string]analysis.Audit{text(t): {Expected: 4, Passed: 3}},
		},
		Cases: several(t, 3, func(t *rapid.T) analysis.Case {
			return analysis.Case{
				Case: text(t), Status: rapid.SampledFrom([]string{"measured", "incomplete", "contaminated", ""}).Draw(t, "status"), StatusReason: maybe(t, text),
				Processes: several(t, 3, func(t *rapid.T) analysis.Process {
					return analysis.Process{
						Run: 1, Arm: text(t), Block: rapid.IntRange(0, 3).Draw(t, "block"), Medians: byUnit(t), Constants: byUnit(t), Replaced: drawBool(t),
						Failure: maybe(t, func(t *rapid.T) analysis.Failure { return analysis.Failure{Kind: text(t), Message: text(t)} }),
					}
				}),
				Metrics: several(t, 3, func(t *rapid.T) analysis.Metric {
					return analysis.Metric{
						Unit: text(t), Better: rapid.SampledFrom([]string{"lower", "higher", ""}).Draw(t, "better"),
						Absolute:    map[string]analysis.Absolute{text(t): {Median: figure(t), Min: figure(t), Max: figure(t)}},
						Comparisons: several(t, 3, drawComparison),
					}
				}),
			}
		}),
		Findings: several(t, 12, func(t *rapid.T) analysis.Finding {
			return analysis.Finding{
				ID: rapid.SampledFrom([]string{"complete", "identical-arms", "order"}).Draw(t, "id"), Severity: rapid.SampledFrom([]string{"note", "warning", "invalid", "odd"}).Draw(t, "severity"),
				Case: text(t), Metric: text(t), Arm: text(t), Blocks: []int{1, 2}, Message: text(t), At: text(t),
			}
		}),
		Gates: several(t, 12, func(t *rapid.T) analysis.Gate {
			return analysis.Gate{
				Metric: text(t), Case: text(t), Arm: text(t), Base: text(t), Bound: text(t), Limit: rapid.Float64().Draw(t, "limit"),
				Verdict: rapid.SampledFrom([]string{"pass", "fail", "inconclusive", "odd"}).Draw(t, "verdict"), Reason: text(t), At: text(t),
			}
		}),
	}
}

func drawPlan(t *rapid.T) *plan.Plan {
	parameters := func(t *rapid.T) []plan.Parameter {
		return several(t, 2, func(t *rapid.T) plan.Parameter {
			return plan.Parameter{Name: text(t), Value: rapid.SampledFrom([]plan.Value{{}, {V: true}, {V: 1.5}, {V: int64(3)}, {V: "x|y"}, {V: plan.List{{V: "a"}}}, {V: plan.Tuple{{V: nil}}}, {V: plan.FileRef("f")}, {V: 7}}).Draw(t, "value")}
		})
	}
	ph := &plan.Phase{
		Name: text(t), Campaign: text(t), Question: text(t), Baseline: text(t), Family: rapid.SampledFrom([]string{"", "holm", "bh", "odd"}).Draw(t, "family"),
		Params: parameters(t), Predictions: several(t, 2, text), Limits: several(t, 2, text), Contrasts: []plan.Contrast{{Arm: text(t), Base: text(t)}},
		Design:  plan.Design{Kind: text(t), Blocks: rapid.IntRange(-1, 30).Draw(t, "blocks")},
		Metrics: []plan.Metric{{Unit: "prefix-B", Role: plan.RoleConstant, Confound: text(t)}, {Unit: "rows/op", Role: plan.RoleConstant}, {Unit: text(t), Role: plan.RoleDerived}},
		Process: plan.Process{Env: map[string]string{text(t): text(t)}},
		Arms:    several(t, 3, func(t *rapid.T) plan.Arm { return plan.Arm{Name: text(t), Control: drawBool(t), Params: parameters(t)} }),
		Expect:  []plan.Expect{{Kind: plan.ExpectMetric, Unit: text(t)}, {Kind: plan.ExpectAudit, Name: text(t), Where: parameters(t)}, {Kind: text(t)}},
		Gates:   []plan.Gate{{Metric: text(t)}}, Checks: []plan.Check{{Kind: text(t)}},
	}
	ph.Cases = several(t, 3, func(t *rapid.T) plan.Case {
		c := plan.Case{Name: text(t), Params: parameters(t), Commands: map[string]plan.Command{}}
		for i := range ph.Arms {
			c.Arms = append(c.Arms, ph.Arms[i].Name)
			if drawBool(t) {
				c.Commands[ph.Arms[i].Name] = plan.Command{Argv: several(t, 3, func(t *rapid.T) plan.Arg { return plan.Arg{Text: text(t)} })}
			}
		}
		return c
	})
	pl := &plan.Plan{Phase: ph, Digest: text(t)}
	for i := range rapid.IntRange(0, 5).Draw(t, "runs") {
		pl.Runs = append(pl.Runs, plan.Run{
			Number: i + 1, Case: text(t), Arm: text(t), Block: i / 2, Position: rapid.IntRange(-1, 3).Draw(t, "position"),
			Argv: several(t, 3, func(t *rapid.T) plan.Arg { return plan.Arg{Text: text(t)} }),
		})
	}
	return pl
}

// No result and no plan, however odd, makes a form of the report panic, print a number that is none, write beyond the
// terminal's width, lose a heading or break a table.
func TestAnyPageCanBeShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := report.Page{Plan: drawPlan(t), Result: drawResult(t), Folder: text(t)}
		columns := rapid.SampledFrom([]int{0, 1, 30, 40, 80, 100, 140}).Draw(t, "width")
		o := report.TerminalOptions{Width: columns, ASCII: drawBool(t)}
		screen := written(t, func(w io.Writer) error { return report.Terminal(w, p, o) })
		checkNumbers(t, screen)
		if columns == 0 {
			columns = 100
		}
		for _, l := range strings.Split(screen, "\n") {
			if n := twwidth.WidthWithOptions(l, twwidth.Options{}); n > max(columns, 30) {
				t.Fatalf("%d columns where %d fit: %q", n, columns, l)
			}
			if o.ASCII && strings.ContainsFunc(l, func(r rune) bool { return r > 126 || r < 32 }) {
				t.Fatalf("no ASCII: %q", l)
			}
		}
		if strings.Contains(screen, "\x1b") {
			t.Fatalf("an escape sequence without Color: %q", screen)
		}
		page := written(t, func(w io.Writer) error { return report.Markdown(w, p) })
		checkNumbers(t, page)
		checkHeadings(t, page, headings)
		checkTables(t, page)
		before := written(t, func(w io.Writer) error { return report.Explain(w, p) })
		checkNumbers(t, before)
		checkHeadings(t, before, before9)
		checkTables(t, before)
		written(t, func(w io.Writer) error { return report.PlanTable(w, p.Plan, columns) })
	})
}

func written(t *rapid.T, write func(io.Writer) error) string {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func checkNumbers(t *rapid.T, s string) {
	for _, bad := range []string{"NaN", "Inf", "%!", "<nil>", "0x"} {
		if i := strings.Index(s, bad); i >= 0 {
			t.Fatalf("%q in %q", bad, s[max(0, i-60):min(len(s), i+60)])
		}
	}
}

var headings = []string{
	"Answer", "Arms", "Environment and design", "Results", "Absolute values", "Blocks", "Order and single-block sensitivity", "Findings",
	"Interpretation", "Limits", "Deviations", "Completeness and pins", "How to check this",
}

var before9 = []string{
	"Question", "Arms", "Environment and design", "Cases", "Correctness and path checks", "Estimand and interval", "Orders", "Predictions", "Limits",
}

func checkHeadings(t interface{ Fatalf(string, ...any) }, page string, want []string) {
	var got []string
	for _, l := range strings.Split(page, "\n") {
		if h, ok := strings.CutPrefix(l, "## "); ok {
			got = append(got, h)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("headings %q, want %q", got, want)
	}
}

// checkTables counts the cells of every row of every table: all rows of one table have as many.
func checkTables(t *rapid.T, page string) {
	cells := 0
	for _, l := range strings.Split(page, "\n") {
		if !strings.HasPrefix(l, "| ") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(l, "\\|", ""), "|")
		if cells != 0 && n != cells {
			t.Fatalf("a row of %d bars in a table of %d: %s", n, cells, l)
		}
		cells = n
	}
}
