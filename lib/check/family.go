package check

import (
	"fmt"
	"math"
)

// MaxSignFlip is the largest number of blocks for which the sign-flip test is enumerated (lib/stats).
const MaxSignFlip = 20

// familyUnreachable notes a declared family in which no comparison can reach the level, because the least p of the
// sign-flip test, 2/2^n, is too large once it is adjusted; and how many blocks would do.
func familyUnreachable(in *Input) []Finding {
	p := in.phase()
	if p.Family == "" {
		return nil
	}
	m, level := 0, p.Estimand.Interval.Level
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Control {
			continue
		}
		if !c.SignFlip {
			return nil // a t test has no least p
		}
		m++
	}
	if m == 0 {
		return nil
	}
	times, name := m, "Holm"
	if p.Family == "bh" {
		times, name = 1, "Benjamini-Hochberg" // all at the least p keep it
	}
	alpha := 1 - level
	least := float64(times) * leastP(p.Design.Blocks)
	if least <= alpha {
		return nil
	}
	n := p.Design.Blocks
	for float64(times)*leastP(n) > alpha {
		n++
	}
	way := fmt.Sprintf("%d blocks would do", n)
	if n > MaxSignFlip {
		way = fmt.Sprintf("it would take %d blocks, for which the test is not enumerated: register student_t", n)
	}
	return []Finding{{At: at(p.At), Message: fmt.Sprintf(
		"with %s over %s at %s no adjusted p can be below %s, so none reaches %s; %s",
		name, count(m, "comparison"), count(p.Design.Blocks, "block"), number(least), number(alpha), way)}}
}

// leastP is the least two-sided sign-flip p of n blocks.
func leastP(n int) float64 { return math.Ldexp(1, 1-n) }
