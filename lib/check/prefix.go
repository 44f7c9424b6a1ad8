package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// prefixConfound finds confounding constants that differ between the processes of a case: which processes, in which
// blocks, how often in each arm; the constant's own ratio, which flags and measures nothing; and what the metrics
// say over the matched blocks. With more than one such case it adds the counts over all of them.
func prefixConfound(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for _, m := range Confounds(p) {
		var all []*tally
		for i := range p.Cases {
			t := newTally(in, m, &p.Cases[i])
			all = append(all, t)
			if t.varies() {
				out = append(out, t.finding(in))
			}
		}
		out = append(out, overCases(m, p, all)...)
	}
	return out
}

// finding writes what the tally of one case says.
func (t *tally) finding(in *Input) Finding {
	var s strings.Builder
	s.WriteString(t.metric.Unit)
	if t.metric.Confound != "" {
		fmt.Fprintf(&s, " (%s)", t.metric.Confound)
	}
	s.WriteString(" is no constant here")
	if len(t.values) > 0 {
		fmt.Fprintf(&s, "; its most common value is %s", exact(t.usual))
	}
	fmt.Fprintf(&s, ", and another stands in %s.", list(t.perArm()))
	arm := ""
	for _, k := range Contrasts(in.phase(), t.c) {
		s.WriteString(t.ownRatio(in, k))
	}
	for i := range in.Comparisons {
		s.WriteString(t.matched(&in.Comparisons[i]))
	}
	for _, a := range t.arms {
		if a.shorter+a.longer+a.mixed > 0 {
			if arm != "" {
				arm = ""
				break
			}
			arm = a.arm
		}
	}
	return Finding{Case: t.c.Name, Metric: t.metric.Unit, Arm: arm, Blocks: t.blocks, Message: s.String(), At: at(t.metric.At)}
}

// ownRatio gives the geometric mean over complete blocks of the constant's own ratio. It flags that the arms differ
// in something else than what is compared; it says nothing about speed.
func (t *tally) ownRatio(in *Input, k plan.Contrast) string {
	var arm, base []float64
	for b := 1; b <= in.phase().Design.Blocks; b++ {
		x, y := in.Grid.Cell(t.c.Name, k.Arm, b), in.Grid.Cell(t.c.Name, k.Base, b)
		if !x.Valid() || !y.Valid() {
			continue
		}
		v, w := x.Constants[t.metric.Unit], y.Constants[t.metric.Unit]
		if v == nil || w == nil {
			return ""
		}
		arm, base = append(arm, *v), append(base, *w)
	}
	logs, err := stats.LogRatios(arm, base)
	if err != nil || len(logs) == 0 {
		return ""
	}
	return fmt.Sprintf(" Its own ratio, %s against %s, is %s over %s: a flag, not a result.",
		k.Arm, k.Base, ratio(math.Exp(stats.Mean(logs))), count(len(logs), "block"))
}

// matched says what a comparison of the case gives over the matched blocks, and where the others lie.
func (t *tally) matched(c *Comparison) string {
	if c.Case != t.c.Name || c.Matched == nil || c.Estimate == nil {
		return ""
	}
	if c.Matched.Estimate == nil {
		return fmt.Sprintf(" %s, %s: no block is matched.", c.Metric, c.pair())
	}
	s := fmt.Sprintf(" %s, %s: %s over the %s (%s first in %d, %s first in %d), %s over all %d.",
		c.Metric, c.pair(), number(*c.Matched.Estimate), count(len(c.Matched.Blocks), "matched block"),
		c.Base, c.Matched.BaseFirst, c.Arm, c.Matched.ArmFirst, number(*c.Estimate), c.Blocks)
	inside, outside, low, high := c.unmatched()
	span := fmt.Sprintf(" the range of the matched ones, %s to %s", number(low), number(high))
	switch {
	case len(inside) > 0 && len(outside) > 0:
		s += fmt.Sprintf(" Unmatched %s inside%s; %s outside.", lies(inside), span, lies(outside))
	case len(inside) > 0:
		s += fmt.Sprintf(" Unmatched %s inside%s.", lies(inside), span)
	case len(outside) > 0:
		s += fmt.Sprintf(" Unmatched %s outside%s.", lies(outside), span)
	}
	return s
}

func lies(ns []int) string {
	if len(ns) == 1 {
		return blocks(ns) + " lies"
	}
	return blocks(ns) + " lie"
}

// unmatched sorts the unmatched blocks into those inside and outside the range of the matched effects.
func (c *Comparison) unmatched() (inside, outside []int, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, b := range c.Effects {
		if b.Effect != nil && b.Matched != nil && *b.Matched {
			low, high = math.Min(low, *b.Effect), math.Max(high, *b.Effect)
		}
	}
	for _, b := range c.Effects {
		switch {
		case b.Effect == nil || b.Matched == nil || *b.Matched:
		case low <= *b.Effect && *b.Effect <= high:
			inside = append(inside, b.Block)
		default:
			outside = append(outside, b.Block)
		}
	}
	return inside, outside, low, high
}

// overCases adds up the arms of all cases when the constant varies in more than one.
func overCases(m *plan.Metric, p *plan.Phase, all []*tally) []Finding {
	varying := 0
	sums := map[string]*armTally{}
	for _, t := range all {
		if t.varies() {
			varying++
		}
		for _, a := range t.arms {
			if sums[a.arm] == nil {
				sums[a.arm] = &armTally{arm: a.arm}
			}
			s := sums[a.arm]
			s.processes += a.processes
			s.shorter += a.shorter
			s.longer += a.longer
			s.mixed += a.mixed
		}
	}
	if varying < 2 {
		return nil
	}
	var parts []string
	for i := range p.Arms {
		s := sums[p.Arms[i].Name]
		if s == nil {
			continue
		}
		words := fmt.Sprintf("%d of %d processes of %s", s.shorter, s.processes, s.arm)
		if s.longer > 0 {
			words += fmt.Sprintf(" (and above it in %d)", s.longer)
		}
		if s.mixed > 0 {
			words += fmt.Sprintf(" (and different within %d)", s.mixed)
		}
		parts = append(parts, words)
	}
	return []Finding{{Metric: m.Unit, At: at(m.At), Message: fmt.Sprintf(
		"over %d cases %s is below the most common value of its case in %s", len(all), m.Unit, list(parts))}}
}
