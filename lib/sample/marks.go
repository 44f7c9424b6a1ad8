package sample

import (
	"bytes"
	"errors"
	"fmt"
)

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
