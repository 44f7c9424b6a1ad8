// Package design gives block designs: for each block, the order in which its arms run.
package design

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/rng"
)

// Orders returns, for each block of a case, its arms in run order. Arms come in declared order. It is a pure function of
// the design, the case's name and its arms, so that adding a case changes no other case's orders.
// A count of blocks that cannot be balanced is a problem that names the counts that can; two arms in an odd number of blocks are
// accepted, and the check "unbalanced" notes it.
func Orders(d protocol.Design, caseName string, arms []string) ([][]string, protocol.Problems) {
	if problem := refuse(d, arms); problem != "" {
		return nil, protocol.Problems{{At: d.At, What: d.Kind, Message: problem}}
	}
	if d.Kind == protocol.DesignFixed {
		return fixed(d, caseName, arms)
	}
	purpose := "design/" + caseName
	if d.Order == protocol.OrderShared {
		purpose = "design"
	}
	s := rng.New(purpose, d.Seed)
	var rows [][]int
	switch {
	case len(arms) == 1:
		rows = repeat([][]int{{0}}, d.Blocks)
	case d.Kind == protocol.DesignRandomized:
		rows = randomized(s, len(arms), d.Blocks)
	case len(arms) == 2:
		rows = twoArms(s, d.Blocks)
	default:
		rows = williams(s, len(arms), d.Blocks)
	}
	orders := make([][]string, len(rows))
	for b, row := range rows {
		for _, arm := range row {
			orders[b] = append(orders[b], arms[arm])
		}
	}
	return orders, nil
}

// twoArms lists each order n/2 times, AB before BA, appends a drawn surplus order where n is odd, and shuffles.
func twoArms(s *rng.Stream, blocks int) [][]int {
	ab, ba := []int{0, 1}, []int{1, 0}
	rows := append(repeat([][]int{ab}, blocks/2), repeat([][]int{ba}, blocks/2)...)
	if blocks%2 == 1 {
		rows = append(rows, [][]int{ab, ba}[s.Bounded(2)])
	}
	s.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// williams relabels the arms of a Williams square by one shuffle, repeats its rows and shuffles them.
func williams(s *rng.Stream, arms, blocks int) [][]int {
	label := identity(arms)
	s.Shuffle(arms, func(i, j int) { label[i], label[j] = label[j], label[i] })
	square := Square(arms)
	for _, row := range square {
		for i := range row {
			row[i] = label[row[i]]
		}
	}
	rows := repeat(square, blocks/len(square))
	s.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// randomized draws each block's order by itself.
func randomized(s *rng.Stream, arms, blocks int) [][]int {
	rows := make([][]int, blocks)
	for b := range rows {
		row := identity(arms)
		s.Shuffle(arms, func(i, j int) { row[i], row[j] = row[j], row[i] })
		rows[b] = row
	}
	return rows
}

// Square returns a Williams square of t arms: t rows for even t, 2t for odd, in which every arm stands in every position
// and follows every other arm equally often (Williams 1949: the first row zigzags 0, 1, t-1, 2, t-2, …, the next add 1; for odd t
// the mirrored rows follow).
func Square(t int) [][]int {
	first := make([]int, t)
	for i := range first {
		if i%2 == 1 {
			first[i] = (i + 1) / 2
		} else if i > 0 {
			first[i] = t - i/2
		}
	}
	var rows [][]int
	for shift := range t {
		row := make([]int, t)
		for i, arm := range first {
			row[i] = (arm + shift) % t
		}
		rows = append(rows, row)
	}
	if t%2 == 1 {
		for _, row := range rows[:t] {
			mirrored := slices.Clone(row)
			slices.Reverse(mirrored)
			rows = append(rows, mirrored)
		}
	}
	return rows
}

// fixed returns the orders that the script gives, each held to be an order of the case's arms.
func fixed(d protocol.Design, caseName string, arms []string) ([][]string, protocol.Problems) {
	i := slices.IndexFunc(d.Orders, func(o protocol.CaseOrders) bool { return o.Case == caseName })
	if i < 0 {
		i = slices.IndexFunc(d.Orders, func(o protocol.CaseOrders) bool { return o.Case == "" })
	}
	problem := func(format string, args ...any) ([][]string, protocol.Problems) {
		return nil, protocol.Problems{{At: d.At, What: d.Kind, Message: fmt.Sprintf(format, args...)}}
	}
	if i < 0 {
		return problem("no orders are given for case %q", caseName)
	}
	orders := d.Orders[i].Blocks
	if len(orders) != d.Blocks {
		return problem("case %q has %d orders, the design has %d blocks", caseName, len(orders), d.Blocks)
	}
	want := slices.Sorted(slices.Values(arms))
	for b, order := range orders {
		if got := slices.Sorted(slices.Values(order)); !slices.Equal(got, want) {
			return problem("case %q, block %d: %s; want each of %s once", caseName, b+1, strings.Join(order, ", "), strings.Join(arms, ", "))
		}
	}
	return clone(orders), nil
}

// CaseOrder returns, for each block, the cases in run order: shuffled anew for each block, or as declared where orders are fixed,
// which has no seed. It is a sequence of its own: the arms' orders do not depend on it.
func CaseOrder(d protocol.Design, cases []string) [][]string {
	s := rng.New("design/cases", d.Seed)
	out := make([][]string, max(d.Blocks, 0))
	for b := range out {
		order := slices.Clone(cases)
		if d.Kind != protocol.DesignFixed {
			s.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		out[b] = order
	}
	return out
}

// clone keeps the caller's changes out of the declared design.
func clone(orders [][]string) [][]string {
	out := make([][]string, len(orders))
	for b := range orders {
		out[b] = slices.Clone(orders[b])
	}
	return out
}

func repeat(rows [][]int, times int) [][]int {
	var out [][]int
	for range times {
		out = append(out, rows...)
	}
	return out
}

func identity(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}
