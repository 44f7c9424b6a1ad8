package host_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"pgregory.net/rapid"
)

// TestPrintEvalRoundTrip draws phases and holds that their flat form evaluates to the same phase and prints the same.
func TestPrintEvalRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawPhase(rt)
		if problems := protocol.Validate(want); len(problems) > 0 {
			rt.Fatalf("the drawn phase is not valid: %v", problems)
		}
		flat := host.Print(want)
		s, err := evalText(t, string(flat), host.Options{})
		if err != nil {
			rt.Fatalf("%v\n%s", err, flat)
		}
		equalBig := cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
		if d := cmp.Diff(want, s.Phases[0], ignorePlaces, equalBig); d != "" {
			rt.Fatalf("%s\n%s", d, flat)
		}
		if d := cmp.Diff(string(flat), string(host.Print(s.Phases[0]))); d != "" {
			rt.Fatal(d)
		}
	})
}

var (
	word  = rapid.StringMatching(`[a-z][a-z0-9_.-]{0,6}[a-z0-9]`)
	prose = rapid.Custom(func(t *rapid.T) string {
		return word.Draw(t, "start") + strings.ReplaceAll(rapid.String().Draw(t, "prose"), "\x00", "")
	})
	finite = rapid.Float64().Filter(func(f float64) bool { return f-f == 0 })
)

func distinctWords(t *rapid.T, label string, lo, hi int) []string {
	return rapid.SliceOfNDistinct(word, lo, hi, rapid.ID[string]).Draw(t, label)
}

func drawPhase(t *rapid.T) *protocol.Phase {
	arms, cases := distinctWords(t, "arms", 2, 4), distinctWords(t, "cases", 1, 4)
	p := &protocol.Phase{
		Name: word.Draw(t, "name"), Campaign: rapid.SampledFrom([]string{"", "c"}).Draw(t, "campaign"), Question: prose.Draw(t, "question"),
		Baseline: rapid.SampledFrom(arms).Draw(t, "baseline"), Repeats: rapid.IntRange(1, 9).Draw(t, "repeats"),
		OnFailure: rapid.SampledFrom([]string{"continue", "stop-case", "stop-phase"}).Draw(t, "on_failure"),
		OnCeiling: "stop-phase", Interrupted: rapid.SampledFrom([]string{"rerun-block", "retain"}).Draw(t, "interrupted"),
		Family:  rapid.SampledFrom([]string{"", "holm", "bh"}).Draw(t, "family"),
		Process: drawProcess(t), Predictions: rapid.SliceOfN(prose, 0, 2).Draw(t, "predictions"),
		Estimand: protocol.Estimand{Kind: protocol.BlockRatio, Interval: drawInterval(t), Also: rapid.SliceOfN(rapid.Custom(drawInterval), 0, 2).Draw(t, "also")},
	}
	for _, n := range []string{"workers", "quick"}[:rapid.IntRange(0, 2).Draw(t, "params")] {
		p.Params = append(p.Params, protocol.Parameter{Name: n, Value: drawScalar(t)})
	}
	for _, n := range arms {
		p.Arms = append(p.Arms, protocol.Arm{
			Name: n, Env: drawEnv(t), CPUs: rapid.SampledFrom([]string{"", "auto", "2-4,7"}).Draw(t, "cpus"),
			Control: rapid.Bool().Draw(t, "control"), Params: drawOwn(t, p),
		})
		if n != p.Baseline {
			p.Contrasts = append(p.Contrasts, protocol.Contrast{Arm: n, Base: p.Baseline})
		}
	}
	for _, n := range cases {
		c := protocol.Case{Name: n, Arms: arms, Commands: map[string]protocol.Command{}, Params: drawOwn(t, p)}
		for _, a := range arms {
			c.Commands[a] = drawCommand(t, p, n, a)
		}
		p.Cases = append(p.Cases, c)
	}
	drawDesign(t, p, arms)
	drawMetrics(t, p)
	return p
}

func drawProcess(t *rapid.T) protocol.Process {
	p := protocol.Process{
		CPUs: rapid.SampledFrom([]string{"", "auto", "8-15"}).Draw(t, "cpus"), Env: drawEnv(t), Pad: rapid.Bool().Draw(t, "pad"),
		Timeout:   protocol.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "timeout")),
		Calibrate: protocol.Duration(rapid.SampledFrom([]time.Duration{0, 20 * time.Millisecond}).Draw(t, "calibrate")),
		Netns:     rapid.SampledFrom([]string{"", "client"}).Draw(t, "netns"),
	}
	if rapid.Bool().Draw(t, "hasASLR") {
		on, nice := rapid.Bool().Draw(t, "aslr"), rapid.IntRange(-20, 19).Draw(t, "nice")
		p.ASLR, p.Nice = &on, &nice
		p.Limits = map[string]int64{"nofile": 1024, "as": 1 << 40}
	}
	return p
}

