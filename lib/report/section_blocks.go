package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

// blocks shows, for each case, every block: which arm ran first, each process's constants, the ratios.
func (w *writer) blocks() {
	for i := range w.page.Result.Cases {
		c := &w.page.Result.Cases[i]
		w.heading(3, code(c.Case))
		if c.Status != analysis.Measured {
			s := "The case is " + escape(c.Status)
			if c.StatusReason != nil {
				s += ": " + escape(*c.StatusReason)
			}
			w.text(sentence(s))
		}
		varying, same := w.constants(c)
		w.text(same)
		w.blockTable(c, varying)
	}
}

// constants returns the units of a case's constants that are not one value in every process, and a sentence on the
// others.
func (w *writer) constants(c *analysis.Case) (varying []string, same string) {
	var words []string
	for i := range w.page.phase().Metrics {
		m := &w.page.phase().Metrics[i]
		if m.Role != plan.RoleConstant {
			continue
		}
		values := map[string]bool{}
		for j := range c.Processes {
			if p := &c.Processes[j]; p.Failure == nil && !p.Replaced {
				values[constantCell(p.Constants[m.Unit])] = true
			}
		}
		switch keys := sortedKeys(values); {
		case len(keys) == 1 && keys[0] != missing:
			words = append(words, code(m.Unit)+" is "+keys[0])
		case len(keys) > 0:
			varying = append(varying, m.Unit)
		}
	}
	if len(words) == 0 {
		return varying, ""
	}
	return varying, capital(list(words)) + " in every process."
}

func constantCell(p *float64) string {
	if v, ok := finite(p); ok {
		return exact(v)
	}
	return missing
}

func (w *writer) blockTable(c *analysis.Case, varying []string) {
	arms := w.armsOf(c.Case)
	header := []string{">Block", "Order"}
	for _, u := range varying {
		for _, a := range arms {
			header = append(header, ">"+code(u)+" of "+code(a))
		}
	}
	var rs []reading
	ks := contrasts(w.readings)
	for _, r := range w.readings {
		if r.name != c.Case {
			continue
		}
		rs = append(rs, r)
		h := ">" + code(r.metric.Unit) + " " + r.noun()
		switch {
		case !oneBase(ks):
			h += ", " + code(r.c.Arm) + " against " + code(r.c.Base)
		case len(ks) > 1:
			h += ", " + code(r.c.Arm)
		}
		header = append(header, h)
	}
	g := newGrid(append(header, "Remarks")...)
	for _, b := range blockNumbers(c) {
		row := []string{fmt.Sprint(b), orderOf(c, b)}
		for _, u := range varying {
			for _, a := range arms {
				row = append(row, processConstant(c, a, b, u))
			}
		}
		for _, r := range rs {
			row = append(row, r.block(b))
		}
		g.row(append(row, remarks(c, rs, b))...)
	}
	w.table(g.withoutEmpty())
}

// armsOf returns the arms of a case, or of the phase where the case is not part of the plan.
func (w *writer) armsOf(name string) []string {
	if c := w.page.phase().Case(name); c != nil {
		return c.Arms
	}
	var out []string
	for i := range w.page.phase().Arms {
		out = append(out, w.page.phase().Arms[i].Name)
	}
	return out
}

