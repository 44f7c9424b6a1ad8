package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/protocol"
)

// order is that of the exit codes' table, the first that holds.
var order = []int{130, 4, 3, 2, 1, 5, 0}

func TestWorst(t *testing.T) {
	if got := campaign.Worst(); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
	for i, a := range order {
		for j, b := range order {
			if got, want := campaign.Worst(a, b), order[min(i, j)]; got != want {
				t.Errorf("%d and %d: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestWorstOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOf(rapid.SampledFrom(order)).Draw(t, "codes")
		want := 0
		for i := len(order) - 1; i >= 0; i-- {
			for _, c := range codes {
				if c == order[i] {
					want = c
				}
			}
		}
		if got := campaign.Worst(codes...); got != want {
			t.Fatalf("%v: %d, want %d", codes, got, want)
		}
	})
}

func TestCode(t *testing.T) {
	gate := &campaign.Error{Code: campaign.ExitGate, Err: errors.New("x")}
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"none":       {nil, campaign.ExitOK},
		"its own":    {gate, campaign.ExitGate},
		"wrapped":    {fmt.Errorf("phase: %w", gate), campaign.ExitGate},
		"joined":     {errors.Join(errors.New("y"), gate), campaign.ExitGate},
		"unforeseen": {errors.New("y"), campaign.ExitMachine},
		"a problem":  {protocol.Problems{{Message: "m"}}, campaign.ExitMachine},
	} {
		if got := campaign.Code(c.err); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if gate.Error() != "x" || !errors.Is(gate, gate.Err) {
		t.Errorf("%v", gate)
	}
}

// What a whole run comes to.
func TestExitCodesOfPhases(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	const nine = `echo '{"x/op": 9}'`
	for name, c := range map[string]struct {
		a, b  string
		alter func(*protocol.Phase)
		code  int
	}{
		"done":        {prints, nine, func(*protocol.Phase) {}, campaign.ExitOK},
		"gate passed": {prints, nine, func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "x/op", MaxRatio: number(2)}} }, campaign.ExitOK},
		"gate failed": {prints, nine, func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "x/op", MaxRatio: number(1.1)}} }, campaign.ExitGate},
		"inconclusive": {prints, nine, func(p *protocol.Phase) {
			p.Design.Blocks, p.Gates = 1, []protocol.Gate{{Metric: "x/op", MaxRatio: number(2)}}
			p.Design.Kind = protocol.DesignRandomized
		}, campaign.ExitInconclusive},
		"failed runs":             {prints, "exit 3", func(*protocol.Phase) {}, campaign.ExitInvalid},
		"failed runs, and a gate": {prints, "exit 3", func(p *protocol.Phase) { p.Gates = []protocol.Gate{{Metric: "x/op", MaxRatio: number(1.1)}} }, campaign.ExitInvalid},
		"stopped at the first":    {"exit 3", "exit 3", func(p *protocol.Phase) { p.OnFailure = "stop-phase" }, campaign.ExitInvalid},
		"a constant is not constant": {prints, nine, func(p *protocol.Phase) {
			p.Metrics = []protocol.Metric{
				{Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"},
				{Unit: "x/op", Role: protocol.RoleConstant, Equals: map[string]float64{"only": 7}},
			}
		}, campaign.ExitInvalid},
	} {
		p := phase(6, c.a, c.b)
		c.alter(p)
		if _, o := run(t, script(t, p)); o.Code != c.code {
			t.Errorf("%s: exit %d, want %d (%+v, gates %+v)", name, o.Code, c.code, o.Run, o.Folder.Result.Gates)
		}
	}
}

// What keeps a phase from running at all, and that nothing is left of it.
func TestNothingWasRun(t *testing.T) {
	missing := phase(1, prints, prints)
	missing.Cases[0].Commands["b"] = protocol.Command{Argv: texts("no-such-program"), Format: protocol.FormatJSON}
	far := phase(1, prints, prints)
	far.Process.CPUs = "65535"
	used := t.TempDir()
	write(t, nil, 0o644, used, "mine")
	file := filepath.Join(t.TempDir(), "file")
	write(t, nil, 0o644, file)
	for name, c := range map[string]struct {
		phase *protocol.Phase
		out   string
		keep  string
		code  int
		want  string
	}{
		"a missing program":    {missing, "", "", campaign.ExitUsage, `no program "no-such-program"`},
		"a CPU too far":        {far, "", "", campaign.ExitMachine, "the allowed CPUs are"},
		"a harness too far":    {phase(1, prints, prints), "", "65535", campaign.ExitUsage, `--housekeeping "65535"`},
		"a used folder":        {phase(1, prints, prints), used, "", campaign.ExitUsage, "is used already (mine lies there)"},
		"a file as folder":     {phase(1, prints, prints), file, "", campaign.ExitMachine, "file"},
		"a folder in no place": {phase(1, prints, prints), filepath.Join(file, "below"), "", campaign.ExitMachine, "not a directory"},
	} {
		out := c.out
		if out == "" {
			out = filepath.Join(t.TempDir(), "results")
		}
		_, err := campaign.Run(context.Background(), script(t, c.phase), campaign.Options{Out: out, Housekeeping: c.keep})
		if err == nil || !strings.Contains(err.Error(), c.want) || campaign.Code(err) != c.code {
			t.Errorf("%s: exit %d, %v; want exit %d, %q", name, campaign.Code(err), err, c.code, c.want)
		}
		if _, err := campaign.Load(out); campaign.Code(err) != campaign.ExitUsage {
			t.Errorf("%s: a folder was made: %v", name, err)
		}
	}
}
