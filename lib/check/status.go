package check

import (
	"github.com/phaselock/phaselock/lib/plan"
)

// caseStatus finds cases that the runs themselves took out: a ceiling or a moved shard contaminated them, or what
// watched them does not cover them.
func caseStatus(in *Input) []Finding {
	var out []Finding
	for i := range in.phase().Cases {
		c := &in.phase().Cases[i]
		if s, ok := in.Facts.Statuses[c.Name]; ok && s.Status != "measured" {
			out = append(out, Finding{Case: c.Name, Message: s.Status + ": " + s.Why, At: at(c.At)})
		}
	}
	return out
}

func at(p plan.Place) string { return p.String() }
