package protocol_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
)

// valid returns a phase without problems, for tests to break.
func valid() *protocol.Phase {
	cmd := protocol.Command{Argv: []protocol.Arg{{Text: "true"}}, Format: protocol.FormatGobench}
	return &protocol.Phase{
		Name: "p", Question: "Is it valid?", Baseline: "a",
		Arms:      []protocol.Arm{{Name: "a"}, {Name: "b"}},
		Contrasts: []protocol.Contrast{{Arm: "b", Base: "a"}},
		Cases: []protocol.Case{{
			Name: "c", Arms: []string{"a", "b"},
			Commands: map[string]protocol.Command{"a": cmd, "b": cmd},
		}},
		Design:  protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 6, Seed: 1, Nesting: protocol.NestBlocks, Order: protocol.OrderCase},
		Repeats: 3,
		Metrics: []protocol.Metric{{Unit: "ns/op", Role: protocol.RoleMetric, Better: "lower"}},
		Estimand: protocol.Estimand{
			Kind:     protocol.BlockRatio,
			Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95},
		},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute)},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}
}

func TestValidPhaseHasNoProblems(t *testing.T) {
	if ps := protocol.Validate(valid()); len(ps) > 0 {
		t.Fatal(ps)
	}
}

func TestValidate(t *testing.T) {
	one := 1.05
	for _, tc := range []struct {
		name  string
		alter func(p *protocol.Phase)
		want  string // a part of the only problem's text
	}{
		{"name", func(p *protocol.Phase) { p.Name = "../up" }, "lower-case letters"},
		{"question", func(p *protocol.Phase) { p.Question = " " }, "the question is empty"},
		{"repeats", func(p *protocol.Phase) { p.Repeats = 0 }, "repeats is 0"},
		{"on_failure", func(p *protocol.Phase) { p.OnFailure = "panic" }, `on_failure: want "continue"`},
		{"family", func(p *protocol.Phase) { p.Family = "bonferroni" }, `family: want`},
		{"no cases", func(p *protocol.Phase) { p.Cases = nil }, "no cases"},
		{"two arms of a name", func(p *protocol.Phase) { p.Arms = append(p.Arms, protocol.Arm{Name: "b"}) }, "two arms have this name"},
		{"arm with a newline", func(p *protocol.Phase) {
			p.Arms = append(p.Arms, protocol.Arm{Name: "x\ny"})
			p.Cases[0].Arms, p.Cases[0].Commands["x\ny"] = append(p.Cases[0].Arms, "x\ny"), p.Cases[0].Commands["a"]
		}, "control characters"},
		{"arm that no case asks", func(p *protocol.Phase) { p.Arms = append(p.Arms, protocol.Arm{Name: "c"}) }, "no case asks this arm"},
		{"baseline", func(p *protocol.Phase) { p.Baseline = "z" }, `no arm named "z"`},
		{"case without an arm's command", func(p *protocol.Phase) { delete(p.Cases[0].Commands, "b") }, `no command for arm "b"`},
		{"empty argv", func(p *protocol.Phase) { p.Cases[0].Commands["a"] = protocol.Command{Format: protocol.FormatGobench} }, "argv is empty"},
		{"unknown file", func(p *protocol.Phase) {
			p.Cases[0].Commands["a"] = protocol.Command{Argv: []protocol.Arg{{File: "bin/x"}}, Format: protocol.FormatGobench}
		}, `no file labelled "bin/x"`},
		{"names", func(p *protocol.Phase) {
			p.Cases[0].Commands["a"] = protocol.Command{Argv: []protocol.Arg{{Text: "x"}}, Names: []string{"A", "B"}, Format: protocol.FormatGobench}
		}, "never pooled"},
		{"repeats of whole processes", func(p *protocol.Phase) {
			p.Cases[0].Commands["a"] = protocol.Command{Argv: []protocol.Arg{{Text: "x"}}, Format: protocol.FormatProcess}
			p.Metrics[0].Unit = "wall-ns"
		}, "gives one sample a process"},
		{"harness variable", func(p *protocol.Phase) { p.Process.Env = map[string]string{"HOME": "/"} }, "HOME is set by the harness"},
		{"blocks", func(p *protocol.Phase) { p.Design.Blocks = 0 }, "blocks is 0"},
		{"seed", func(p *protocol.Phase) { p.Design.Seed = protocol.MaxSeed + 1 }, "want 0 to 2^53-1"},
		{"nesting", func(p *protocol.Phase) { p.Design.Nesting = "arms" }, "nesting: want"},
		{"level", func(p *protocol.Phase) { p.Estimand.Interval.Level = 95 }, "between 0 and 1"},
		{"level that is no number", func(p *protocol.Phase) { p.Estimand.Interval.Level = math.NaN() }, "between 0 and 1"},
		{"resamples", func(p *protocol.Phase) {
			p.Estimand.Interval = protocol.Interval{Kind: protocol.Percentile, Level: 0.95, Resamples: 10}
		}, "resamples 10"},
		{"a contrast with itself", func(p *protocol.Phase) { p.Contrasts = []protocol.Contrast{{Arm: "a", Base: "a"}} }, "compared with itself"},
		{"metric twice", func(p *protocol.Phase) { p.Metrics = append(p.Metrics, p.Metrics[0]) }, "declared twice"},
		{"metric of two words", func(p *protocol.Phase) { p.Metrics[0].Unit = "ns per op" }, "one word"},
		{"metric named like a column", func(p *protocol.Phase) { p.Metrics[0].Unit = "block" }, "a column of metrics.csv"},
		{"no metric", func(p *protocol.Phase) { p.Metrics[0] = protocol.Metric{Unit: "rows/op", Role: protocol.RoleConstant} }, "no metric"},
		{"derived from nothing", func(p *protocol.Phase) {
			p.Metrics = append(p.Metrics, protocol.Metric{Unit: "x", Role: protocol.RoleDerived, Better: "lower", Num: "ns/op", Den: "rows/op"})
		}, `"rows/op" is declared to derive`},
		{"timeout", func(p *protocol.Phase) { p.Process.Timeout = 0 }, "timeout 0s"},
		{"cpus", func(p *protocol.Phase) { p.Process.CPUs = "two" }, "no list of CPUs"},
		{"gate without bound", func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "ns/op"}} }, "exactly one of"},
		{"gate of another estimand", func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "ns/op", MaxDifference: &one}} }, "max_difference needs a block_difference"},
		{"gate of nothing", func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "x", MaxRatio: &one}} }, `no metric "x"`},
		{"confound check of nothing", func(p *protocol.Phase) {
			p.Checks = []protocol.Check{{Kind: "prefix_confound", Metric: "prefix-B", On: protocol.Warning}}
		}, `no constant "prefix-B"`},
		{"expectation of nothing", func(p *protocol.Phase) { p.Expect = []protocol.Expect{{Kind: protocol.ExpectStdout}} }, "either matches or sha256"},
		{"bad regular expression", func(p *protocol.Phase) { p.Expect = []protocol.Expect{{Kind: protocol.ExpectStdout, Matches: "("}} }, "missing closing"},
		{"digest", func(p *protocol.Phase) {
			p.Files = []protocol.File{{Label: "x", Kind: protocol.KindBinary, SHA256: "ABC"}}
		}, "64 lower-case hexadecimal digits"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := valid()
			tc.alter(p)
			ps := protocol.Validate(p)
			if len(ps) != 1 {
				t.Fatalf("%d problems, want one: %v", len(ps), ps)
			}
			if !strings.Contains(ps[0].Error(), tc.want) {
				t.Errorf("got %q, want %q in it", ps[0].Error(), tc.want)
			}
		})
	}
}

func TestIndependentProblemsComeTogether(t *testing.T) {
	p := valid()
	p.Question, p.Repeats, p.Design.Blocks = "", 0, 0
	if ps := protocol.Validate(p); len(ps) != 3 {
		t.Errorf("%d problems, want 3: %v", len(ps), ps)
	}
}