func drawEnv(t *rapid.T) map[string]string {
	return rapid.MapOfN(rapid.StringMatching(`[A-Z][A-Z_]{1,4}`).Filter(func(s string) bool { return s != "HOME" }), prose, 0, 2).Draw(t, "env")
}

func drawInterval(t *rapid.T) protocol.Interval {
	i := protocol.Interval{
		Kind:  rapid.SampledFrom([]string{protocol.StudentT, protocol.Percentile, protocol.SignFlip}).Draw(t, "interval"),
		Level: rapid.Float64Range(0.001, 0.999).Draw(t, "level"),
	}
	if i.Kind == protocol.Percentile {
		i.Resamples, i.Seed = rapid.IntRange(100, 1_000_000).Draw(t, "resamples"), rapid.Int64Range(0, protocol.MaxSeed).Draw(t, "seed")
	}
	return i
}

func drawScalar(t *rapid.T) protocol.Value {
	switch rapid.IntRange(0, 3).Draw(t, "scalar") {
	case 0:
		return protocol.Int(rapid.Int64().Draw(t, "int"))
	case 1:
		return protocol.Float(finite.Draw(t, "float"))
	case 2:
		return protocol.Bool(rapid.Bool().Draw(t, "bool"))
	}
	return protocol.Str(prose.Draw(t, "string"))
}

func drawValue(t *rapid.T, p *protocol.Phase, depth int) protocol.Value {
	kind := rapid.IntRange(0, 5).Draw(t, "value")
	if depth == 0 && kind > 2 {
		kind = 0
	}
	switch kind {
	case 1:
		return protocol.Value{}
	case 2:
		file := protocol.File{Label: "data/" + word.Draw(t, "input"), Kind: protocol.KindInput}
		p.AddFile(file)
		return protocol.Value{V: protocol.FileRef(file.Label)}
	case 3, 4:
		var all []protocol.Value
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			all = append(all, drawValue(t, p, depth-1))
		}
		if kind == 3 {
			return protocol.Value{V: protocol.List(all)}
		}
		return protocol.Value{V: protocol.Tuple(all)}
	case 5:
		var d protocol.Dict
		for _, k := range distinctWords(t, "keys", 0, 3) {
			d = append(d, protocol.Entry{Key: protocol.Str(k), Value: drawValue(t, p, depth-1)})
		}
		return protocol.Value{V: d}
	}
	if rapid.IntRange(0, 9).Draw(t, "big") == 0 {
		return protocol.Value{V: new(big.Int).Lsh(big.NewInt(rapid.Int64Range(1, 99).Draw(t, "high")), 70)}
	}
	return drawScalar(t)
}

func drawOwn(t *rapid.T, p *protocol.Phase) []protocol.Parameter {
	var all []protocol.Parameter
	for _, n := range []string{"rows", "size", "method"}[:rapid.IntRange(0, 3).Draw(t, "own")] {
		all = append(all, protocol.Parameter{Name: n, Value: drawValue(t, p, 2)})
	}
	return all
}

func drawCommand(t *rapid.T, p *protocol.Phase, names ...string) protocol.Command {
	c := protocol.Command{Format: protocol.FormatJSON, Env: drawEnv(t), Dir: rapid.SampledFrom([]string{"", "work/here"}).Draw(t, "dir")}
	var file protocol.File
	switch rapid.IntRange(0, 2).Draw(t, "program") {
	case 0:
		c.Argv = []protocol.Arg{{Text: "bin/" + word.Draw(t, "program")}}
	case 1:
		file = protocol.File{Label: "bin/" + word.Draw(t, "binary"), Kind: protocol.KindBinary, SHA256: strings.Repeat("a1", 32)}
	case 2:
		b := &protocol.Build{
			Package: "./" + word.Draw(t, "package"), Ref: rapid.SampledFrom([]string{"", "v1.2"}).Draw(t, "ref"),
			Tags: rapid.SampledFrom([][]string{nil, {"fdb"}}).Draw(t, "tags"), Env: drawEnv(t), Test: rapid.Bool().Draw(t, "test"),
		}
		if rapid.Bool().Draw(t, "pgo") {
			p.AddFile(protocol.File{Label: "profiles/cpu.pprof", Kind: protocol.KindInput})
			b.PGO = &protocol.Arg{File: "profiles/cpu.pprof"}
		}
		file = protocol.File{Label: b.Label(), Kind: protocol.KindGoBuild, Build: b}
		if b.Test {
			file.Kind = protocol.KindGoTest
		}
	}
	if file.Label != "" {
		p.AddFile(file)
		c.Argv = []protocol.Arg{{File: file.Label}}
	}
	for _, n := range names {
		c.Argv = append(c.Argv, protocol.Arg{Text: n})
	}
	if rapid.Bool().Draw(t, "gobench") {
		c.Format, c.Names = protocol.FormatGobench, []string{"BenchmarkX/" + names[0]}
		c.Argv = append(c.Argv, protocol.Arg{Text: fmt.Sprintf("-test.count=%d", p.Repeats)}, protocol.Arg{Text: "-test.run=^$"}, protocol.Arg{Text: "-test.benchmem"})
	}
	return c
}

