package report_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
)

// onePhase returns a plan of a phase without runs.
func onePhase(name, question string) *plan.Plan {
	return &plan.Plan{Phase: &plan.Phase{Name: name, Question: question}}
}

func TestComparePairs(t *testing.T) {
	a, b, c := onePhase("a", "q?"), onePhase("b", "q?"), onePhase("c", "q?")
	tests := []struct {
		name    string
		was, is []*plan.Plan
		want    string // of each phase: earlier and later name
		same    bool
	}{
		{"the only ones", []*plan.Plan{a}, []*plan.Plan{b}, "a-b", false},
		{"itself", []*plan.Plan{a}, []*plan.Plan{onePhase("a", "q?")}, "a-a", true},
		{"by name", []*plan.Plan{a, b}, []*plan.Plan{b, c}, "b-b -c a-", false},
		{"another order", []*plan.Plan{a, b}, []*plan.Plan{b, a}, "b-b a-a", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmp := report.Compare("x", "y", tt.was, tt.is, report.TextsUnknown)
			var got []string
			for _, p := range cmp.Phases {
				pair := "-"
				if p.Before != nil {
					pair = p.Before.Phase.Name + pair
				}
				if p.After != nil {
					pair += p.After.Phase.Name
				}
				got = append(got, pair)
			}
			if strings.Join(got, " ") != tt.want || cmp.Same() != tt.same {
				t.Errorf("%v, same %v", got, cmp.Same())
			}
		})
	}
}

func TestCompareTextFits(t *testing.T) {
	was := onePhase("a", strings.Repeat("Is it fast? ", 30))
	is := onePhase("a", strings.Repeat("Is_it_slow?", 300))
	cmp := report.Compare("x", "y", []*plan.Plan{was}, []*plan.Plan{is}, report.TextsUnknown)
	for _, columns := range []int{30, 41, 80, 140} {
		var b bytes.Buffer
		if err := report.CompareText(&b, cmp, report.TerminalOptions{Width: columns}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d columns in %d: %s", n, columns, line)
			}
		}
	}
}
