package report_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/sample"
)

func contains(t *testing.T, s string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(s, p) {
			t.Errorf("%q is missing in\n%s", p, s)
		}
	}
}

// flat is a screen as one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// The sentences of the answer, one rule a case.
func TestAnswers(t *testing.T) {
	for name, want := range map[string][]string{
		"lower": {
			"slices-sortfunc is faster than sort-slice in 2 of 2 cases: the ns/op ratio is 0.639 [0.635, 0.644] in records-10000 (1.49 ms against 2.32 ms)",
			"beside it, B/op lower in 2 of 2 and allocs/op equal in 2 of 2.",
		},
		"higher":           {"is faster than sort-slice in 1 of 2 cases: the ns/op ratio is 0.912", "; slower in 1 of 2 cases: 1.169 [1.161, 1.177] in records-10000"},
		"unresolved":       {"slices-sortfunc against sort-slice is unresolved: the ns/op ratio is 1.006 (+0.62%), 95% interval [0.999, 1.014], which includes 1"},
		"equal":            {"slices-sortfunc and sort-slice are equal in allocs/op in 2 of 2 cases: in records-100 (2 allocs/op)"},
		"undefined":        {"undefined in 1 of 2 cases: in records-100 (3 against 1 allocs/op; sort-slice has a median of 0 in block 4"},
		"incomplete":       {"no verdict in 1 of 2 cases: 1.166 [1.161, 1.171] in records-10000", "limited to complete blocks, 5 of 6"},
		"confounded":       {"; confounded: 0.882 over the 5 matched blocks (post-hoc) in rows10 and 0.879 over the 4 matched blocks (post-hoc) in rows1000."},
		"three_arms":       {"slices-sortfunc is faster than sort-slice in 2 of 2", "radix is faster than sort-slice in 1 of 2"},
		"block_difference": {"the ns/op difference is -837 µs [-850, -824] in records-10000"},
		"control":          {"again against a is a control (A/A): the interval of ns/op includes 1 in 1 of 2 cases", "as nominally 5% of such intervals do"},
		"few_blocks":       {"is unresolved in 2 of 2 cases: the ns/op ratio is 0.910 in records-100 (13.8 ms against 15.2 ms; no interval: no distribution-free interval of level 0.95 exists for 4 blocks"},
		"gates_failed":     {"1 passed, 2 failed", "failed ns/op, ratio at most 1.05, in records-10000: slices-sortfunc against sort-slice"},
	} {
		t.Run(name, func(t *testing.T) {
			contains(t, flat(terminal(t, labs[name]().page(t), report.TerminalOptions{Width: 120})), want...)
		})
	}
}

// The sentences of the interpretation.
func TestMeasuredSentences(t *testing.T) {
	for name, want := range map[string][]string{
		"lower":      {"faster in 2 of 2 cases; 2 of 2 intervals below 1.", "Every block agrees: the six block ratios span 0.636 to 0.646."},
		"higher":     {"retained negative result: slower, 1.169 (+16.9%), 95% interval [1.161, 1.177]", "faster in 1 and slower in 1 of 2 cases; 1 of 2 intervals below 1, 1 above."},
		"unresolved": {"unresolved: the interval includes 1;", "2 of 6 block ratios lie below 1, 4 above", "Another verdict by"},
		"equal":      {"equal: the two medians are the same in every block, 2 allocs/op."},
		"undefined":  {"undefined: sort-slice has a median of 0 in block 4"},
		"incomplete": {"no verdict: limited to complete blocks, 5 of 6"},
		"confounded": {"Confounded: a constant differed between the arms in some blocks; 0.882 over the 5 matched blocks (post-hoc), with `ordinary` first in 2 and `remote` first in 3; it has no interval."},
		"control":    {"A/A, and the interval includes 1:", "A/A, and the interval excludes 1:"},
		"few_blocks": {"unresolved: no interval: no distribution-free interval", "there is no interval"},
	} {
		t.Run(name, func(t *testing.T) { contains(t, markdown(t, labs[name]().page(t)), want...) })
	}
}

