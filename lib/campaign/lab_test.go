package campaign_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// prints is a shell command that prints one sample of 7 x/op.
const prints = `echo '{"x/op": 7}'`

// phase returns a phase of two arms, one case and the given number of blocks, in which arm a runs one shell command and arm b
// another. A sample is a line {"x/op": number}.
func phase(blocks int, a, b string) *protocol.Phase {
	return &protocol.Phase{
		Name: "tiny", Question: "Is b like a?", Baseline: "a",
		Arms:      []protocol.Arm{{Name: "a"}, {Name: "b"}},
		Contrasts: []protocol.Contrast{{Arm: "b", Base: "a"}},
		Cases: []protocol.Case{{Name: "only", Arms: []string{"a", "b"}, Commands: map[string]protocol.Command{
			"a": shell(a), "b": shell(b),
		}}},
		Design: protocol.Design{
			Kind: protocol.DesignCounterbalanced, Blocks: blocks, Seed: 7, Nesting: protocol.NestBlocks, Order: protocol.OrderCase,
		},
		Repeats: 1,
		Metrics: []protocol.Metric{{Unit: "x/op", Role: protocol.RoleMetric, Better: "lower"}},
		Estimand: protocol.Estimand{
			Kind: protocol.BlockRatio, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95},
		},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute), Pad: true},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}
}

// shell returns a command that runs a line of shell.
func shell(line string) protocol.Command {
	return protocol.Command{Argv: texts("sh", "-c", line), Format: protocol.FormatJSON}
}

func texts(words ...string) []protocol.Arg {
	args := make([]protocol.Arg, len(words))
	for i, w := range words {
		args[i].Text = w
	}
	return args
}

// script plans a phase as if a script of one line had declared it.
func script(t testing.TB, p *protocol.Phase) campaign.Script {
	t.Helper()
	pl, err := plan.New(p, "")
	if err != nil {
		t.Fatal(err)
	}
	return campaign.Script{
		Plan: pl, Root: t.TempDir(), Flat: []byte("phase(…)\n"),
		Sources: []campaign.Source{{Label: "//tiny.star", Bytes: []byte("# tiny\n")}, {Label: "@std//go.star", Bytes: []byte("# go\n")}},
	}
}

// run runs a script into a folder of its own.
func run(t testing.TB, s campaign.Script) (dir string, o *campaign.Outcome) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "results")
	o, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test"})
	if err != nil {
		t.Fatal(err)
	}
	return dir, o
}

// events returns the kinds of a folder's events, in order.
func events(t testing.TB, dir string) []string {
	t.Helper()
	log, err := ledger.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range log.Entries {
		kinds = append(kinds, e.Event)
	}
	return kinds
}

func read(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t testing.TB, data []byte, mode os.FileMode, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, mode); err != nil {
		t.Fatal(err)
	}
}

// analysisOf returns the bytes of analysis.json, metrics.csv and report.md as a folder gives them now.
func analysisOf(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	f, err := campaign.Analyze(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for name, make := range map[string]func() ([]byte, error){
		"analysis.json": f.Result.JSON, "metrics.csv": f.MetricsCSV, "report.md": f.Report,
	} {
		if out[name], err = make(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return out
}

// decoded returns a JSON file of a folder.
func decoded(t testing.TB, into any, path ...string) {
	t.Helper()
	if err := json.Unmarshal(read(t, path...), into); err != nil {
		t.Fatal(err)
	}
}
