package protocol

import "strings"

// Problem is something wrong with a phase, at the place in the script that says so. Validation, designs and
// plans return them; the Starlark host shows them with the source line and a caret.
type Problem struct {
	At      Place
	What    string // the construct: "case \"rev\"", "counterbalanced", "metric \"ns/op\""
	Message string // what is wrong and the way out
}

// Error returns "file:line:col: what: message".
func (p Problem) Error() string {
	s := p.Message
	if p.What != "" {
		s = p.What + ": " + s
	}
	if at := p.At.String(); at != "" {
		s = at + ": " + s
	}
	return s
}

// Problems is every independent problem that was found, as one error.
type Problems []Problem

// Error returns the problems, a line each.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns nil when there is no problem.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}
