package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/report"
)

// Arms of one package that differ in how they are built say so: ref, environment, profile.
func TestHowBuildsDifferIsSaid(t *testing.T) {
	before := protocol.Build{Package: "./parse", Ref: "v1.0", Test: true, Env: map[string]string{"GOAMD64": "v1"}}
	after := protocol.Build{Package: "./parse", Test: true, PGO: &protocol.Arg{File: "parse.pgo"}}
	p := &protocol.Phase{
		Name: "p", Question: "Which build is faster?", Baseline: "before",
		Arms:      []protocol.Arm{{Name: "before"}, {Name: "after"}},
		Contrasts: []protocol.Contrast{{Arm: "after", Base: "before"}},
		Design:    protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 6, Nesting: protocol.NestBlocks, Order: protocol.OrderCase},
		Repeats:   1,
		Metrics:   []protocol.Metric{{Unit: "ns/op", Role: protocol.RoleMetric, Better: "lower"}},
		Estimand:  protocol.Estimand{Kind: protocol.BlockRatio, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95}},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute)},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}
	p.AddFile(protocol.File{Label: "parse.pgo", Kind: protocol.KindInput})
	commands := map[string]protocol.Command{}
	for arm, b := range map[string]protocol.Build{"before": before, "after": after} {
		p.AddFile(protocol.File{Label: b.Label(), Kind: protocol.KindGoTest, Build: &b})
		commands[arm] = protocol.Command{Argv: []protocol.Arg{{File: b.Label()}}, Format: protocol.FormatGobench}
	}
	p.Cases = []protocol.Case{{Name: "c", Arms: []string{"before", "after"}, Commands: commands}}
	pl, err := plan.New(p, "")
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := report.Explain(&page, report.Page{Plan: pl}); err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{
		{"git ref", "`v1.0`", "`the working tree`"},
		{"build environment GOAMD64", "`v1`", "`(unset)`"},
		{"profile", "`none`", "`parse.pgo`"},
	} {
		if !hasRow(page.String(), want) {
			t.Errorf("no row with %q in\n%s", want, page.String())
		}
	}
	if hasRow(page.String(), []string{"built package"}) {
		t.Error("what does not differ is a row")
	}
}

// hasRow reports whether a line of a page's tables has the cells, in order.
func hasRow(page string, cells []string) bool {
	for line := range strings.Lines(page) {
		rest, found := line, true
		for _, c := range cells {
			_, after, ok := strings.Cut(rest, "| "+c)
			if !ok {
				found = false
				break
			}
			rest = after
		}
		if found {
			return true
		}
	}
	return false
}
