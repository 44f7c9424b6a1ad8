package check

import (
	"fmt"
	"sort"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// Grid is every planned run by case, arm and block, with the process that stands for it and its medians.
// It is the table that analysis and checks read.
type Grid struct {
	Plan   *plan.Plan
	cells  map[key]*Cell
	byCase map[string][]*Cell // in the order of execution
	// Replaced are the attempts in whose place a later one stands, in order of run and attempt.
	Replaced []*sample.Process
}

type key struct {
	name, arm string
	block     int
}

// Cell is one planned run and what it gave.
type Cell struct {
	Run       *plan.Run
	Process   *sample.Process     // nil if there is no record of the run
	Medians   map[string]*float64 // of metrics and derived ones, by unit; nil unless Valid
	Constants map[string]*float64 // by unit; nil unless Valid
	Omitted   int                 // samples without a value of a derived metric
}

// Valid reports whether the run gave its samples.
func (c *Cell) Valid() bool {
	return c != nil && c.Process != nil && c.Process.Failure == nil && len(c.Process.Samples) > 0
}

// NewGrid places processes on the plan. It fails for a process that the plan does not have: data of another plan.
func NewGrid(p *plan.Plan, processes []sample.Process) (*Grid, error) {
	g := &Grid{Plan: p, cells: make(map[key]*Cell, len(p.Runs)), byCase: map[string][]*Cell{}}
	byRun := make(map[int]*Cell, len(p.Runs))
	for i := range p.Runs {
		r := &p.Runs[i]
		c := &Cell{Run: r}
		k := key{r.Case, r.Arm, r.Block}
		if g.cells[k] != nil {
			return nil, fmt.Errorf("plan: runs %d and %d are both arm %q in block %d of case %q",
				g.cells[k].Run.Number, r.Number, r.Arm, r.Block, r.Case)
		}
		g.cells[k], byRun[r.Number] = c, c
		g.byCase[r.Case] = append(g.byCase[r.Case], c)
	}
	for i := range processes {
		proc := &processes[i]
		c := byRun[proc.Run.Number]
		if c == nil || c.Run.Case != proc.Run.Case || c.Run.Arm != proc.Run.Arm || c.Run.Block != proc.Run.Block {
			return nil, fmt.Errorf("run %d (arm %q in block %d of case %q) is not in the plan; its samples belong to another one",
				proc.Run.Number, proc.Run.Arm, proc.Run.Block, proc.Run.Case)
		}
		g.place(c, proc)
	}
	sort.SliceStable(g.Replaced, func(i, j int) bool {
		a, b := g.Replaced[i], g.Replaced[j]
		if a.Run.Number != b.Run.Number {
			return a.Run.Number < b.Run.Number
		}
		return a.Attempt < b.Attempt
	})
	for _, c := range byRun {
		c.measure(p.Phase)
	}
	return g, nil
}

// place puts a process into its cell; of several retained attempts the last stands.
func (g *Grid) place(c *Cell, proc *sample.Process) {
	switch {
	case !proc.Retained:
		g.Replaced = append(g.Replaced, proc)
	case c.Process == nil:
		c.Process = proc
	case c.Process.Attempt < proc.Attempt:
		g.Replaced = append(g.Replaced, c.Process)
		c.Process = proc
	default:
		g.Replaced = append(g.Replaced, proc)
	}
}

func (c *Cell) measure(p *plan.Phase) {
	if !c.Valid() {
		return
	}
	c.Medians, c.Constants = Measure(p, c.Process)
	for i := range p.Metrics {
		if p.Metrics[i].Role == plan.RoleDerived {
			_, omitted := Values(&p.Metrics[i], c.Process)
			c.Omitted += omitted
		}
	}
}

// Measure returns the medians of a process's metrics and the values of its constants, by unit.
func Measure(p *plan.Phase, proc *sample.Process) (medians, constants map[string]*float64) {
	medians, constants = map[string]*float64{}, map[string]*float64{}
	for i := range p.Metrics {
		m := &p.Metrics[i]
		if m.Role == plan.RoleConstant {
			constants[m.Unit] = Constant(m, proc)
			continue
		}
		medians[m.Unit] = Median(m, proc)
	}
	return medians, constants
}

// Cell returns the planned run of an arm in a block of a case, or nil if the plan has none.
func (g *Grid) Cell(name, arm string, block int) *Cell { return g.cells[key{name, arm, block}] }

// Cells returns the planned runs of a case in the order of execution.
func (g *Grid) Cells(name string) []*Cell { return g.byCase[name] }

// ArmCells returns the planned runs of one arm of a case in the order of execution.
func (g *Grid) ArmCells(name, arm string) []*Cell {
	var cells []*Cell
	for _, c := range g.Cells(name) {
		if c.Run.Arm == arm {
			cells = append(cells, c)
		}
	}
	return cells
}

// Contrasts returns the comparisons that a case can have: those of which it has both arms, in declared order.
func Contrasts(p *plan.Phase, c *plan.Case) []plan.Contrast {
	has := map[string]bool{}
	for _, arm := range c.Arms {
		has[arm] = true
	}
	var out []plan.Contrast
	for _, k := range p.Contrasts {
		if has[k.Arm] && has[k.Base] {
			out = append(out, k)
		}
	}
	return out
}
