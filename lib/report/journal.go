package report

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/phaselock/phaselock/lib/ledger"
)

// journal is what the ledger says beyond the processes, sorted by what the report does with it.
type journal struct {
	opened   *ledger.Opened
	notes    map[string][]dated // by type: hypothesis, limit, erratum
	events   []string           // deviations, in the order in which they happened
	verified []*ledger.PinVerified
	broken   []*ledger.PinBroken
}

// dated is a text that was written after the results.
type dated struct {
	when time.Time
	text string
}

// journal sorts the ledger's entries.
func (p Page) journal(v voice) journal {
	j := journal{notes: map[string][]dated{}}
	for i := range p.Ledger {
		e := &p.Ledger[i]
		switch b := e.Body.(type) {
		case *ledger.Opened:
			if j.opened == nil && b != nil {
				j.opened = b
			}
		case *ledger.Note:
			j.notes[b.Type] = append(j.notes[b.Type], dated{e.Time, b.Text})
			if where, ok := noted[b.Type]; ok {
				j.events = append(j.events, fmt.Sprintf("A %s was written after the results, on %s: see %s.", b.Type, stamp(e.Time), where))
			}
		case *ledger.PinVerified:
			j.verified = append(j.verified, b)
			for _, label := range b.Moved {
				j.events = append(j.events, fmt.Sprintf("A file was written, replaced or touched during a run and was as pinned again after it (%s): %s. What the run read of it, nobody can say.",
					v.prose(b.When), v.name(label)))
			}
		case *ledger.PinBroken:
			j.broken = append(j.broken, b)
			j.events = append(j.events, fmt.Sprintf("A file was not as pinned (%s): %s, expected %s, found %s.",
				v.prose(b.When), v.name(b.Label), v.name(short(b.Want)), v.name(short(b.Got))))
		case *ledger.ServiceEnded:
			if !b.Asked {
				j.events = append(j.events, fmt.Sprintf("Service %s ended by itself.", v.name(b.Service)))
			}
		case *ledger.StepFinished:
			if b.Failure != "" {
				j.events = append(j.events, fmt.Sprintf("%s failed: %s.", v.step(b), v.prose(b.Failure)))
			}
		case *ledger.LabelSealed:
			if b.Why != "" {
				j.events = append(j.events, fmt.Sprintf("The placement %s was read again and differs from the one sealed before: %s.", v.name(b.Name), v.prose(b.Why)))
			}
		case *ledger.BlockRerun:
			j.events = append(j.events, fmt.Sprintf("Block %d of %s was run again whole, as attempt %d: %s.",
				b.Block, v.name(b.Case), b.Attempt, v.prose(b.Why)))
		case *ledger.RunInterrupted:
			j.events = append(j.events, fmt.Sprintf("Run %d, attempt %d, was interrupted: %s.", b.Run, b.Attempt, v.prose(b.Why)))
		case *ledger.CaseStatus:
			j.events = append(j.events, fmt.Sprintf("Case %s became %s during the runs: %s.", v.name(b.Case), v.prose(b.Status), v.prose(b.Why)))
		case *ledger.PhaseStopped:
			j.events = append(j.events, fmt.Sprintf("The phase was stopped before its last run: %s.", v.prose(b.Why)))
		case *ledger.Resumed:
			j.events = append(j.events, resumed(b, e.Time, v))
		case *ledger.Analysis:
			if !b.Registered {
				j.events = append(j.events, fmt.Sprintf("An exploratory analysis was made on %s by %s and is kept in %s; it is not the registered one.",
					stamp(e.Time), v.name(strings.Join(b.Command, " ")), v.name(b.Path)))
			}
		}
	}
	return j
}

// step names a step at the start of a sentence: "Step `load` before the phase".
func (v voice) step(b *ledger.StepFinished) string {
	s := "Step " + v.name(b.Step)
	if b.Name != "" {
		s += " " + v.name(b.Name)
	}
	when := map[string]string{"before_phase": "before the phase", "before_each": "before run %d", "after_each": "after run %d", "after_phase": "after the phase"}[b.When]
	if b.Run > 0 {
		when = fmt.Sprintf(when, b.Run)
	}
	return s + " " + when
}

// noted is where notes stand by their type; errata are deviations themselves.
var noted = map[string]string{"hypothesis": "Interpretation", "limit": "Limits"}

func resumed(b *ledger.Resumed, when time.Time, v voice) string {
	s := fmt.Sprintf("The folder was resumed on %s by %s", stamp(when), v.prose(b.Tool))
	if gap := time.Duration(b.GapNS); gap > 0 {
		s += ", " + lapse(gap) + " after the last event before"
	}
	if b.Torn > 0 {
		s += fmt.Sprintf("; %s of a line that was never finished are kept in ledger.torn", count(b.Torn, "byte"))
	}
	for _, left := range b.LeftIncomplete {
		s += "; " + v.prose(left) + " stays incomplete, as declared"
	}
	return s + "."
}

// lapse writes a duration in the largest unit that says enough.
func lapse(d time.Duration) string {
	switch {
	case d < time.Second:
		return "less than a second"
	case d < 2*time.Minute:
		return count(int(d/time.Second), "second")
	case d < 2*time.Hour:
		return count(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int(d/time.Hour), "hour")
	}
	return count(int(d/(24*time.Hour)), "day")
}

// stamp writes a time as the report shows it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// seal says whether the phase was sealed, and what that is worth. The first result is the digest, "" without a seal.
func (p Page) seal(v voice) (digest, text string) {
	switch {
	case p.Result == nil:
		return "", ""
	case p.Result.Seal != nil && *p.Result.Seal != "":
		return *p.Result.Seal, fmt.Sprintf("Sealed as %s, %s", v.name(*p.Result.Seal), p.anchor(v))
	case len(p.Ledger) == 0:
		return "", "Unsealed: computed from samples alone, without a ledger of how they came about."
	}
	return "", "Unsealed: nothing shows that the protocol was fixed before the results."
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
