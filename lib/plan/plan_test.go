package plan_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// phase returns a phase of the given arms and cases, six counterbalanced blocks of three repeats.
func phase(arms, cases []string) *protocol.Phase {
	p := &protocol.Phase{
		Name: "p", Question: "Is it planned?", Baseline: arms[0],
		Design:  protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 6, Seed: 641401, Nesting: protocol.NestBlocks, Order: protocol.OrderCase},
		Repeats: 3,
		Metrics: []protocol.Metric{{Unit: "ns/op", Role: protocol.RoleMetric, Better: "lower"}},
		Estimand: protocol.Estimand{
			Kind:     protocol.BlockRatio,
			Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95},
		},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute), CPUs: "2-3", Env: map[string]string{"GOGC": "100", "A": "process"}},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}
	for _, a := range arms {
		p.Arms = append(p.Arms, protocol.Arm{Name: a})
	}
	for _, c := range cases {
		commands := map[string]protocol.Command{}
		for _, a := range arms {
			commands[a] = protocol.Command{Argv: []protocol.Arg{{Text: "bench"}, {Text: c}, {Text: a}}, Format: protocol.FormatGobench}
		}
		p.Cases = append(p.Cases, protocol.Case{Name: c, Arms: arms, Commands: commands})
	}
	return p
}

func newPlan(t *testing.T, p *protocol.Phase) *plan.Plan {
	t.Helper()
	pl, err := plan.New(p, "")
	if err != nil {
		t.Fatal(err)
	}
	return pl
}

func TestEveryArmRunsOnceInEveryBlock(t *testing.T) {
	for _, nesting := range []string{protocol.NestBlocks, protocol.NestCases} {
		p := phase([]string{"a", "b"}, []string{"x", "y", "z"})
		p.Design.Nesting = nesting
		pl := newPlan(t, p)
		if len(pl.Runs) != 36 || pl.Samples() != 108 {
			t.Fatalf("%d runs, %d samples; want 36 and 108", len(pl.Runs), pl.Samples())
		}
		seen := map[string]int{}
		for i, r := range pl.Runs {
			if r.Number != i+1 {
				t.Fatalf("run %d has number %d", i+1, r.Number)
			}
			seen[fmt.Sprintf("%s %s %d", r.Case, r.Arm, r.Block)]++
		}
		for k, n := range seen {
			if n != 1 {
				t.Errorf("%s runs %d times", k, n)
			}
		}
		for i := 0; i < len(pl.Runs); i += 2 { // a case's arms run next to each other
			a, b := pl.Runs[i], pl.Runs[i+1]
			if a.Case != b.Case || a.Block != b.Block || a.Position != 1 || b.Position != 2 {
				t.Errorf("runs %d and %d are no pair", a.Number, b.Number)
			}
		}
	}
}

func TestNesting(t *testing.T) {
	p := phase([]string{"a", "b"}, []string{"x", "y"})
	blocks := func() (out []string) {
		for _, r := range newPlan(t, p).Runs {
			out = append(out, fmt.Sprintf("%s%d", r.Case, r.Block))
		}
		return slices.Compact(out)
	}
	got := blocks()
	for b := range 6 {
		pair := []string{got[2*b], got[2*b+1]}
		slices.Sort(pair)
		if want := []string{fmt.Sprintf("x%d", b+1), fmt.Sprintf("y%d", b+1)}; !slices.Equal(pair, want) {
			t.Errorf("block %d has %v", b+1, pair)
		}
	}
	p.Design.Nesting = protocol.NestCases
	if got, want := strings.Join(blocks(), " "), "x1 x2 x3 x4 x5 x6 y1 y2 y3 y4 y5 y6"; got != want {
		t.Errorf("case after case: %s", got)
	}
}

func TestEnvironmentIsLayered(t *testing.T) {
	p := phase([]string{"a", "b"}, []string{"x"})
	p.Arms[1].Env = map[string]string{"A": "arm", "B": "arm"}
	c := p.Cases[0].Commands["b"]
	c.Env = map[string]string{"B": "command"}
	p.Cases[0].Commands["b"] = c
	p.Expect = []protocol.Expect{{Kind: protocol.ExpectAudit, Name: "path", PerRepeat: 2}}
	for _, r := range newPlan(t, p).Runs {
		want := map[string]string{
			"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C", "HOME": "{run}", "TMPDIR": "{run}",
			"PHASELOCK_AUDIT": "{run}/audit", "GOGC": "100", "A": "process",
		}
		if r.Arm == "b" {
			want["A"], want["B"] = "arm", "command"
		}
		if d := cmp.Diff(want, r.Env); d != "" {
			t.Errorf("arm %s: %s", r.Arm, d)
		}
	}
}

