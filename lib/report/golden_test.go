package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/report"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds text to a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got); go test -update writes it anew:\n%s", file, d)
	}
}

func TestLastScreens(t *testing.T) {
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".screen", terminal(t, page, report.TerminalOptions{Width: 100}))
		})
	}
}

func TestNarrowScreen(t *testing.T) {
	golden(t, "lower_80.screen", terminal(t, lowerLab().page(t), report.TerminalOptions{Width: 80}))
	golden(t, "lower_40_ascii.screen", terminal(t, lowerLab().page(t), report.TerminalOptions{Width: 40, ASCII: true}))
}

func TestColouredScreen(t *testing.T) {
	golden(t, "gates_failed_colour.screen", terminal(t, gatesFailedLab().page(t), report.TerminalOptions{Width: 100, Color: true}))
}

func TestReports(t *testing.T) {
	for _, name := range []string{"lower", "incomplete", "confounded", "three_arms", "few_blocks", "block_difference"} {
		t.Run(name, func(t *testing.T) { golden(t, name+".md", markdown(t, labs[name]().page(t))) })
	}
}

func TestPageBeforeResults(t *testing.T) {
	for _, name := range []string{"lower", "confounded"} {
		golden(t, name+".explain.md", explain(t, labs[name]().page(t)))
	}
}

func TestPlanTables(t *testing.T) {
	golden(t, "lower.plan", planTable(t, lowerLab().page(t).Plan, 100))
	golden(t, "three_arms.plan", planTable(t, threeArmsLab().page(t).Plan, 140))
}
