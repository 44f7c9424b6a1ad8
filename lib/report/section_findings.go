package report

import (
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

// severities, the most severe first, with what each means.
var severities = []struct{ name, meaning string }{
	{plan.Invalid, "not what was declared"},
	{plan.Warning, "read this before you believe it"},
	{plan.Note, "descriptive"},
}

// bySeverity returns the findings of a severity, in their order. The last severity takes those of unknown ones.
func bySeverity(fs []analysis.Finding, severity string) []*analysis.Finding {
	var out []*analysis.Finding
	for i := range fs {
		s := fs[i].Severity
		if s != plan.Invalid && s != plan.Warning {
			s = plan.Note
		}
		if s == severity {
			out = append(out, &fs[i])
		}
	}
	return out
}

// findings shows every finding once.
func (w *writer) findings() {
	all := w.page.Result.Findings
	if len(all) == 0 {
		w.text("None.")
		return
	}
	for _, s := range severities {
		fs := bySeverity(all, s.name)
		if len(fs) == 0 {
			continue
		}
		w.heading(3, fmt.Sprintf("%s: %s", count(len(fs), severityNoun(s.name)), s.meaning))
		items := make([]string, len(fs))
		for i, f := range fs {
			items[i] = findingText(f)
		}
		w.items(items...)
	}
}

// severityNoun is what findings of a severity are counted as.
func severityNoun(severity string) string {
	if severity == plan.Invalid {
		return "invalid finding"
	}
	return severity
}

func findingText(f *analysis.Finding) string {
	var where []string
	for _, name := range []string{f.Case, f.Metric, f.Arm} {
		if name != "" {
			where = append(where, code(name))
		}
	}
	if len(f.Blocks) > 0 {
		where = append(where, blocks(f.Blocks))
	}
	s := "**" + escape(f.ID) + "**"
	if len(where) > 0 {
		s += " (" + strings.Join(where, ", ") + ")"
	}
	s += ": " + sentence(escape(f.Message))
	if f.At != "" {
		s += " Declared at " + code(f.At) + "."
	}
	return s
}
