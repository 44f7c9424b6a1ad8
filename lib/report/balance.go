package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// balance is how a case's arms are spread over positions and orders, counted from the planned runs themselves.
type balance struct {
	name      string
	arms      []string
	orders    []string          // letters by block: "AB"
	positions map[string][]int  // by arm: how often in position 1, 2, …
	follows   map[[2]string]int // how often the second runs right after the first, within a block
}

// letter names the arm of that index in an order: A is the first declared.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return fmt.Sprintf("(%d)", i+1)
}

// balances counts every case of a plan, in declared order.
func balances(pl *plan.Plan) []balance {
	out := make([]balance, len(pl.Phase.Cases))
	index := map[string]int{}
	letters := map[string]string{}
	for i := range pl.Phase.Arms {
		letters[pl.Phase.Arms[i].Name] = letter(i)
	}
	for i := range pl.Phase.Cases {
		c := &pl.Phase.Cases[i]
		index[c.Name] = i
		out[i] = balance{name: c.Name, arms: c.Arms, positions: map[string][]int{}, follows: map[[2]string]int{}}
	}
	last := map[int]string{} // by case: the arm before, in the same block
	block := map[int]int{}
	for i := range pl.Runs {
		r := &pl.Runs[i]
		at, ok := index[r.Case]
		if !ok {
			continue
		}
		b := &out[at]
		if len(b.orders) == 0 || block[at] != r.Block {
			block[at], last[at] = r.Block, ""
			b.orders = append(b.orders, "")
		}
		b.orders[len(b.orders)-1] += orElse(letters[r.Arm], "?")
		b.count(r.Arm, r.Position)
		if last[at] != "" {
			b.follows[[2]string{last[at], r.Arm}]++
		}
		last[at] = r.Arm
	}
	return out
}

// mostPositions bounds what a damaged plan can ask for.
const mostPositions = 1 << 16

func (b *balance) count(arm string, position int) {
	if position < 1 || position > mostPositions {
		return
	}
	for len(b.positions[arm]) < position {
		b.positions[arm] = append(b.positions[arm], 0)
	}
	b.positions[arm][position-1]++
}

// spread says how often each arm stands in each position, and how often each runs right after each other one.
func (b *balance) spread(v voice) string {
	var all, after []int
	var positions, carried []string
	for _, a := range b.arms {
		var counts []string
		for i, other := range b.arms {
			n := at(b.positions[a], i)
			all, counts = append(all, n), append(counts, fmt.Sprint(n))
			if other != a {
				n := b.follows[[2]string{a, other}]
				after = append(after, n)
				carried = append(carried, fmt.Sprintf("%s after %s %d", v.name(other), v.name(a), n))
			}
		}
		positions = append(positions, v.name(a)+" "+strings.Join(counts, "/"))
	}
	n, evenly := uniform(all)
	m, carriedEvenly := uniform(after)
	switch {
	case evenly && carriedEvenly:
		return fmt.Sprintf("each arm %s in each position and %s after each other", times(n), times(m))
	case evenly:
		return fmt.Sprintf("each arm %s in each position; carry-over %s", times(n), strings.Join(carried, ", "))
	}
	return "by position " + strings.Join(positions, ", ") + "; carry-over " + strings.Join(carried, ", ")
}

// orderText says how often each order occurs, for two arms.
func (b *balance) orderText() string {
	counts := map[string]int{}
	var ns []int
	for _, o := range b.orders {
		counts[o]++
	}
	for _, o := range sortedKeys(counts) {
		ns = append(ns, counts[o])
	}
	if n, ok := uniform(ns); ok && len(ns) > 1 {
		return "each order " + times(n)
	}
	var words []string
	for _, o := range sortedKeys(counts) {
		words = append(words, fmt.Sprintf("%s %s", o, times(counts[o])))
	}
	return strings.Join(words, ", ")
}

// text says the whole balance of a case.
func (b *balance) text(v voice) string {
	if len(b.arms) < 2 {
		return "one arm"
	}
	s := b.spread(v)
	if len(b.arms) == 2 {
		s = b.orderText() + "; " + s
	}
	return s
}

// balanceTexts returns the balance of all cases: one line if it is the same in all, else one a case.
func balanceTexts(bs []balance, v voice) []string {
	texts := make([]string, len(bs))
	for i := range bs {
		texts[i] = bs[i].text(v)
	}
	switch {
	case len(bs) == 0:
		return nil
	case len(bs) == 1:
		return texts
	case len(slices.Compact(slices.Clone(texts))) == 1:
		return []string{texts[0] + ", in every case"}
	}
	for i := range bs {
		texts[i] = v.name(bs[i].name) + ": " + texts[i]
	}
	return texts
}

func at(ns []int, i int) int {
	if i < len(ns) {
		return ns[i]
	}
	return 0
}

// uniform reports whether all numbers are one.
func uniform(ns []int) (int, bool) {
	if len(ns) == 0 {
		return 0, false
	}
	return ns[0], len(slices.Compact(slices.Clone(ns))) == 1
}