func TestArmCPUsOverride(t *testing.T) {
	p := phase([]string{"a", "b"}, []string{"x"})
	p.Arms[1].CPUs = "5"
	for _, r := range newPlan(t, p).Runs {
		if want := map[string]string{"a": "2-3", "b": "5"}[r.Arm]; r.CPUs != want {
			t.Errorf("arm %s: cpus %s, want %s", r.Arm, r.CPUs, want)
		}
	}
}

func TestDigestIgnoresPlacesAndSeesRuns(t *testing.T) {
	base := newPlan(t, phase([]string{"a", "b"}, []string{"x"}))
	p := phase([]string{"a", "b"}, []string{"x"})
	p.Cases[0].At = protocol.Place{File: "other.star", Line: 99, Col: 1}
	p.Question = "Another question?"
	if got := newPlan(t, p).Digest; got != base.Digest {
		t.Error("a place or a question changed the plan's digest")
	}
	for name, alter := range map[string]func(*protocol.Phase){
		"seed":    func(p *protocol.Phase) { p.Design.Seed++ },
		"env":     func(p *protocol.Phase) { p.Process.Env["GOGC"] = "50" },
		"cpus":    func(p *protocol.Phase) { p.Process.CPUs = "4" },
		"repeats": func(p *protocol.Phase) { p.Repeats = 4 },
	} {
		p := phase([]string{"a", "b"}, []string{"x"})
		alter(p)
		if newPlan(t, p).Digest == base.Digest {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

// This digest was computed once and is the same on every machine.
func TestDigestIsPortable(t *testing.T) {
	const want = "e9abc50c173d2259e990cb3f63e2724ab8429e7f80c4742cfe419e31f10e7b06"
	if got := newPlan(t, phase([]string{"a", "b"}, []string{"x"})).Digest; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

func TestAddingACaseChangesNoOtherOrder(t *testing.T) {
	orders := func(cases ...string) map[string][]string {
		out := map[string][]string{}
		p := phase([]string{"a", "b"}, cases)
		for _, r := range newPlan(t, p).Runs {
			if r.Position == 1 {
				out[r.Case] = append(out[r.Case], r.Arm)
			}
		}
		return out
	}
	two, three := orders("x", "y"), orders("x", "y", "z")
	for _, c := range []string{"x", "y"} {
		if !slices.Equal(two[c], three[c]) {
			t.Errorf("case %s: %v, then %v", c, two[c], three[c])
		}
	}
}

func TestDecodeReadsWhatJSONWrote(t *testing.T) {
	pl := newPlan(t, phase([]string{"a", "b"}, []string{"x", "y"}))
	data, err := pl.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := plan.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(pl, back); d != "" {
		t.Error(d)
	}
	again, err := back.JSON()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("written again it differs (%v)", err)
	}
}

func TestDecodeFindsAChangedRun(t *testing.T) {
	data, err := newPlan(t, phase([]string{"a", "b"}, []string{"x"})).JSON()
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(data, []byte(`"block": 2`), []byte(`"block": 3`), 1)
	if _, err := plan.Decode(bytes.NewReader(changed)); err == nil || !strings.Contains(err.Error(), "the file was changed") {
		t.Errorf("error %v", err)
	}
	for _, bad := range []string{"", "{", "[]", `{"version": 1}`, `{"version": 99, "protocol": {}}`} {
		if _, err := plan.Decode(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestCountsThatCannotBeBalancedAreRefused(t *testing.T) {
	p := phase([]string{"a", "b", "c"}, []string{"x", "y"})
	p.Design.Blocks = 8
	p.Design.At = protocol.Place{File: "p.star", Line: 7, Col: 14}
	_, err := plan.New(p, "")
	var ps protocol.Problems
	if !errors.As(err, &ps) || len(ps) != 1 {
		t.Fatalf("error %v, want one problem", err)
	}
	if want := "p.star:7:14: counterbalanced: 3 arms are balanced in a multiple of 6 blocks only, 8 is none: use 6 or 12 blocks"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %s\nwant %s…", err, want)
	}
}
