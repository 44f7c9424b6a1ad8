package campaign_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// everything returns a script that can run and uses nearly every part of a protocol: a script as a binary, inputs by name and by pattern, standard
// input, all kinds of expectations, constants, derived metrics, gates, parameters of every kind.
func everything(t testing.TB) campaign.Script {
	at := func(line int) protocol.Place { return protocol.Place{File: "dir/e.star", Line: line, Col: 5} }
	number := func(f float64) *float64 { return &f }
	const one = "1\n"
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(one)))
	nice := 3
	p := phase(2, prints, prints)
	p.Name, p.Campaign, p.At = "everything", "all", at(1)
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	p.Params = []protocol.Parameter{
		{Name: "none"},
		{Name: "yes", Value: protocol.Bool(true)},
		{Name: "n", Value: protocol.Int(-3)},
		{Name: "huge", Value: protocol.Value{V: huge}},
		{Name: "f", Value: protocol.Float(0.5)},
		{Name: "s", Value: protocol.Str("<&>")},
		{Name: "file", Value: protocol.Value{V: protocol.FileRef("tool")}},
		{Name: "list", Value: protocol.Value{V: protocol.List{protocol.Int(1), {V: protocol.Tuple{protocol.Str("x")}}}}},
		{Name: "dict", Value: protocol.Value{V: protocol.Dict{{Key: protocol.Int(1), Value: protocol.Value{V: protocol.List{}}}}}},
	}
	p.Files = []protocol.File{
		{Label: "data/*.txt", Kind: protocol.KindInput, At: at(2)},
		{Label: "data/1.txt", Kind: protocol.KindInput, SHA256: digest, At: at(3)},
		{Label: "tool", Kind: protocol.KindBinary, At: at(4)},
	}
	p.Arms[0].Control, p.Arms[0].Env, p.Arms[0].At = true, map[string]string{"ARM": "a"}, at(5)
	p.Arms[1].Params = []protocol.Parameter{{Name: "k", Value: protocol.Int(1)}}
	stdin := protocol.Arg{File: "data/1.txt"}
	command := protocol.Command{
		Argv: []protocol.Arg{{File: "tool"}, {Text: "<x>"}, {File: "data/*.txt"}}, Format: protocol.FormatJSON,
		Env: map[string]string{"C": "1"}, Stdin: &stdin, Dir: "data", At: at(6),
	}
	p.Cases[0].Commands["b"] = command
	p.Cases[0].Commands["a"] = protocol.Command{Argv: []protocol.Arg{{Text: "./tool"}, {Text: ""}, {File: "data/1.txt"}}, Format: protocol.FormatJSON, Stdin: &stdin}
	p.Cases[0].At = at(7)
	p.Repeats = 2
	p.Metrics = []protocol.Metric{
		{Unit: "x/op", Role: protocol.RoleMetric, Better: "lower", At: at(8), Estimand: &protocol.Estimand{
			Kind:     protocol.BlockDifference,
			Interval: protocol.Interval{Kind: protocol.Percentile, Level: 0.9, Resamples: 200, Seed: 1},
		}},
		{Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"},
		{Unit: "rows/op", Role: protocol.RoleConstant, Equals: map[string]float64{"only": 2}, Confound: "rows"},
		{Unit: "x/row", Role: protocol.RoleDerived, Better: "higher", Num: "x/op", Den: "rows/op"},
	}
	p.Estimand.Also = []protocol.Interval{{Kind: protocol.SignFlip, Level: 0.5}, {Kind: protocol.Percentile, Level: 0.95, Resamples: 100}}
	p.Estimand.At, p.Estimand.Interval.At = at(9), at(10)
	p.Family = "holm"
	p.Process = protocol.Process{
		Timeout: protocol.Duration(90 * time.Second), Pad: true, Nice: &nice, Env: map[string]string{"E": "a=b"},
		Limits: map[string]int64{"nofile": 100, "core": 0}, Calibrate: protocol.Duration(100 * time.Microsecond),
	}
	p.Expect = []protocol.Expect{
		{Kind: protocol.ExpectExit},
		{Kind: protocol.ExpectStdout, Matches: "x/op"},
		{Kind: protocol.ExpectMetric, Unit: "rows/op", Equals: number(2)},
		{Kind: protocol.ExpectAudit, Name: "path", PerRepeat: 1, Where: []protocol.Parameter{{Name: "m", Value: protocol.Str("R")}}, At: at(11)},
	}
	p.Checks = []protocol.Check{{Kind: "prefix_confound", Metric: "rows/op", On: protocol.Warning, At: at(12)}, {Kind: "complete", On: protocol.Invalid}}
	p.Gates = []protocol.Gate{
		{Metric: "wall-ns", MaxRatio: number(1e6), Cases: []string{"only"}, AcceptNarrow: true, At: at(13)},
		{Metric: "x/row", MinRatio: number(0.5)},
		{Metric: "x/op", MaxDifference: number(10)},
	}
	p.Predictions, p.Limits = []string{"Equal."}, []string{"Two blocks."}
	p.References = []protocol.Reference{{Label: "before", Metric: "x/op", Case: "only", Value: 7, Low: number(6), High: number(8), Source: "elsewhere", At: at(14)}}
	s := script(t, p)
	write(t, []byte(one), 0o644, s.Root, "data", "1.txt")
	write(t, []byte("2\n"), 0o644, s.Root, "data", "2.txt")
	write(t, []byte(`#!/bin/sh
read n || exit 4
for i in 1 2; do
  echo '{"x/op": 7, "rows/op": 2}'
  echo '{"audit": "path", "m": "R"}' >> "$PHASELOCK_AUDIT"
done
`), 0o755, s.Root, "tool")
	return s
}

