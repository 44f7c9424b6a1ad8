package check

import (
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// tally counts the values of a confounding constant in one case.
type tally struct {
	metric *plan.Metric
	c      *plan.Case
	values map[float64]int
	mixed  int     // processes whose own samples differ
	usual  float64 // the most common value; the largest of equals
	arms   []armTally
	blocks []int // in which some process has another value than the usual one
}

// armTally counts the processes of one arm.
type armTally struct {
	arm       string
	processes int
	shorter   int // below the usual value
	longer    int
	mixed     int
	other     map[float64][]int // blocks by unusual value
}

func newTally(in *Input, m *plan.Metric, c *plan.Case) *tally {
	t := &tally{metric: m, c: c, values: map[float64]int{}}
	for _, cell := range in.Grid.Cells(c.Name) {
		if !cell.Valid() {
			continue
		}
		if v := cell.Constants[m.Unit]; v != nil {
			t.values[*v]++
		} else {
			t.mixed++
		}
	}
	most := 0
	for _, v := range sortedValues(t.values) {
		if t.values[v] >= most {
			most, t.usual = t.values[v], v
		}
	}
	for _, arm := range c.Arms {
		t.arms = append(t.arms, t.countArm(in, arm))
	}
	return t
}

func (t *tally) countArm(in *Input, arm string) armTally {
	a := armTally{arm: arm, other: map[float64][]int{}}
	for _, cell := range in.Grid.ArmCells(t.c.Name, arm) {
		if !cell.Valid() {
			continue
		}
		a.processes++
		v := cell.Constants[t.metric.Unit]
		switch {
		case v == nil:
			a.mixed++
		case *v == t.usual:
			continue
		case *v < t.usual:
			a.shorter++
			a.other[*v] = addInt(a.other[*v], cell.Run.Block)
		default:
			a.longer++
			a.other[*v] = addInt(a.other[*v], cell.Run.Block)
		}
		t.blocks = addInt(t.blocks, cell.Run.Block)
	}
	return a
}

func (t *tally) varies() bool { return len(t.values) > 1 || t.mixed > 0 }

// perArm says how often each arm has another value, and in which blocks.
func (t *tally) perArm() []string {
	var out []string
	for _, a := range t.arms {
		s := fmt.Sprintf("%d of %d processes of %s", a.shorter+a.longer+a.mixed, a.processes, a.arm)
		var where []string
		for _, v := range sortedBlocks(a.other) {
			where = append(where, exact(v)+" in "+blocks(a.other[v]))
		}
		if a.mixed > 0 {
			where = append(where, "different within "+count(a.mixed, "process"))
		}
		if len(where) > 0 {
			s += " (" + strings.Join(where, ", ") + ")"
		}
		out = append(out, s)
	}
	return out
}

func sortedBlocks(m map[float64][]int) []float64 {
	counts := map[float64]int{}
	for v := range m {
		counts[v] = 1
	}
	return sortedValues(counts)
}
