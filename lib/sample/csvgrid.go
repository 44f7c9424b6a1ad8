package sample

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
)

// csvGrid is the samples of a CSV file by case, arm and block: what was planned, as far as they show it.
type csvGrid struct {
	name    string
	arms    []string // in order of appearance
	cases   []csvCase
	blocks  int
	repeats int
	cells   []*csvCell // in run order, those without samples too
	byKey   map[csvKey]*csvCell
	last    map[csvBlock]int // the last attempt at a block
	runs    []plan.Run
}

type csvCase struct {
	name string
	arms []string // in the order of the grid's arms
}

type csvBlock struct {
	caseName string
	block    int
}

type csvKey struct {
	csvBlock
	arm string
}

// csvCell is one planned run.
type csvCell struct {
	csvKey
	caseIndex     int
	line          int // of its first row; 0 if it has none
	run, position int
	attempts      map[int][]*csvSample
}

// newCSVGrid places the rows. It refuses rows of one sample twice, and labels that contradict each other.
func newCSVGrid(name string, rows []csvSample) (*csvGrid, error) {
	g := &csvGrid{name: name, byKey: map[csvKey]*csvCell{}, last: map[csvBlock]int{}}
	caseIndex := map[string]int{}
	seenArm := map[string]bool{}
	armsOf := map[[2]string]bool{}
	for i := range rows {
		s := &rows[i]
		if _, ok := caseIndex[s.caseName]; !ok {
			caseIndex[s.caseName] = len(g.cases)
			g.cases = append(g.cases, csvCase{name: s.caseName})
		}
		if !seenArm[s.arm] {
			seenArm[s.arm] = true
			g.arms = append(g.arms, s.arm)
		}
		armsOf[[2]string{s.caseName, s.arm}] = true
		g.blocks, g.repeats = max(g.blocks, s.block), max(g.repeats, s.repeat)
		if err := g.place(s, caseIndex[s.caseName]); err != nil {
			return nil, err
		}
	}
	planned := 0
	for i := range g.cases {
		c := &g.cases[i]
		for _, arm := range g.arms {
			if armsOf[[2]string{c.name, arm}] {
				c.arms = append(c.arms, arm)
			}
		}
		planned += len(c.arms) * g.blocks
	}
	if planned > plan.MaxRuns || planned > 1000+100*len(g.cells) {
		return nil, fmt.Errorf("%s: the blocks go up to %d, so that %d processes would be missing beside the %d that are there; number blocks from 1 without gaps",
			name, g.blocks, planned-len(g.cells), len(g.cells))
	}
	return g, g.order()
}

// place puts a row into its cell.
func (g *csvGrid) place(s *csvSample, caseIndex int) error {
	key := csvKey{csvBlock{s.caseName, s.block}, s.arm}
	c := g.byKey[key]
	if c == nil {
		c = &csvCell{csvKey: key, caseIndex: caseIndex, line: s.line, run: s.run, position: s.position, attempts: map[int][]*csvSample{}}
		g.byKey[key] = c
		g.cells = append(g.cells, c)
	}
	what := fmt.Sprintf("case %q, arm %q, block %d", s.caseName, s.arm, s.block)
	if s.position != c.position {
		return fmt.Errorf("%s:%d: %s: position %d here, and %d in line %d", g.name, s.line, what, s.position, c.position, c.line)
	}
	if s.run != c.run {
		return fmt.Errorf("%s:%d: %s: run %d here, and %d in line %d; leave the column run out if it counts something else", g.name, s.line, what, s.run, c.run, c.line)
	}
	c.attempts[s.attempt] = append(c.attempts[s.attempt], s)
	g.last[key.csvBlock] = max(g.last[key.csvBlock], s.attempt)
	return nil
}

// order adds the cells that have no rows, gives every cell its position and its run, and sorts the cells.
func (g *csvGrid) order() error {
	if err := g.unique(); err != nil {
		return err
	}
	for i := range g.cases {
		c := &g.cases[i]
		for block := 1; block <= g.blocks; block++ {
			if err := g.fill(c, i, block); err != nil {
				return err
			}
		}
	}
	if err := g.number(); err != nil {
		return err
	}
	g.runs = make([]plan.Run, len(g.cells))
	for i, c := range g.cells {
		g.runs[i] = plan.Run{Number: c.run, Case: c.caseName, Arm: c.arm, Block: c.block, Position: c.position, Repeats: g.repeats}
	}
	return nil
}

