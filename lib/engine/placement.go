package engine

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// placed holds a placement to the label that was sealed before timing, and seals it where none was. Where a shard has moved the
// label changes: a case that was measured, or is being measured, under the one before is contaminated, and what follows is measured
// under the new one.
func (e *execution) placed(s *plan.Step, event *ledger.StepFinished, task *Task, moved func(string)) error {
	now := *event.Placement
	before, sealed := e.labels[s.Name]
	if sealed && before == now {
		return nil
	}
	label := &ledger.LabelSealed{Name: s.Name, Placement: now}
	if sealed {
		label.Why = change(&before, &now)
		if event.When == afterEach || task != nil && e.measured[task.Run.Case] {
			moved(label.Why)
		}
	}
	e.labels[s.Name] = now
	return e.Ledger.Append(label)
}

func change(before, now *ledger.Placement) string {
	if before.Colocated != now.Colocated {
		return fmt.Sprintf("the colocated fraction was %v and is %v: a shard has moved", before.Colocated, now.Colocated)
	}
	return fmt.Sprintf("a shard has moved, split or merged; the colocated fraction is %v as before", now.Colocated)
}

// sealLabels reads the placements that are watched around runs before the first of them.
func (e *execution) sealLabels() []plan.Step {
	var list []plan.Step
	seen := map[string]bool{}
	for name := range e.labels {
		seen[name] = true
	}
	for _, steps := range [][]plan.Step{e.phase.BeforeEach, e.phase.AfterEach} {
		for i := range steps {
			if s := steps[i]; s.Kind == plan.StepFDBPlacement && !seen[s.Name] {
				seen[s.Name] = true
				list = append(list, s)
			}
		}
	}
	return list
}
