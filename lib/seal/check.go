package seal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Outcome is what became of one sealed line.
type Outcome struct {
	Line Line
	Got  string // the digest or value found; "" if Err is set
	Err  error  // why nothing could be found; ErrElsewhere if nobody looked
}

// Holds reports whether the line is as it was sealed.
func (o Outcome) Holds() bool { return o.Err == nil && o.Got == o.Line.Value() }

// String says what became of the line, in one line.
func (o Outcome) String() string {
	switch {
	case o.Err != nil:
		return fmt.Sprintf("%s: %v", o.Line.Name(), o.Err)
	case o.Holds():
		return o.Line.Name() + ": as sealed"
	}
	return fmt.Sprintf("%s: sealed as %s, now %s", o.Line.Name(), o.Line.Value(), o.Got)
}

// ErrElsewhere is the error of a source for a line that it says nothing of.
var ErrElsewhere = errors.New("nothing says what this is now")

// Source finds what a line seals as it is now: a digest, or a param's value.
type Source func(Line) (string, error)

// Check asks the sources, in order, what each line is now, and returns one outcome a line, in the seal's order. The first source that
// does not fail with ErrElsewhere decides.
func (s *Seal) Check(sources ...Source) []Outcome {
	out := make([]Outcome, len(s.lines))
	for i, l := range s.lines {
		out[i] = Outcome{Line: l, Err: ErrElsewhere}
		for _, source := range sources {
			got, err := source(l)
			if errors.Is(err, ErrElsewhere) {
				continue
			}
			out[i].Got, out[i].Err = got, err
			break
		}
	}
	return out
}

// OnDisk is the source of what lies on this machine: scripts of the phase's own, binaries and inputs under its root, programs in a
// PATH, and the interpreters of scripts. It reads files and runs nothing.
func (s *Seal) OnDisk(root, path string) Source {
	return func(l Line) (string, error) {
		file, err := s.file(l, root, path)
		if err != nil {
			return "", err
		}
		digest, _, err := Digest(file)
		return digest, err
	}
}

// file returns where the file of a line is now.
func (s *Seal) file(l Line, root, path string) (string, error) {
	if local, ok := l.path(); ok {
		if filepath.IsAbs(local) {
			return local, nil
		}
		return filepath.Join(root, local), nil
	}
	switch l.Kind {
	case KindProgram:
		return Program(l.Label, path)
	case KindInterpreter:
		user := Line{Kind: KindProgram, Label: l.Label}
		if binary, ok := s.Line(KindBinary, l.Label); ok {
			user = binary
		}
		script, err := s.file(user, root, path)
		if err != nil {
			return "", err
		}
		file, err := Interpreter(script, path)
		if err == nil && file == "" {
			err = errors.New("it is no #! script")
		}
		return file, err
	}
	return "", ErrElsewhere
}

// path is where the file of a line lies, from the root or absolute; ok is false for what is looked up or lies nowhere.
func (l Line) path() (path string, ok bool) {
	switch l.Kind {
	case KindBinary, KindInput:
		return filepath.FromSlash(l.Label), true
	case KindProgram:
		return filepath.FromSlash(l.Label), strings.Contains(l.Label, "/")
	case KindScript:
		label, ok := strings.CutPrefix(l.Label, "//")
		return filepath.FromSlash(label), ok // @std//go.star lies in phaselock
	}
	return "", false
}

// Known is the source of what was computed already: another seal, made now.
func Known(now *Seal) Source {
	return func(l Line) (string, error) {
		found, ok := now.Line(l.Kind, l.Label)
		if !ok {
			return "", ErrElsewhere
		}
		return found.Value(), nil
	}
}

// Sums returns the sealed files in the form that "sha256sum -c" reads in the phase's root.
func (s *Seal) Sums() []byte {
	var b bytes.Buffer
	for _, l := range s.lines {
		path, ok := l.path()
		if !ok {
			continue
		}
		escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(path)
		if escaped != path {
			b.WriteByte('\\')
		}
		fmt.Fprintf(&b, "%s  %s\n", l.SHA256, escaped)
	}
	return b.Bytes()
}

// Beside returns the lines of another seal, made now, for which this one has none: what is used and was not sealed.
func (s *Seal) Beside(now *Seal) []Line {
	var out []Line
	for _, l := range now.lines {
		if _, ok := s.Line(l.Kind, l.Label); !ok {
			out = append(out, l)
		}
	}
	return out
}
