package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/protocol"
)

// Diagnostic is one thing that is wrong with a script, at its place.
type Diagnostic struct {
	File    string           // label without its leading slashes
	Line    int              // from 1; 0 where only the file is known
	Col     int              // from 1, in characters; 0 where only the file or the line is known
	EndCol  int              // one past the last marked character of the line
	What    string           // the construct: `metric`, `case "rev"`; may be empty
	Message string           // what is wrong and the way out
	Text    string           // the source line; empty where it is unknown
	Callers []protocol.Frame // from the inside out
	Load    []string         // places of the load statements that led to File, from the inside out
}

// Error returns the first line of the diagnostic: "file:line:col: what: message".
func (d Diagnostic) Error() string {
	var b strings.Builder
	switch {
	case d.Line == 0:
		b.WriteString(d.File)
	case d.Col == 0:
		fmt.Fprintf(&b, "%s:%d", d.File, d.Line)
	default:
		fmt.Fprintf(&b, "%s:%d:%d", d.File, d.Line, d.Col)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if d.What != "" {
		b.WriteString(d.What + ": ")
	}
	b.WriteString(d.Message)
	return b.String()
}

// String returns the whole diagnostic: the line of Error, the source with a caret under the culprit, the callers
// from the inside out, and the load chain. It ends without a newline.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Error())
	if d.Line > 0 && d.Text != "" {
		text, col, end := window(d.Text, d.Col, d.EndCol)
		fmt.Fprintf(&b, "\n%5d | %s", d.Line, text)
		if d.Col > 0 {
			fmt.Fprintf(&b, "\n      | %s%s", indent(text, col), strings.Repeat("^", max(1, end-col)))
		}
	}
	for _, f := range d.Callers {
		fmt.Fprintf(&b, "\n  called at %s:%d:%d in %s", f.File, f.Line, f.Col, f.Func)
	}
	for _, l := range d.Load {
		fmt.Fprintf(&b, "\n  loaded at %s", l)
	}
	return b.String()
}

// window cuts a line that no screen shows down to the marked part, and moves the columns with it.
func window(line string, col, end int) (string, int, int) {
	const width, before = 200, 60
	runes := []rune(line)
	if len(runes) <= width {
		return line, col, end
	}
	from := max(0, min(col-1-before, len(runes)-width))
	shown := string(runes[from:min(len(runes), from+width)])
	cut := from+width < len(runes)
	if from > 0 {
		shown = "…" + shown
		from--
	}
	if cut {
		shown += "…"
	}
	return shown, col - from, min(end-from, width+2)
}

// indent returns blanks up to column col of line; tabs stay tabs, so that carets stand under their text.
func indent(line string, col int) string {
	var b strings.Builder
	for _, r := range line {
		if col--; col < 1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// MarshalJSON writes the diagnostic for editors and CI, with lower-case names; absent parts are left out.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	type frame struct {
		File string `json:"file"`
		Line int    `json:"line"`
		Col  int    `json:"col"`
		Func string `json:"func"`
	}
	callers := make([]frame, len(d.Callers))
	for i, f := range d.Callers {
		callers[i] = frame(f)
	}
	return json.Marshal(struct {
		File    string   `json:"file"`
		Line    int      `json:"line,omitempty"`
		Col     int      `json:"col,omitempty"`
		EndCol  int      `json:"end_col,omitempty"`
		What    string   `json:"what,omitempty"`
		Message string   `json:"message"`
		Text    string   `json:"text,omitempty"`
		Callers []frame  `json:"callers,omitempty"`
		Load    []string `json:"load,omitempty"`
	}{d.File, d.Line, d.Col, d.EndCol, d.What, d.Message, d.Text, callers, d.Load})
}

// Diagnostics is every independent error of a script, as one error.
type Diagnostics []Diagnostic

// Error returns all diagnostics as String shows them, one after the other.
func (ds Diagnostics) Error() string {
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = d.String()
	}
	return strings.Join(parts, "\n")
}

// add appends d unless the same was said at the same place before.
func (ds *Diagnostics) add(d Diagnostic) {
	for _, o := range *ds {
		if o.File == d.File && o.Line == d.Line && o.Col == d.Col && o.Message == d.Message {
			return
		}
	}
	*ds = append(*ds, d)
}

// sorted returns the diagnostics by file in the order of files (the entry's come first), then by line and column.
func (ds Diagnostics) sorted(files []string) Diagnostics {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		if i, j := slices.Index(files, a.File), slices.Index(files, b.File); i != j {
			return i - j
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return ds
}

// clip shortens s to at most n characters, so that a message stays a message.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