// unique sorts the samples of every attempt by repeat and refuses one repeat twice.
func (g *csvGrid) unique() error {
	for _, c := range g.cells {
		for attempt, samples := range c.attempts {
			slices.SortStableFunc(samples, func(a, b *csvSample) int { return a.repeat - b.repeat })
			for i := 1; i < len(samples); i++ {
				if a, b := samples[i-1], samples[i]; a.repeat == b.repeat {
					return fmt.Errorf("%s:%d: case %q, arm %q, block %d, attempt %d, repeat %d: line %d has this sample already; number the samples of a process from 1",
						g.name, b.line, c.caseName, c.arm, c.block, attempt, b.repeat, a.line)
				}
			}
		}
	}
	return nil
}

// fill holds the positions of one block of a case to be different, and adds the arms that have no rows there at the
// positions that are left.
func (g *csvGrid) fill(c *csvCase, caseIndex, block int) error {
	taken := map[int]*csvCell{}
	var missing []string
	for _, arm := range c.arms {
		cell := g.byKey[csvKey{csvBlock{c.name, block}, arm}]
		if cell == nil {
			missing = append(missing, arm)
			continue
		}
		if other := taken[cell.position]; other != nil {
			return fmt.Errorf("%s:%d: case %q, block %d: arm %q and arm %q (line %d) both have position %d",
				g.name, cell.line, c.name, block, arm, other.arm, other.line, cell.position)
		}
		taken[cell.position] = cell
	}
	position := 1
	for _, arm := range missing {
		for taken[position] != nil {
			position++
		}
		cell := &csvCell{csvKey: csvKey{csvBlock{c.name, block}, arm}, caseIndex: caseIndex, position: position}
		taken[position] = cell
		g.byKey[cell.csvKey] = cell
		g.cells = append(g.cells, cell)
	}
	return nil
}

// number sorts the cells by run. Cells without rows take the numbers that are not used, in the order of blocks, cases
// and positions; without a column run all cells do.
func (g *csvGrid) number() error {
	natural := func(a, b *csvCell) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.caseIndex, b.caseIndex), cmp.Compare(a.position, b.position))
	}
	slices.SortFunc(g.cells, natural)
	used := map[int]*csvCell{}
	var before *csvCell // in the same block of the same case
	for _, c := range g.cells {
		if c.run == 0 {
			continue
		}
		if other := used[c.run]; other != nil {
			return fmt.Errorf("%s:%d: run %d is case %q, arm %q, block %d here, and case %q, arm %q, block %d in line %d",
				g.name, c.line, c.run, c.caseName, c.arm, c.block, other.caseName, other.arm, other.block, other.line)
		}
		if before != nil && before.csvBlock == c.csvBlock && before.run > c.run {
			return fmt.Errorf("%s:%d: case %q, block %d: arm %q has position %d and run %d, and arm %q (line %d) position %d and run %d",
				g.name, c.line, c.caseName, c.block, c.arm, c.position, c.run, before.arm, before.line, before.position, before.run)
		}
		used[c.run], before = c, c
	}
	next := 1
	for _, c := range g.cells {
		if c.run != 0 {
			continue
		}
		for used[next] != nil {
			next++
		}
		c.run, used[next] = next, c
	}
	slices.SortFunc(g.cells, func(a, b *csvCell) int { return a.run - b.run })
	return nil
}

// orders returns the arms in the order of their positions, by case and block.
func (g *csvGrid) orders() []plan.CaseOrders {
	out := make([]plan.CaseOrders, len(g.cases))
	for i := range g.cases {
		c := &g.cases[i]
		out[i] = plan.CaseOrders{Case: c.name, Blocks: make([][]string, g.blocks)}
		for b := range g.blocks {
			arms := slices.Clone(c.arms)
			at := func(arm string) int { return g.byKey[csvKey{csvBlock{c.name, b + 1}, arm}].position }
			slices.SortFunc(arms, func(x, y string) int { return at(x) - at(y) })
			out[i].Blocks[b] = arms
		}
	}
	return out
}

// processes returns the processes that have rows, in run order. The last attempt at a block stands for it, for all
// arms: a block is run again whole.
func (g *csvGrid) processes() []Process {
	var out []Process
	for i, c := range g.cells {
		attempts := make([]int, 0, len(c.attempts))
		for a := range c.attempts {
			attempts = append(attempts, a)
		}
		slices.Sort(attempts)
		for _, a := range attempts {
			p := Process{Run: g.runs[i], Attempt: a, Retained: a == g.last[c.csvBlock]}
			for _, s := range c.attempts[a] {
				p.Samples = append(p.Samples, Sample{Repeat: s.repeat, Iterations: s.iterations, Values: s.values})
			}
			out = append(out, p)
		}
	}
	return out
}