// A confounded constant is a flag, and an A/A comparison has nothing to win: neither is ever faster or slower.
func TestNobodyIsFasterByAFlag(t *testing.T) {
	for _, text := range []string{markdown(t, confoundedLab().page(t)), terminal(t, confoundedLab().page(t), report.TerminalOptions{})} {
		for _, l := range strings.Split(text, "\n") {
			for _, s := range strings.Split(l, ". ") {
				if strings.Contains(s, "prefix-B") && (strings.Contains(s, "faster") || strings.Contains(s, "slower")) {
					t.Errorf("a constant is faster: %s", s)
				}
			}
		}
	}
	same := controlLab()
	same.phase.Arms[1].Control = false // found by its argv instead
	for name, l := range map[string]*lab{"control": controlLab(), "identical": same} {
		for _, text := range []string{markdown(t, l.page(t)), terminal(t, l.page(t), report.TerminalOptions{})} {
			if m := regexp.MustCompile(`.*(faster|slower|retained negative).*`).FindString(text); m != "" {
				t.Errorf("%s: an A/A comparison is faster: %s", name, m)
			}
		}
	}
	contains(t, flat(terminal(t, same.page(t), report.TerminalOptions{})), "again and a are one program, so that whatever differs is noise: the interval of ns/op includes 1")
}

func TestEveryFindingOnce(t *testing.T) {
	for name, page := range pages(t) {
		md := markdown(t, page)
		_, section, _ := strings.Cut(md, "\n## Findings\n")
		section, _, _ = strings.Cut(section, "\n## ")
		items := 0
		for _, l := range strings.Split(section, "\n") {
			if strings.HasPrefix(l, "- **") {
				items++
			}
		}
		if items != len(page.Result.Findings) {
			t.Errorf("%s: %d items for %d findings", name, items, len(page.Result.Findings))
		}
		screen := terminal(t, page, report.TerminalOptions{})
		for _, severity := range []string{plan.Invalid, plan.Warning} {
			want := 0
			for _, f := range page.Result.Findings {
				if f.Severity == severity {
					want++
				}
			}
			if got := strings.Count(screen, "\n"+severity+" "); got != want {
				t.Errorf("%s: %d lines for %d findings of severity %s", name, got, want, severity)
			}
		}
	}
}

func TestLastScreensFit(t *testing.T) {
	big := newLab(two, nil)
	big.phase.Cases = nil
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("records-%d", i)
	}
	big.phase.Cases = newLab(two, many).phase.Cases
	big.value = func(r plan.Run, repeat int) map[string]float64 {
		return map[string]float64{"ns/op": 1e6 * wobble(r, repeat)}
	}
	all := pages(t)
	all["thirty cases"] = big.page(t)
	for name, page := range all {
		for _, columns := range []int{80, 100} {
			lines := strings.Split(strings.TrimSuffix(terminal(t, page, report.TerminalOptions{Width: columns}), "\n"), "\n")
			if len(lines) > 40 {
				t.Errorf("%s: %d lines at %d columns", name, len(lines), columns)
			}
			for _, l := range lines {
				if n := twwidth.WidthWithOptions(l, twwidth.Options{}); n > columns {
					t.Errorf("%s: %d columns of %d: %s", name, n, columns, l)
				}
			}
		}
	}
	contains(t, terminal(t, all["thirty cases"], report.TerminalOptions{}), "and 14 comparisons more in the report")
}

func TestHeadingsAndUnsealedAtTheTop(t *testing.T) {
	for name, page := range pages(t) {
		md := markdown(t, page)
		checkHeadings(t, md, headings)
		top, _, _ := strings.Cut(md, "## Answer")
		if sealed := page.Result.Seal != nil; strings.Contains(top, "Unsealed") == sealed {
			t.Errorf("%s: sealed is %v, the top says %q", name, sealed, top)
		}
		if page.Result.Seal != nil {
			contains(t, md, "Sealed as `"+*page.Result.Seal+"`, unanchored")
		}
		checkHeadings(t, explain(t, page), before9)
	}
}

