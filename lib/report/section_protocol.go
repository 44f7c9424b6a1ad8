package report

import (
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// correctness lists what every run must meet, the declared constants and the declared checks.
func (w *writer) correctness() {
	ph := w.page.phase()
	var items []string
	for i := range ph.Expect {
		items = append(items, expectation(&ph.Expect[i]))
	}
	for i := range ph.Metrics {
		if m := &ph.Metrics[i]; m.Role == plan.RoleConstant {
			items = append(items, constantText(m, ph))
		}
	}
	for i := range ph.Checks {
		c := &ph.Checks[i]
		s := "Check " + code(c.Kind)
		if c.Metric != "" {
			s += " of " + code(c.Metric)
		}
		items = append(items, s+": findings are "+escape(orElse(c.On, "of its own severity"))+".")
	}
	for i := range ph.Gates {
		items = append(items, gateText(&ph.Gates[i]))
	}
	items = append(items, "Every process must give exactly the rows that are planned; a failed one gives no number.")
	w.items(items...)
}

func expectation(e *plan.Expect) string {
	switch e.Kind {
	case plan.ExpectExit:
		return fmt.Sprintf("Every run exits with status %d.", e.Code)
	case plan.ExpectStdout:
		if e.SHA256 != "" {
			return "Standard output of every run has the SHA-256 " + code(e.SHA256) + "."
		}
		return "Standard output of every run matches " + code(e.Matches) + "."
	case plan.ExpectMetric:
		if e.Equals == nil {
			return code(e.Unit) + " stands in every sample."
		}
		return fmt.Sprintf("%s is %s in every sample.", code(e.Unit), exact(*e.Equals))
	case plan.ExpectAudit:
		s := fmt.Sprintf("Audit %s: %s for each repeat", code(e.Name), count(e.PerRepeat, "line"))
		if len(e.Where) > 0 {
			s += ", with " + code(parameters(e.Where))
		}
		return s + "."
	}
	return "Expectation " + code(e.Kind) + "."
}

func constantText(m *plan.Metric, ph *plan.Phase) string {
	s := code(m.Unit) + " is constant within a case"
	if len(m.Equals) > 0 {
		var words []string
		for i := range ph.Cases {
			if v, ok := m.Equals[ph.Cases[i].Name]; ok {
				words = append(words, exact(v)+" in "+code(ph.Cases[i].Name))
			}
		}
		s += ": " + list(words)
	}
	if m.Confound != "" {
		s += "; where it is not, it stands for a confound: " + escape(m.Confound)
	}
	return s + "."
}

func gateText(g *plan.Gate) string {
	s := "Gate on " + code(g.Metric) + ":"
	switch {
	case g.MaxRatio != nil:
		s += " the interval may not lie above the ratio " + exact(*g.MaxRatio)
	case g.MinRatio != nil:
		s += " the interval may not lie below the ratio " + exact(*g.MinRatio)
	case g.MaxDifference != nil:
		s += " the interval may not lie above the difference " + exact(*g.MaxDifference)
	default:
		s += " no bound"
	}
	if len(g.Cases) > 0 {
		words := make([]string, len(g.Cases))
		for i, c := range g.Cases {
			words[i] = code(c)
		}
		s += " in " + list(words)
	}
	return s + "."
}

// estimand says what is estimated, with which interval, and how many comparisons that makes.
func (w *writer) estimand() {
	ph := w.page.phase()
	w.text(estimandText(&ph.Estimand))
	var own []string
	for i := range ph.Metrics {
		m := &ph.Metrics[i]
		if m.Estimand != nil {
			own = append(own, code(m.Unit)+": "+lowerFirst(estimandText(m.Estimand)))
		}
	}
	w.items(own...)
	g := newGrid("Metric", "Role", "Better", "From")
	for i := range ph.Metrics {
		m := &ph.Metrics[i]
		if m.Role == plan.RoleConstant {
			continue
		}
		from := ""
		if m.Role == plan.RoleDerived {
			from = code(m.Num) + " / " + code(m.Den)
		}
		g.row(code(m.Unit), escape(m.Role), escape(m.Better), from)
	}
	w.table(g)
	w.text(familyText(ph))
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func estimandText(e *plan.Estimand) string {
	s := "Geometric mean over blocks of the ratio of process medians, arm over base: below 1 means lower."
	if e.Kind == plan.BlockDifference {
		s = "Mean over blocks of the difference of process medians, arm minus base: below 0 means lower."
	}
	s += " Registered interval: " + intervalText(&e.Interval) + "."
	for i := range e.Also {
		s += " Also registered: " + intervalText(&e.Also[i]) + "."
	}
	return s
}

func intervalText(iv *plan.Interval) string {
	s := kindName(iv.Kind) + ", " + level(iv.Level)
	if iv.Kind == plan.Percentile {
		s += fmt.Sprintf(", %d resamples of whole blocks, seed %d", iv.Resamples, iv.Seed)
	}
	return s
}

var families = map[string]string{"holm": "Holm", "bh": "Benjamini-Hochberg"}

func familyText(ph *plan.Phase) string {
	words := make([]string, len(ph.Contrasts))
	for i, k := range ph.Contrasts {
		words[i] = code(k.Arm) + " against " + code(k.Base)
	}
	s := ""
	if len(words) > 0 {
		s = capital(plural(len(words), "contrast")) + ": " + list(words) + ". "
	}
	if ph.Family == "" {
		return s + "No correction over comparisons is declared."
	}
	return s + orElse(families[ph.Family], escape(ph.Family)) + " over all comparisons: adjusted p values stand beside the intervals, and verdicts are those of the intervals."
}