func drawDesign(t *rapid.T, p *protocol.Phase, arms []string) {
	d := &p.Design
	d.Kind = rapid.SampledFrom([]string{protocol.DesignCounterbalanced, protocol.DesignWilliams, protocol.DesignRandomized, protocol.DesignFixed}).Draw(t, "design")
	d.Nesting = rapid.SampledFrom([]string{protocol.NestBlocks, protocol.NestCases}).Draw(t, "nesting")
	d.Order = rapid.SampledFrom([]string{protocol.OrderCase, protocol.OrderShared}).Draw(t, "order")
	d.Blocks = rapid.IntRange(1, 12).Draw(t, "blocks")
	if d.Kind != protocol.DesignFixed {
		d.Seed = rapid.Int64Range(0, protocol.MaxSeed).Draw(t, "seed")
		return
	}
	names := []string{""}
	if d.Order == protocol.OrderCase {
		names = nil
		for _, c := range p.Cases {
			names = append(names, c.Name)
		}
	}
	for _, n := range names {
		o := protocol.CaseOrders{Case: n}
		for range d.Blocks {
			o.Blocks = append(o.Blocks, rapid.Permutation(slices.Clone(arms)).Draw(t, "order"))
		}
		d.Orders = append(d.Orders, o)
	}
}

func drawMetrics(t *rapid.T, p *protocol.Phase) {
	f := finite.Draw(t, "number")
	equals := map[string]float64{}
	for _, c := range p.Cases {
		equals[c.Name] = finite.Draw(t, "equals")
	}
	p.Metrics = []protocol.Metric{
		{Unit: "ns/op", Role: protocol.RoleMetric, Better: "lower"},
		{Unit: "B/op", Role: protocol.RoleMetric, Better: "higher", Estimand: &protocol.Estimand{Kind: protocol.BlockDifference, Interval: drawInterval(t)}},
		{Unit: "rows/op", Role: protocol.RoleConstant, Equals: equals},
		{Unit: "prefix-B", Role: protocol.RoleConstant, Confound: prose.Draw(t, "confound")},
		{Unit: "ns/row", Role: protocol.RoleDerived, Better: "lower", Num: "ns/op", Den: "rows/op"},
	}
	bound := rapid.Float64Range(0.1, 10).Draw(t, "bound")
	p.Gates = []protocol.Gate{
		{Metric: "ns/op", MaxRatio: &bound, Cases: []string{p.Cases[0].Name}, AcceptNarrow: rapid.Bool().Draw(t, "narrow")},
		{Metric: "B/op", MaxDifference: &f},
	}
	p.Checks = []protocol.Check{{Kind: "prefix_confound", Metric: "prefix-B", On: rapid.SampledFrom([]string{"warning", "invalid"}).Draw(t, "on")}, {Kind: "complete", On: "invalid"}}
	p.Expect = []protocol.Expect{
		{Kind: protocol.ExpectExit, Code: rapid.IntRange(0, 255).Draw(t, "code")},
		{Kind: protocol.ExpectStdout, Matches: "^PASS$"},
		{Kind: protocol.ExpectMetric, Unit: "rows/op", Equals: &f},
		{Kind: protocol.ExpectAudit, Name: "path", PerRepeat: 2, Where: []protocol.Parameter{{Name: "plan", Value: drawValue(t, p, 1)}}},
	}
	p.References = []protocol.Reference{{Label: prose.Draw(t, "reference"), Metric: "ns/op", Case: p.Cases[0].Name, Value: f, Low: &f, Source: prose.Draw(t, "source")}}
}
