package host_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
	"pgregory.net/rapid"
)

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
		OnCeiling: rapid.SampledFrom([]string{"stop-phase", "continue"}).Draw(t, "on_ceiling"), Interrupted: rapid.SampledFrom([]string{"rerun-block", "retain"}).Draw(t, "interrupted"),
		Family:  rapid.SampledFrom([]string{"", "holm", "bh"}).Draw(t, "family"),
		Process: drawProcess(t), Predictions: rapid.SliceOfN(prose, 0, 2).Draw(t, "predictions"), Limits: rapid.SliceOfN(prose, 0, 2).Draw(t, "limits"),
		Estimand: *drawEstimand(t, protocol.BlockRatio),
	}
	for _, n := range []string{"workers", "quick"}[:rapid.IntRange(0, 2).Draw(t, "params")] {
		p.Params = append(p.Params, protocol.Parameter{Name: n, Value: drawScalar(t)})
	}
	for _, n := range arms {
		p.Arms = append(p.Arms, protocol.Arm{
			Name: n, Env: drawEnv(t), CPUs: rapid.SampledFrom([]string{"", "auto", "2-4,7"}).Draw(t, "cpus"),
			Control: rapid.Bool().Draw(t, "control"), Params: drawOwn(t, p),
		})
	}
	drawContrasts(t, p, arms)
	drawDesign(t, p)
	for i, n := range cases {
		asked := arms
		if i > 0 && p.Design.Order == protocol.OrderCase {
			asked = arms[:rapid.IntRange(1, len(arms)).Draw(t, "asked")]
		}
		c := protocol.Case{Name: n, Arms: asked, Commands: map[string]protocol.Command{}, Params: drawOwn(t, p)}
		for _, a := range asked {
			c.Commands[a] = drawCommand(t, p, n, a)
		}
		p.Cases = append(p.Cases, c)
	}
	drawOrders(t, p)
	drawMetrics(t, p)
	drawCorrectness(t, p)
	drawBeside(t, p)
	return p
}

func drawContrasts(t *rapid.T, p *protocol.Phase, arms []string) {
	var pairs []protocol.Contrast
	for _, a := range arms {
		for _, b := range arms {
			if a != b {
				pairs = append(pairs, protocol.Contrast{Arm: a, Base: b})
			}
		}
	}
	p.Contrasts = rapid.Permutation(pairs).Draw(t, "contrasts")[:rapid.IntRange(1, len(pairs)).Draw(t, "compared")]
}

func drawEstimand(t *rapid.T, kind string) *protocol.Estimand {
	return &protocol.Estimand{Kind: kind, Interval: drawInterval(t), Also: rapid.SliceOfN(rapid.Custom(drawInterval), 0, 2).Draw(t, "also")}
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
			Dir: rapid.SampledFrom([]string{"", "../module"}).Draw(t, "dir"), Flags: rapid.SampledFrom([][]string{nil, {"-gcflags=-l", "-race"}}).Draw(t, "flags"),
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
	if rapid.Bool().Draw(t, "hasStdin") {
		in := protocol.File{Label: "data/in", Kind: protocol.KindInput, SHA256: strings.Repeat("b2", 32)}
		p.AddFile(in)
		c.Stdin = &protocol.Arg{File: in.Label}
	}
	if rapid.Bool().Draw(t, "gobench") {
		c.Format, c.Names = protocol.FormatGobench, []string{"BenchmarkX/" + names[0]}
		c.Argv = append(c.Argv, protocol.Arg{Text: fmt.Sprintf("-test.count=%d", p.Repeats)}, protocol.Arg{Text: "-test.run=^$"}, protocol.Arg{Text: "-test.benchmem"})
	}
	return c
}

func drawDesign(t *rapid.T, p *protocol.Phase) {
	d := &p.Design
	d.Kind = rapid.SampledFrom([]string{protocol.DesignCounterbalanced, protocol.DesignWilliams, protocol.DesignRandomized, protocol.DesignFixed}).Draw(t, "design")
	d.Nesting = rapid.SampledFrom([]string{protocol.NestBlocks, protocol.NestCases}).Draw(t, "nesting")
	d.Order = rapid.SampledFrom([]string{protocol.OrderCase, protocol.OrderShared}).Draw(t, "order")
	d.Blocks = rapid.IntRange(1, 12).Draw(t, "blocks")
	if d.Kind != protocol.DesignFixed {
		d.Seed = rapid.Int64Range(0, protocol.MaxSeed).Draw(t, "seed")
	}
}

// drawOrders gives a fixed design its orders: one for all cases, or one a case.
func drawOrders(t *rapid.T, p *protocol.Phase) {
	d := &p.Design
	if d.Kind != protocol.DesignFixed {
		return
	}
	for _, c := range p.Cases {
		o := protocol.CaseOrders{Case: c.Name}
		if d.Order == protocol.OrderShared {
			o.Case = ""
		}
		for range d.Blocks {
			o.Blocks = append(o.Blocks, rapid.Permutation(slices.Clone(c.Arms)).Draw(t, "order"))
		}
		d.Orders = append(d.Orders, o)
		if o.Case == "" {
			return
		}
	}
}
