package campaign

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/ledger"
)

// NoteTypes are the kinds of notes that can be written after the results.
var NoteTypes = []string{"hypothesis", "limit", "erratum"}

// Note adds a dated note to a phase that was closed: the chain goes on, and report.md is written again with the note as what it is,
// written after the results. No number changes.
func Note(dir, kind, text string) error {
	text = strings.TrimSpace(text)
	switch {
	case !slices.Contains(NoteTypes, kind):
		return usage("a note is a %s, not a %q", strings.Join(NoteTypes, ", a "), kind)
	case text == "":
		return usage("the %s is empty", kind)
	case !utf8.ValidString(text):
		return usage("the %s is no UTF-8 text", kind)
	}
	f, err := Analyze(dir)
	if err != nil {
		return err
	}
	if !f.closed() {
		return usage("%s: the phase was not closed, so that there are no results to write after; phaselock run --resume %s goes on with it", dir, dir)
	}
	w, _, err := reopen(f, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	err = w.Append(&ledger.Note{Type: kind, Text: text})
	if err == nil {
		err = reportAgain(dir, w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return &Error{ExitMachine, err}
	}
	return nil
}
