package protocol

import (
	"fmt"
	"strings"
)

// Kinds of changes.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
	Moved   = "moved" // the same members in another order
)

// Change is one thing in which a phase differs from an earlier one.
type Change struct {
	Kind     string   `json:"kind"`             // added, removed, changed or moved
	Subjects []string `json:"subjects"`         // what it is about: `case "rev", arm "old"`, "the design"; several that change alike
	Aspect   string   `json:"aspect,omitempty"` // of each subject: "seed", "env GOGC", "argv[3]"; "" the subject itself
	Before   string   `json:"before,omitempty"` // as plan.json has it; "" where there was nothing to show
	After    string   `json:"after,omitempty"`
	At       Place    `json:"at,omitzero"`  // of the first subject, in the later phase
	Was      Place    `json:"was,omitzero"` // and in the earlier one
}

// shownSubjects is how many subjects a sentence names.
const shownSubjects = 4

// Who returns the subjects as one phrase; beyond a few of them, their number.
func (c Change) Who() string {
	shown, more := c.Subjects, ""
	if n := len(shown); n > shownSubjects {
		shown, more = shown[:shownSubjects-1], fmt.Sprintf("; and %d more", n-shownSubjects+1)
	}
	return strings.Join(shown, "; ") + more
}

// Sentence says what changed, in a sentence.
func (c Change) Sentence() string {
	who := c.Who()
	if c.Aspect == "" {
		switch c.Kind {
		case Added:
			return upper(who) + " is new" + detail(c.After)
		case Removed:
			return upper(who) + " is gone" + detail(c.Before)
		case Moved:
			return fmt.Sprintf("%s stand in another order: %s; they stood %s.", upper(who), c.After, c.Before)
		}
		return fmt.Sprintf("%s is %s; it was %s.", upper(who), c.After, c.Before)
	}
	switch c.Kind {
	case Added:
		return fmt.Sprintf("%s: %s %s is new.", upper(who), c.Aspect, c.After)
	case Removed:
		return fmt.Sprintf("%s: %s %s is gone.", upper(who), c.Aspect, c.Before)
	case Moved:
		return fmt.Sprintf("%s: %s stand in another order: %s; they stood %s.", upper(who), c.Aspect, c.After, c.Before)
	}
	return fmt.Sprintf("%s: %s is %s; it was %s.", upper(who), c.Aspect, c.After, c.Before)
}

func detail(text string) string {
	if text == "" {
		return "."
	}
	return ": " + text + "."
}

// upper starts a sentence. A word of the language, go_test, stays as it is written.
func upper(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if s == "" || s[0] < 'a' || s[0] > 'z' || strings.Contains(first, "_") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
