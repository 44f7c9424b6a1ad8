package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Kinds of a seal's lines, in the order in which they stand.
const (
	KindScript      = "script"      // //c2.star, @std//go.star
	KindBinary      = "binary"      // a path from the root
	KindInput       = "input"       // a path from the root
	KindBuilt       = "built"       // a binary that phaselock builds, by the label of its recipe
	KindProgram     = "program"     // found in the fixed PATH
	KindInterpreter = "interpreter" // what runs a #! script, by the script's label
	KindHarness     = "harness"     // phaselock itself
	KindParam       = "param"       // a parameter and its value, without a digest
	KindProtocol    = "protocol"    // the flat form
	KindPlan        = "plan"        // every run, in order
)

// kinds in their order.
var kinds = []struct {
	name   string
	labels labels
}{
	{KindScript, labelled},
	{KindBinary, labelled},
	{KindInput, labelled},
	{KindBuilt, labelled},
	{KindProgram, labelled},
	{KindInterpreter, labelled},
	{KindHarness, alone},
	{KindParam, labelled},
	{KindProtocol, byPhase},
	{KindPlan, byPhase},
}

// labels says whether the lines of a kind have labels.
type labels int

const (
	labelled labels = iota
	alone           // there is one, without a label
	byPhase         // as alone in the seal of one phase; one a phase, by its name, in the seal of several
)

// Seal names everything that decides on a phase's results, by digest. New and Parse are the only doors to it.
type Seal struct {
	tool  string
	lines []Line
}

// Line is one sealed thing.
type Line struct {
	Kind   string
	Label  string // "" of a kind of which there is one: the harness; protocol and plan, unless there are several phases
	SHA256 string // lower-case hex; "" of a param
	Note   string // a param's value as plan.json writes it; of the others, what a reader wants to know: one line
}

// Value is what verification compares: the digest, or the value of a param. Of a plan among several it is the place in their order too.
func (l Line) Value() string {
	switch {
	case l.Kind == KindParam:
		return l.Note
	case l.Kind == KindPlan && l.Label != "" && l.Note != "":
		return l.SHA256 + " as " + l.Note
	}
	return l.SHA256
}

// New returns a seal of these lines, sorted: kinds in their order, within a kind by label. It fails, naming the line, for a kind
// that there is not, a digest that is none, text that does not fit on a line, two lines of one kind and label, and a protocol or plan
// without a phase beside one with.
func New(tool string, lines []Line) (*Seal, error) {
	s := &Seal{tool: tool, lines: slices.Clone(lines)}
	if err := oneLine("tool", tool); err != nil {
		return nil, err
	}
	for _, l := range s.lines {
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.lines, func(a, b Line) int {
		if d := rank(a.Kind) - rank(b.Kind); d != 0 {
			return d
		}
		return strings.Compare(a.Label, b.Label)
	})
	for i := 1; i < len(s.lines); i++ {
		a, b := s.lines[i-1], s.lines[i]
		if a.Kind == b.Kind && a.Label == b.Label {
			return nil, fmt.Errorf("seal: two lines for %s", b.Name())
		}
		if a.Kind == b.Kind && a.Label == "" {
			return nil, fmt.Errorf("seal: %s, and %s without a label", b.Name(), a.Name())
		}
	}
	return s, nil
}

func rank(kind string) int {
	for i := range kinds {
		if kinds[i].name == kind {
			return i
		}
	}
	return -1
}

// Name is how messages call a line.
func (l Line) Name() string {
	switch {
	case l.Label == "":
		return l.Kind
	case l.Kind == KindInterpreter:
		return "interpreter of " + quoted(l.Label)
	case l.Kind == KindProtocol, l.Kind == KindPlan:
		return l.Kind + " of " + l.Label
	}
	return l.Kind + " " + quoted(l.Label)
}

func (l Line) check() error {
	r := rank(l.Kind)
	switch {
	case r < 0:
		return fmt.Errorf("seal: no kind %q", l.Kind)
	case kinds[r].labels == labelled && l.Label == "", kinds[r].labels == alone && l.Label != "":
		return fmt.Errorf("seal: %s: label %q", l.Kind, l.Label)
	case l.Kind == KindParam && (l.SHA256 != "" || l.Note == ""):
		return fmt.Errorf("seal: %s: want a value and no digest", l.Name())
	case l.Kind != KindParam && !isDigest(l.SHA256):
		return fmt.Errorf("seal: %s: %q is no SHA-256: want 64 lower-case hexadecimal digits", l.Name(), l.SHA256)
	case l.Note == "":
		return nil
	}
	return oneLine(l.Name(), l.Note)
}

func isDigest(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

// Tool returns what made the seal.
func (s *Seal) Tool() string { return s.tool }

// Lines returns a copy of the sealed lines, in their order.
func (s *Seal) Lines() []Line { return slices.Clone(s.lines) }

// Line returns the line of that kind and label, and whether there is one.
func (s *Seal) Line(kind, label string) (Line, bool) {
	for _, l := range s.lines {
		if l.Kind == kind && l.Label == label {
			return l, true
		}
	}
	return Line{}, false
}

// Digest returns the SHA-256 (hex) of the seal's lines: what its last line says.
func (s *Seal) Digest() string { return DigestOf(s.body()) }

// DigestOf returns the SHA-256 (lower-case hex) of bytes.
func DigestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Text returns the seal as it is written to a file: the same bytes for the same lines.
func (s *Seal) Text() []byte {
	body := s.body()
	return fmt.Appendf(body, "%s%s\n", digestPrefix, DigestOf(body))
}

// body is the text above the last line.
func (s *Seal) body() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%d\n%s%s\n", versionPrefix, version, toolPrefix, s.tool)
	for _, l := range s.lines {
		b.WriteString(l.text())
		b.WriteByte('\n')
	}
	return b.Bytes()
}