// others are phases for the parts that everything leaves out: they are planned, not run.
func others(t testing.TB) map[string]*plan.Plan {
	off := false
	fixed := phase(2, prints, prints)
	fixed.Design = protocol.Design{
		Kind: protocol.DesignFixed, Blocks: 2, Nesting: protocol.NestCases, Order: protocol.OrderCase,
		Orders: []protocol.CaseOrders{{Case: "only", Blocks: [][]string{{"a", "b"}, {"b", "a"}}}},
	}
	fixed.Process = protocol.Process{Timeout: protocol.Duration(time.Hour), CPUs: "2-4,7", ASLR: &off, Netns: "n"}
	fixed.Arms[1].CPUs = "auto"
	fixed.OnFailure, fixed.OnCeiling, fixed.Interrupted = "stop-case", "continue", "retain"
	built := phase(2, prints, prints)
	profile := protocol.Arg{File: "cpu.pgo"}
	test := &protocol.Build{Package: "./x", Test: true}
	build := &protocol.Build{Package: "./y", Ref: "v1", Dir: "m", Tags: []string{"t"}, Env: map[string]string{"GOAMD64": "v3"}, Flags: []string{"-race"}, PGO: &profile}
	for _, f := range []protocol.File{
		{Label: "cpu.pgo", Kind: protocol.KindInput},
		{Label: test.Label(), Kind: protocol.KindGoTest, Build: test},
		{Label: build.Label(), Kind: protocol.KindGoBuild, Build: build},
	} {
		built.AddFile(f)
	}
	built.Cases[0].Commands["a"] = protocol.Command{Argv: []protocol.Arg{{File: test.Label()}}, Format: protocol.FormatGobench, Names: []string{"BenchmarkX"}}
	built.Cases[0].Commands["b"] = protocol.Command{Argv: []protocol.Arg{{File: build.Label()}}, Format: protocol.FormatGobench}
	built.Expect = []protocol.Expect{{Kind: protocol.ExpectStdout, SHA256: hex.EncodeToString(make([]byte, 32))}, {Kind: protocol.ExpectExit, Code: 3}}
	alone := phase(1, prints, prints)
	alone.Arms, alone.Contrasts, alone.Cases[0].Arms = alone.Arms[:1], nil, []string{"a"}
	alone.Design.Kind = protocol.DesignRandomized
	alone.Cases[0].Commands = map[string]protocol.Command{"a": {Argv: texts("true"), Format: protocol.FormatNone}}
	alone.Metrics = []protocol.Metric{{Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"}}
	out := map[string]*plan.Plan{}
	for name, p := range map[string]*protocol.Phase{"fixed orders, pinned": fixed, "built": built, "one arm": alone, "services and steps": beside()} {
		pl, err := plan.New(p, "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = pl
	}
	return out
}
