package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
)

// derivedLimits are the standard limits that follow from what was planned and done.
func (w *writer) derivedLimits() []string {
	p := w.page
	ph := p.phase()
	var out []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(slices.ContainsFunc(p.Plan.Runs, func(r plan.Run) bool { return r.Format == plan.FormatGobench }),
		"Go's testing package reports means over b.N iterations: nothing here speaks of tails or of single operations.")
	n := ph.Design.Blocks
	add(n > 0, "%s give limited resolution%s.", capital(count(n, "block")), leastP(n))
	k, levels := w.intervals()
	add(k > 1 && ph.Family == "", "%d nominal %s intervals, without a correction over comparisons.", k, levels)
	add(k > 1 && ph.Family != "", "%d nominal %s intervals; %s corrects p values, not intervals.", k, levels, orElse(families[ph.Family], escape(ph.Family)))
	if p.Result != nil {
		coverage, kind := w.coverage()
		add(coverage > 0, "The registered %s interval is narrow at this number of blocks: simulated coverage %.1f%%.", kind, coverage*100)
		add(p.Result.Completeness.LimitedToCompleteBlocks, "Some comparisons are limited to complete blocks: what was lost may not be lost by chance.")
		add(slices.ContainsFunc(w.readings, reading.confounded), "A confounding constant differed between arms: part of the difference may be its doing, and the matched estimate has no interval.")
		digest, unsealed := p.seal(written)
		add(digest == "", "%s", unsealed)
		j := p.journal(written)
		add(digest != "" && !p.anchored(&j), "The seal is unanchored: it proves content, not time.")
		add(digest != "" && p.anchored(&j), "The seal proves content, not time: when it was made, only its anchor can show.")
	}
	add(w.hasCommands() && ph.Process.CPUs == "" && !pinnedArms(ph), "Processes were not pinned to CPUs.")
	add(len(ph.Hosts) == 0, "One host: nothing here says how another machine behaves.")
	return out
}

// leastP says what the sign-flip test of n blocks can reach.
func leastP(n int) string {
	if n > 20 {
		return ""
	}
	return fmt.Sprintf(": no two-sided sign-flip p lies below 2/2^%d = %.4g", n, 2/math.Pow(2, float64(n)))
}

// intervals counts the registered intervals, and names their level if they have one.
func (w *writer) intervals() (n int, levels string) {
	seen := map[string]bool{}
	for _, r := range w.readings {
		if r.c.Interval != nil {
			n++
			seen[level(r.c.Interval.Level)] = true
		}
	}
	if keys := sortedKeys(seen); len(keys) > 0 {
		levels = list(keys)
	}
	return n, levels
}

// coverage returns the lowest simulated coverage of a registered interval that is clearly below its level.
func (w *writer) coverage() (lowest float64, kind string) {
	const clearly = 0.01
	for _, r := range w.readings {
		if r.c.Interval == nil || r.c.Unregistered == nil {
			continue
		}
		v, ok := finite(r.c.Unregistered.SimulatedCoverage)
		if ok && v > 0 && v < r.c.Interval.Level-clearly && (lowest == 0 || v < lowest) {
			lowest, kind = v, escape(kindName(r.c.Interval.Kind))
		}
	}
	return lowest, kind
}

func pinnedArms(ph *plan.Phase) bool {
	return slices.ContainsFunc(ph.Arms, func(a plan.Arm) bool { return a.CPUs != "" })
}
