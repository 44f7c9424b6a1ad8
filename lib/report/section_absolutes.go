package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

// absolutes shows, for each metric, every arm's median over blocks of process medians, and the range of the samples.
func (w *writer) absolutes() {
	w.text("Median over blocks of process medians; in parentheses the range over all raw samples.")
	ph := w.page.phase()
	for _, unit := range w.metricUnits() {
		header := []string{"Case"}
		for i := range ph.Arms {
			header = append(header, ">"+code(ph.Arms[i].Name))
		}
		g := newGrid(append(header, ">Samples")...)
		for i := range w.page.Result.Cases {
			c := &w.page.Result.Cases[i]
			for j := range c.Metrics {
				if c.Metrics[j].Unit == unit {
					g.row(absoluteRow(c, &c.Metrics[j], ph.Arms)...)
				}
			}
		}
		w.heading(3, code(unit))
		w.table(g)
	}
}

// absoluteRow is the row of a case: every arm's median and range, and the numbers of samples.
func absoluteRow(c *analysis.Case, m *analysis.Metric, arms []plan.Arm) []string {
	row := []string{code(c.Case)}
	var medians []*float64
	var samples []string
	for i := range arms {
		medians = append(medians, m.Absolute[arms[i].Name].Median)
	}
	words := read(m.Unit).cells(medians...)
	for i := range arms {
		a := m.Absolute[arms[i].Name]
		ends := read(m.Unit).cells(a.Min, a.Max)
		row = append(row, escape(fmt.Sprintf("%s (%s to %s)", words[i], ends[0], ends[1])))
		samples = append(samples, fmt.Sprint(a.Samples))
	}
	if slices.Equal(samples, slices.Repeat(samples[:min(1, len(samples))], len(samples))) && len(samples) > 1 {
		samples = []string{samples[0] + " each"}
	}
	return append(row, strings.Join(samples, ", "))
}

// metricUnits returns the units of the result, compared or not, in declared order.
func (w *writer) metricUnits() []string {
	var out []string
	seen := map[string]bool{}
	for i := range w.page.Result.Cases {
		for j := range w.page.Result.Cases[i].Metrics {
			if u := w.page.Result.Cases[i].Metrics[j].Unit; !seen[u] {
				seen[u] = true
				out = append(out, u)
			}
		}
	}
	return out
}
