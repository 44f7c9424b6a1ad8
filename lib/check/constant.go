package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// constant finds constants that are none: they differ within a case, between samples, processes or arms, or from the
// value that the phase says they have. A constant that is declared to confound may differ between processes: that is
// the finding prefix-confound. It must have its declared value all the same.
func constant(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for i := range p.Metrics {
		m := &p.Metrics[i]
		if m.Role != plan.RoleConstant {
			continue
		}
		for j := range p.Cases {
			name := p.Cases[j].Name
			if want, ok := m.Equals[name]; ok {
				out = append(out, otherThan(in, m, name, want)...)
			} else if !isConfound(p, m) {
				out = append(out, varies(in, m, name)...)
			}
		}
	}
	return out
}

// otherThan finds samples of a constant with another value than the one declared.
func otherThan(in *Input, m *plan.Metric, name string, want float64) []Finding {
	f := Finding{Case: name, Metric: m.Unit, At: at(m.At)}
	for _, c := range in.Grid.Cells(name) {
		if !c.Valid() || (c.Constants[m.Unit] != nil && *c.Constants[m.Unit] == want) {
			continue
		}
		if f.Message == "" {
			f.Arm = c.Run.Arm
			f.Message = fmt.Sprintf("%s is %s in run %d (%s, block %d); the phase says %s",
				m.Unit, seenValues(m, c), c.Run.Number, c.Run.Arm, c.Run.Block, exact(want))
		}
		f.Blocks = addInt(f.Blocks, c.Run.Block)
	}
	return some(f)
}

// varies finds a constant that differs within a case: first within a process, then between processes.
func varies(in *Input, m *plan.Metric, name string) []Finding {
	f := Finding{Case: name, Metric: m.Unit, At: at(m.At)}
	var first *Cell
	for _, c := range in.Grid.Cells(name) {
		if !c.Valid() {
			continue
		}
		v := c.Constants[m.Unit]
		switch {
		case v == nil:
			f.add(c, fmt.Sprintf("%s is %s in run %d (%s, block %d), one process; a constant has one value",
				m.Unit, seenValues(m, c), c.Run.Number, c.Run.Arm, c.Run.Block))
		case first == nil:
			first = c
		case *v != *first.Constants[m.Unit]:
			f.add(c, fmt.Sprintf("%s is %s in run %d (%s, block %d) and %s in run %d (%s, block %d); a constant has one value within a case",
				m.Unit, exact(*first.Constants[m.Unit]), first.Run.Number, first.Run.Arm, first.Run.Block,
				exact(*v), c.Run.Number, c.Run.Arm, c.Run.Block))
		}
	}
	return some(f)
}

// add names the block of a cell, and the finding by its first message.
func (f *Finding) add(c *Cell, message string) {
	if f.Message == "" {
		f.Arm, f.Message = c.Run.Arm, message
	}
	f.Blocks = addInt(f.Blocks, c.Run.Block)
}

// seenValues writes the distinct values that a constant has in one process.
func seenValues(m *plan.Metric, c *Cell) string {
	vs := map[float64]int{}
	vals, _ := Values(m, c.Process)
	for _, v := range vals {
		if Finite(v) {
			vs[v]++
		}
	}
	if len(vs) == 0 {
		return "missing"
	}
	s := values(vs)
	if len(vals) < len(c.Process.Samples) && !plan.IsProcessUnit(m.Unit) {
		s += " or missing"
	}
	return s
}