// blockNumbers returns the blocks of a case, in order.
func blockNumbers(c *analysis.Case) []int {
	var out []int
	for i := range c.Processes {
		out = append(out, c.Processes[i].Block)
	}
	for i := range c.Metrics {
		for j := range c.Metrics[i].Comparisons {
			for _, b := range c.Metrics[i].Comparisons[j].BlockRatios {
				out = append(out, b.Block)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// orderOf writes the arms of a block in the order in which they ran.
func orderOf(c *analysis.Case, block int) string {
	var ps []*analysis.Process
	for i := range c.Processes {
		if p := &c.Processes[i]; p.Block == block && !p.Replaced {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b *analysis.Process) int { return a.Position - b.Position })
	words := make([]string, len(ps))
	for i, p := range ps {
		words[i] = code(p.Arm)
	}
	if len(words) == 0 {
		return missing
	}
	return strings.Join(words, ", ")
}

func processConstant(c *analysis.Case, arm string, block int, unit string) string {
	for i := range c.Processes {
		if p := &c.Processes[i]; p.Arm == arm && p.Block == block && !p.Replaced {
			return constantCell(p.Constants[unit])
		}
	}
	return missing
}

// block writes the ratio or difference of one block.
func (r reading) block(block int) string {
	for i := range r.c.BlockRatios {
		if b := &r.c.BlockRatios[i]; b.Block == block {
			return r.figure(b.Ratio)
		}
	}
	return missing
}

// remarks says what is odd about a block: failed and replaced processes, and that its constants do not match.
func remarks(c *analysis.Case, rs []reading, block int) string {
	var words []string
	for i := range c.Processes {
		p := &c.Processes[i]
		switch {
		case p.Block != block:
		case p.Replaced:
			words = append(words, fmt.Sprintf("run %d (%s): attempt %d stands outside the estimate", p.Run, code(p.Arm), p.Attempt))
		case p.Failure != nil:
			words = append(words, fmt.Sprintf("run %d (%s) failed: %s", p.Run, code(p.Arm), escape(clip(p.Failure.Message, longestReason))))
		}
	}
	for _, r := range rs {
		for i := range r.c.BlockRatios {
			if b := &r.c.BlockRatios[i]; b.Block == block && b.Matched != nil && !*b.Matched && !slices.Contains(words, "unmatched") {
				words = append(words, "unmatched")
			}
		}
	}
	return strings.Join(words, "; ")
}

// withoutEmpty drops the last column where no row has anything in it.
func (g *grid) withoutEmpty() *grid {
	last := len(g.header) - 1
	for _, row := range g.rows {
		if cellAt(row, last) != "" {
			return g
		}
	}
	g.header = g.header[:last]
	return g
}

// sensitivity shows the estimates of the two orders, those with one block left out, and those of the matched blocks.
func (w *writer) sensitivity() {
	if len(w.readings) == 0 {
		w.text("Nothing was compared.")
		return
	}
	w.text("The estimate where the base ran first and where the arm did; the lowest and the highest estimate with one block left out; where a confounding constant differed, the estimate over the matched blocks alone. These describe: at few blocks they are no tests, and in subsets a linear drift does not cancel.")
	several := len(contrasts(w.readings)) > 1
	header := []string{"Case", "Metric"}
	if several {
		header = append(header, "Arm", "Against")
	}
	g := newGrid(append(header, ">Base first", ">Arm first", ">Lowest, without", ">Highest, without", "Matched blocks")...)
	for _, r := range w.readings {
		row := []string{code(r.name), code(r.metric.Unit)}
		if several {
			row = append(row, code(r.c.Arm), code(r.c.Base))
		}
		row = append(row, r.orderCells()...)
		g.row(append(row, r.matchedCell())...)
	}
	w.table(g.withoutEmpty())
}

func (r reading) orderCells() []string {
	out := []string{missing, missing, missing, missing}
	part := func(o analysis.OrderPart) string {
		return fmt.Sprintf("%s (%s)", r.figure(o.Estimate), count(o.Blocks, "block"))
	}
	if o := r.c.Order; o != nil {
		out[0], out[1] = part(o.BaseFirst), part(o.ArmFirst)
	}
	if l := r.c.LeaveOneOut; l != nil {
		out[2] = fmt.Sprintf("%s (%d)", r.figure(&l.Low), l.LowWithout)
		out[3] = fmt.Sprintf("%s (%d)", r.figure(&l.High), l.HighWithout)
	}
	return out
}

func (r reading) matchedCell() string {
	m := r.c.Matched
	if m == nil {
		return ""
	}
	return fmt.Sprintf("%s; base first in %d, arm first in %d", r.matched(written), m.BaseFirst, m.ArmFirst)
}