// report.md has the same bytes wherever the folder lies and however often it is made; the page before results knows
// nothing of results.
func TestPagesDependOnNothingElse(t *testing.T) {
	for name := range labs {
		page, again := labs[name]().page(t), labs[name]().page(t)
		again.Folder = "/somewhere/else"
		if markdown(t, page) != markdown(t, again) {
			t.Errorf("%s: report.md depends on the folder or on chance", name)
		}
		later := page
		later.Ledger = append(slices.Clone(page.Ledger), ledger.Entry{Body: &ledger.Analysis{Path: "analysis.json", Registered: true}})
		if markdown(t, page) != markdown(t, later) {
			t.Errorf("%s: the registered analysis changes report.md", name)
		}
		if explain(t, page) != explain(t, report.Page{Plan: page.Plan}) {
			t.Errorf("%s: explain depends on results", name)
		}
	}
}

func TestNoPlanAndNoResult(t *testing.T) {
	var b bytes.Buffer
	for _, err := range []error{
		report.Markdown(&b, report.Page{}), report.Terminal(&b, report.Page{Plan: &plan.Plan{}}, report.TerminalOptions{}),
		report.Explain(&b, report.Page{}), report.PlanTable(&b, nil, 80),
		report.Markdown(&b, report.Page{Plan: lowerLab().page(t).Plan}), report.Terminal(&b, report.Page{Plan: lowerLab().page(t).Plan}, report.TerminalOptions{}),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
	if b.Len() > 0 {
		t.Errorf("written all the same: %q", b.String())
	}
}

// What happened during the runs stands under Deviations, what was written later where it belongs, with its date.
func TestJournal(t *testing.T) {
	l := lowerLab()
	l.journal(&ledger.Resumed{Tool: "phaselock v0.1.1", Torn: 17})
	l.journal(&ledger.BlockRerun{Case: "records-100", Block: 3, Attempt: 2, Why: "the harness was stopped"})
	l.journal(&ledger.RunInterrupted{Run: 9, Attempt: 1, Why: "SIGINT"})
	l.journal(&ledger.PinBroken{When: "run 9", Label: "bin/sorting.test", Want: "5be0c1aa9d3f4e6b7c8d", Got: "missing"})
	l.journal(&ledger.CaseStatus{Case: "records-10000", Status: "contaminated", Why: "a ceiling was passed"})
	l.journal(&ledger.PhaseStopped{Why: "a pin is broken", Exit: 3})
	l.journal(&ledger.Note{Type: "hypothesis", Text: "It is the cache."})
	l.journal(&ledger.Analysis{Path: "analyses/001.json", Command: []string{"phaselock", "analyze", "--level", "0.9"}})
	l.journal(&ledger.Resumed{Tool: "phaselock v0.1.1", GapNS: 7200e9, LeftIncomplete: []string{`case "records-100", block 4`}})
	l.journal(&ledger.Note{Type: "limit", Text: "One machine."})
	l.journal(&ledger.Note{Type: "erratum", Text: "The cache is 2 MB."})
	md := markdown(t, l.page(t))
	_, deviations, _ := strings.Cut(md, "\n## Deviations\n")
	deviations, _, _ = strings.Cut(deviations, "\n## ")
	contains(t, deviations,
		"resumed on 2026-10-14 10:02 UTC by phaselock v0.1.1; 17 bytes of a line that was never finished are kept in ledger.torn.",
		"Block 3 of `records-100` was run again whole, as attempt 2: the harness was stopped.",
		"Run 9, attempt 1, was interrupted: SIGINT.",
		"A file was not as pinned (run 9): `bin/sorting.test`, expected `5be0c1aa9d3f…`, found `missing`.",
		"Case `records-10000` became contaminated during the runs: a ceiling was passed.",
		"The phase was stopped before its last run: a pin is broken.",
		"A hypothesis was written after the results, on 2026-10-14 10:08 UTC: see Interpretation.",
		"An exploratory analysis was made on 2026-10-14 10:09 UTC by `phaselock analyze --level 0.9` and is kept in `analyses/001.json`; it is not the registered one.",
		"by phaselock v0.1.1, 2 hours after the last event before; case \"records-100\", block 4 stays incomplete, as declared.",
		"A limit was written after the results, on 2026-10-14 10:11 UTC: see Limits.", "Erratum, 2026-10-14 10:12 UTC: The cache is 2 MB.")
	contains(t, md, "- 2026-10-14 10:11 UTC: One machine.", "- 2026-10-14 10:08 UTC: It is the cache.", "Pins were broken once: see Findings and Deviations.", "The case is contaminated: a ceiling was passed.")
}

// An exploratory result says so before its numbers, with the command that made it.
func TestExploratory(t *testing.T) {
	page := lowerLab().page(t)
	page.Result.Exploratory = []string{"phaselock", "analyze", "--level", "0.9"}
	contains(t, flat(markdown(t, page)), "**Exploratory, made after the results by `phaselock analyze --level 0.9`: what it finds was not preregistered")
	contains(t, flat(terminal(t, page, report.TerminalOptions{})), "Exploratory, made after the results by phaselock analyze --level 0.9: what")
}

// A CSV file has no ledger and no commands: the report says what is not known, and invents nothing.
func TestPageOfCSV(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("arm,block,position,repeat,ns/op\n")
	for b := 1; b <= 6; b++ {
		fmt.Fprintf(&csv, "old,%d,1,1,%d\nnew,%d,2,1,%d\n", b, 1000+b, b, 900-b)
	}
	pl, ps, err := sample.ReadCSV(strings.NewReader(csv.String()), "runs.csv", sample.CSVOptions{Baseline: "old", Interval: plan.StudentT, Metrics: []sample.CSVMetric{{Unit: "ns/op", Better: "lower"}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Analyze(analysis.Input{Plan: pl, Processes: ps})
	if err != nil {
		t.Fatal(err)
	}
	page := report.Page{Plan: pl, Result: r}
	screen := terminal(t, page, report.TerminalOptions{})
	contains(t, flat(screen), "new is faster than old: the ns/op ratio is 0.893", "Unsealed: computed from samples alone, without a ledger")
	for _, bad := range []string{"report.md", "replicate"} {
		if strings.Contains(screen, bad) {
			t.Errorf("%q stands on the screen of a file without folder:\n%s", bad, screen)
		}
	}
	contains(t, markdown(t, page), "no commands are part of this plan", "There is no ledger: nothing is known of the files that ran.", "`phaselock analyze --csv`")
}

// The plan of four cases and two arms says what it is before anything else.
func TestPlanOfFourCases(t *testing.T) {
	l := newLab([]string{"final-ordinary", "final-remote"}, []string{"reverse-small-1000", "reverse-split-1000", "executor-skip3-small-10", "executor-skip3-small-1000"})
	pl, err := plan.New(l.phase, "")
	if err != nil {
		t.Fatal(err)
	}
	got := planTable(t, pl, 100)
	first, _, _ := strings.Cut(got, "\n")
	if first != "4 cases, 2 arms, 6 blocks, 48 processes, 144 samples" {
		t.Errorf("first line %q", first)
	}
	contains(t, flat(got), "plan "+pl.Digest, "each order three times; each arm three times in each position and three times after each other, in every case")
	contains(t, explain(t, report.Page{Plan: pl}),
		"| `reverse-small-1000`        | AB AB BA BA BA AB |", "| `reverse-split-1000`        | AB BA AB BA BA AB |",
		"| `executor-skip3-small-10`   | BA AB AB BA BA AB |", "| `executor-skip3-small-1000` | BA AB AB BA AB BA |")
	runs := regexp.MustCompile(`(?m)^ *(\d+) +\d+ +\d+  `).FindAllStringSubmatch(got, -1)
	if len(runs) != 48 {
		t.Fatalf("%d runs", len(runs))
	}
	for i, m := range runs {
		if m[1] != fmt.Sprint(i+1) {
			t.Errorf("run %s stands at %d", m[1], i+1)
		}
	}
	for i := range pl.Runs {
		contains(t, flat(got), "'"+pl.Runs[i].Argv[1].Text+"'")
	}
}

// An unbalanced plan says so, arm by arm.
func TestUnbalancedPlan(t *testing.T) {
	l := newLab([]string{"a", "b"}, []string{"x"})
	l.phase.Design.Blocks = 3
	l.phase.Design.Kind = "fixed"
	l.phase.Design.Orders = []plan.CaseOrders{{Blocks: [][]string{{"a", "b"}, {"a", "b"}, {"b", "a"}}}}
	pl, err := plan.New(l.phase, "")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, flat(planTable(t, pl, 100)), "balance AB twice, BA once; by position a 2/1, b 1/2; carry-over b after a 2, a after b 1")
}

func TestStampsAreUTC(t *testing.T) {
	l := lowerLab()
	l.ledger = append(l.ledger, ledger.Entry{
		Body:   &ledger.Note{Type: "limit", Text: "late"},
		Header: ledger.Header{Time: time.Date(2026, 10, 14, 1, 30, 0, 0, time.FixedZone("X", 2*3600))},
	})
	contains(t, markdown(t, l.page(t)), "- 2026-10-13 23:30 UTC: late")
}

// What differs between arms: environment, CPUs, programs by digest, arguments of other number, and nothing else.
func TestWhatDiffers(t *testing.T) {
	l := newLab([]string{"a", "b"}, []string{"x", "y"})
	l.phase.Arms[1].Env = map[string]string{"GOGC": "off", "NEW": ""}
	l.phase.Arms[1].CPUs = "5"
	l.phase.Files = append(l.phase.Files, plan.File{Label: "bin/other", Kind: plan.KindBinary, SHA256: "c97db76f00" + strings.Repeat("0", 54)})
	l.phase.Expect = []plan.Expect{
		{Kind: plan.ExpectExit, Code: 0},
		{Kind: plan.ExpectStdout, Matches: "^ok|PASS$"},
		{Kind: plan.ExpectStdout, SHA256: strings.Repeat("ab", 32)},
		{Kind: plan.ExpectAudit, Name: "path", PerRepeat: 2, Where: []plan.Parameter{{Name: "kind", Value: plan.Value{V: "remote"}}}},
	}
	limit := 0.95
	l.phase.Gates = []plan.Gate{{Metric: "ns/op", MinRatio: &limit, Cases: []string{"x", "y"}}}
	l.phase.Process.Limits = map[string]int64{"nofile": 64}
	for i := range l.phase.Cases {
		c := l.phase.Cases[i].Commands["b"]
		c.Argv = append([]plan.Arg{{File: "bin/other"}}, c.Argv[1:]...)
		if i == 1 {
			c.Argv = append(c.Argv, plan.Arg{Text: "-v"})
		}
		l.phase.Cases[i].Commands["b"] = c
	}
	l.value = func(r plan.Run, repeat int) map[string]float64 {
		return map[string]float64{"ns/op": 100 * wobble(r, repeat)}
	}
	md := markdown(t, report.Page{Plan: l.page(t).Plan, Result: &analysis.Result{}, Ledger: l.page(t).Ledger})
	section, _, _ := strings.Cut(md, "## Results")
	for _, row := range []string{
		"| program | `bin/sorting.test` | `bin/other` | `x` |",
		"| environment GOGC | `100` | `off` | all |",
		"| environment NEW | `(unset)` | `(empty)` | all |",
		"| CPUs | `2-3` | `5` | all |",
		"| program's sha256 | `5be0c1aa9d3f…` | `c97db76f0000…` | all |",
		"| resource limits | nofile 64 |",
	} {
		contains(t, flat(section), row)
	}
	contains(t, section, "| argv", "`y`",
		"- Every run exits with status 0.", "- Standard output of every run matches `^ok|PASS$`.", "has the SHA-256 `"+strings.Repeat("ab", 32)+"`.",
		"- Audit `path`: 2 lines for each repeat, with `kind = \"remote\"`.",
		"- Gate on `ns/op`: the interval may not lie below the ratio 0.95 in `x` and `y`.")
	if strings.Contains(section, "| standard input") || strings.Contains(section, "| folder") {
		t.Error("something is said to differ that does not")
	}
}
