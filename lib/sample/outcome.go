package sample

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
)

// ended judges how the process ended, from the outside in. It must have exited as expected, with 0 unless an
// expectation says otherwise.
func (r *reader) ended() error {
	o := &r.outcome
	switch {
	case o.StartError != "":
		return r.fail(FailStart, "it could not be started: %s", o.StartError)
	case o.Interrupted:
		return r.fail(FailInterrupted, "the harness was stopped before the process ended")
	case o.TimedOut:
		return r.explain(FailTimeout, r.commandAt(), fmt.Sprintf("its deadline of %s passed, and it was ended", r.run.Timeout))
	case o.Signal != "":
		return r.explain(FailSignal, r.commandAt(), "it was ended by "+o.Signal)
	case o.Exit == nil:
		return r.fail(FailMissing, "how the process ended is not known")
	}
	want := &plan.Expect{Kind: plan.ExpectExit}
	for i := range r.phase.Expect {
		if e := &r.phase.Expect[i]; e.Kind == plan.ExpectExit && (want.At.IsZero() || e.Code != *o.Exit) {
			want = e
		}
	}
	switch {
	case *o.Exit == want.Code:
		return nil
	case *o.Exit == 0:
		return r.failAt(want.At, FailExpect, "exit status 0, and %d is expected", want.Code)
	case want.Code != 0:
		return r.explain(FailExit, want.At, fmt.Sprintf("exit status %d, and %d is expected", *o.Exit, want.Code))
	}
	return r.explain(FailExit, want.At, fmt.Sprintf("exit status %d", *o.Exit))
}

// explain adds to a failure what the program itself said of it: a panic, else the first line of its standard error,
// else what Go's testing printed.
func (r *reader) explain(kind string, at plan.Place, message string) error {
	var said string
	seen, err := r.marksOf(r.files.Stderr)
	if err != nil {
		return err
	}
	if m := seen.first(markPanic); m != nil {
		said = m.String()
	} else if seen.begins != nil {
		said = seen.begins.String()
	}
	seen, err = r.marksOf(r.files.Stdout)
	if err != nil {
		return err
	}
	switch m := seen.first(markBuild, markPanic, markFail); {
	case m == nil && said == "" && seen.begins != nil:
		said = "standard error is empty; " + seen.begins.String()
	case m != nil && m.kind == markBuild:
		message += "; it printed build output, no results: " + m.String()
	case m != nil && said == "":
		said = m.String()
	}
	if said != "" {
		message += "; " + said
	}
	return r.failAt(at, kind, "%s", message)
}

// marksOf looks for the marks of Go's testing and of the runtime in a file, all of it.
func (r *reader) marksOf(f File) (*marks, error) {
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var seen marks
	err = eachLine(in, f.Name, 0, func(l line) error {
		seen.see(f.Name, l)
		return nil
	})
	var text *textError
	if errors.As(err, &text) {
		err = nil // what was seen before the odd line is all that can be quoted
	}
	return &seen, err
}

// Kinds of marks, which say that a program failed whatever its exit status was.
const (
	markBuild = "build output" // the go tool's compile errors
	markPanic = "panic"        // of the runtime
	markFail  = "FAIL"         // of Go's testing
	markSkip  = "SKIP"
)

// mark is a line that says how a program ended.
type mark struct {
	kind string
	file string
	line int
	text string // quoted
}

func (m *mark) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.text) }

// marks are the first of each kind, and the first line that is not blank.
type marks struct {
	begins *mark
	byKind map[string]*mark
}

// see looks at one line.
func (s *marks) see(file string, l line) {
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return
	}
	if s.begins == nil {
		s.begins = &mark{"", file, l.number, quoted(text)}
	}
	kind := markOf(text)
	if kind == "" || s.byKind[kind] != nil {
		return
	}
	if s.byKind == nil {
		s.byKind = map[string]*mark{}
	}
	s.byKind[kind] = &mark{kind, file, l.number, quoted(text)}
}

// first returns the first mark of the first kind that was seen, or nil.
func (s *marks) first(kinds ...string) *mark {
	for _, k := range kinds {
		if m := s.byKind[k]; m != nil {
			return m
		}
	}
	return nil
}

// markOf returns the kind of mark that a line without surrounding blanks is, or "". Marks that follow a benchmark's
// name on its line count: testing prints the name, then runs it.
func markOf(text []byte) string {
	switch {
	case bytes.HasSuffix(text, []byte("[build failed]")), bytes.HasSuffix(text, []byte("[setup failed]")):
		return markBuild
	case begins(text, "panic: "), begins(text, "fatal error: "):
		return markPanic
	case bytes.Equal(text, []byte("FAIL")), bytes.HasPrefix(text, []byte("FAIL\t")), begins(text, "--- FAIL: "):
		return markFail
	case begins(text, "--- SKIP: "):
		return markSkip
	}
	return ""
}

// begins reports whether text begins with prefix, at its start or after a benchmark's name.
func begins(text []byte, prefix string) bool {
	if bytes.HasPrefix(text, []byte(prefix)) {
		return true
	}
	if !bytes.HasPrefix(text, []byte("Benchmark")) {
		return false
	}
	i := bytes.IndexByte(text, '\t')
	return i >= 0 && bytes.HasPrefix(bytes.TrimLeft(text[i:], "\t "), []byte(prefix))
}
