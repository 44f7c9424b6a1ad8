package campaign

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// auditLab runs a phase of two arms and four blocks that writes audit lines and to standard error, cuts its ledger within a line,
// resumes it, and adds an exploratory analysis: a folder that has everything that is audited but a seal and a signed head.
func auditLab(t *testing.T) string {
	t.Helper()
	shell := func(line string) protocol.Command {
		args := make([]protocol.Arg, 3)
		for i, w := range []string{"sh", "-c", line} {
			args[i].Text = w
		}
		return protocol.Command{Argv: args, Format: protocol.FormatJSON}
	}
	const line = `echo note >&2; echo '{"audit": "path"}' >> "$PHASELOCK_AUDIT"; echo '{"x/op": `
	pl, err := plan.New(&protocol.Phase{
		Name: "audited", Question: "Does it hold?", Baseline: "a",
		Arms:      []protocol.Arm{{Name: "a"}, {Name: "b"}},
		Contrasts: []protocol.Contrast{{Arm: "b", Base: "a"}},
		Cases: []protocol.Case{{Name: "only", Arms: []string{"a", "b"}, Commands: map[string]protocol.Command{
			"a": shell(line + `7.5}'`), "b": shell(line + `8.5}'`),
		}}},
		Design:  protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 4, Seed: 7, Nesting: protocol.NestBlocks, Order: protocol.OrderCase},
		Repeats: 1,
		Metrics: []protocol.Metric{
			{Unit: "x/op", Role: protocol.RoleMetric, Better: "lower"}, {Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"},
		},
		Estimand:  protocol.Estimand{Kind: protocol.BlockRatio, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95}},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute), Pad: true},
		Expect:    []protocol.Expect{{Kind: protocol.ExpectAudit, Name: "path", PerRepeat: 1}},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "results")
	script := Script{Plan: pl, Root: t.TempDir(), Flat: []byte("phase(…)\n"), Sources: []Source{{Label: "//audited.star", Bytes: []byte("# audited\n")}}}
	if _, err := Run(context.Background(), script, Options{Out: dir, Tool: "phaselock test"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ledger.Name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:strings.Index(string(data), `,"run":6,"attempt":1,"exit"`)], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ledger.LockName), []byte("pid 1 since 2026-10-14T10:15:00Z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []string{"0007", "0008"} {
		if err := os.RemoveAll(filepath.Join(dir, "runs", lost)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Resume(context.Background(), dir, Options{Tool: "phaselock test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Explore(dir, Exploration{Level: 0.9}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The audit of a folder holds, its self-test finds every change, and with any one comparison left out the self-test misses one.
func TestEveryComparisonIsNeeded(t *testing.T) {
	dir := auditLab(t)
	a, err := RunAudit(dir, "")
	if err != nil || !a.Holds() || a.Anchor != "" || len(a.Comparisons) != len(comparisons) {
		t.Fatalf("%+v, %v", a, err)
	}
	whole, err := RunSelfTest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if missed := whole.Missed(); len(missed) > 0 {
		t.Fatalf("not found: %q", missed)
	}
	elsewhere := []string{"seal", "signed head"} // this folder has neither
	if len(whole.Skipped) != 3 {
		t.Errorf("skipped: %q", whole.Skipped)
	}
	for i, c := range comparisons {
		if slices.Contains(elsewhere, c.name) {
			continue
		}
		s, err := selfTest(dir, slices.Delete(slices.Clone(comparisons), i, i+1))
		if err != nil {
			t.Fatalf("without %s: %v", c.name, err)
		}
		if len(s.Missed()) == 0 {
			t.Errorf("without the comparison of %s the self-test finds everything: it proves nothing of it", c.name)
		}
	}
}
