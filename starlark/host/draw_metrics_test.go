package host_test

import (
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"pgregory.net/rapid"
)

// some draws which of a list there are, in its order.
func some[T any](t *rapid.T, label string, all ...T) []T {
	var kept []T
	for _, x := range all {
		if rapid.Bool().Draw(t, label) {
			kept = append(kept, x)
		}
	}
	return kept
}

func maybe(t *rapid.T, label string, f float64) *float64 {
	if rapid.Bool().Draw(t, label) {
		return &f
	}
	return nil
}

// drawMetrics gives a phase metrics that the others name: ns/op has the phase's estimand, B/op is compared by differences.
func drawMetrics(t *rapid.T, p *protocol.Phase) {
	equals := map[string]float64{}
	for _, c := range p.Cases {
		equals[c.Name] = finite.Draw(t, "equals")
	}
	better := rapid.SampledFrom([]string{"lower", "higher"})
	ratio := protocol.Metric{Unit: "ns/row", Role: protocol.RoleDerived, Better: better.Draw(t, "better"), Num: "ns/op", Den: "rows/op"}
	if rapid.Bool().Draw(t, "own") {
		ratio.Estimand = drawEstimand(t, protocol.BlockRatio)
	}
	p.Metrics = []protocol.Metric{
		{Unit: "ns/op", Role: protocol.RoleMetric, Better: better.Draw(t, "better")},
		{Unit: "B/op", Role: protocol.RoleMetric, Better: "higher", Estimand: drawEstimand(t, protocol.BlockDifference)},
		{Unit: "rows/op", Role: protocol.RoleConstant, Equals: equals},
		{Unit: "prefix-B", Role: protocol.RoleConstant, Confound: prose.Draw(t, "confound")},
		ratio,
	}
}

// drawCorrectness gives a phase expectations, checks, gates and references.
func drawCorrectness(t *rapid.T, p *protocol.Phase) {
	f := finite.Draw(t, "number")
	low, high := min(f, 0), max(f, 0)
	bound := rapid.Float64Range(0.1, 10).Draw(t, "bound")
	first := p.Cases[0].Name
	p.Gates = some(t, "gates",
		protocol.Gate{Metric: "ns/op", MaxRatio: &bound, Cases: []string{first}, AcceptNarrow: rapid.Bool().Draw(t, "narrow")},
		protocol.Gate{Metric: "ns/row", MinRatio: &bound},
		protocol.Gate{Metric: "B/op", MaxDifference: &f},
	)
	p.Checks = some(t, "checks",
		protocol.Check{Kind: "prefix_confound", Metric: "prefix-B", On: rapid.SampledFrom([]string{"warning", "invalid"}).Draw(t, "on")},
		protocol.Check{Kind: "complete", On: "invalid"},
	)
	p.Expect = some(t, "expect",
		protocol.Expect{Kind: protocol.ExpectExit, Code: rapid.IntRange(0, 255).Draw(t, "code")},
		protocol.Expect{Kind: protocol.ExpectStdout, Matches: "^PASS$"},
		protocol.Expect{Kind: protocol.ExpectStdout, SHA256: strings.Repeat("c3", 32)},
		protocol.Expect{Kind: protocol.ExpectMetric, Unit: "rows/op", Equals: &f},
	)
	if rapid.Bool().Draw(t, "audit") {
		p.Expect = append(p.Expect, protocol.Expect{
			Kind: protocol.ExpectAudit, Name: "path", PerRepeat: rapid.IntRange(1, 3).Draw(t, "per_repeat"),
			Where: []protocol.Parameter{{Name: "plan", Value: drawValue(t, p, 1)}},
		})
	}
	p.References = some(t, "references",
		protocol.Reference{
			Label: prose.Draw(t, "reference"), Metric: "ns/op", Case: first, Value: f,
			Low: maybe(t, "low", low), High: maybe(t, "high", high), Source: prose.Draw(t, "source"),
		},
		protocol.Reference{Label: "elsewhere", Value: f},
	)
}
