package host

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// checkBytes refuses what would make two scripts that look alike differ: a byte order mark, carriage returns,
// text that is not UTF-8.
func (c *closure) checkBytes(f *file) bool {
	message, offset := "", 0
	if bytes.HasPrefix(f.src, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(f.src, []byte("\xff\xfe")) || bytes.HasPrefix(f.src, []byte("\xfe\xff")) {
		message = "the file starts with a byte order mark; save it as UTF-8 without one"
	} else if i := bytes.IndexByte(f.src, '\r'); i >= 0 {
		message, offset = "a carriage return; save the file with line feeds alone", i
	} else if i := invalidUTF8(f.src); i >= 0 {
		message, offset = fmt.Sprintf("byte 0x%02x is not UTF-8", f.src[i]), i
	} else if i := bytes.IndexByte(f.src, 0); i >= 0 {
		message, offset = "a NUL byte", i
	}
	if message == "" {
		return true
	}
	before := f.src[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	col := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	c.diags.add(c.located(f, Diagnostic{File: f.name, Line: line, Col: col, EndCol: col + 1, What: "syntax", Message: message}))
	return false
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// checkBindings refuses to bind the name of a builtin at top level: what follows would not mean what it says.
func (c *closure) checkBindings(f *file) {
	refuse := func(id *syntax.Ident) {
		if !f.defined(id.Name) && !starlark.Universe.Has(id.Name) {
			return
		}
		c.diags.add(c.located(f, f.diagnostic(spanOf(id), "name", fmt.Sprintf("%q is a builtin; choose another name", id.Name))))
	}
	for _, b := range f.tree.Module.(*resolve.Module).Globals {
		refuse(b.First)
	}
	for _, s := range f.tree.Stmts {
		if l, ok := s.(*syntax.LoadStmt); ok {
			for _, id := range l.To {
				refuse(id)
			}
		}
	}
}

// foreign are words of other languages and what they are called here.
var foreign = map[string]string{
	"true": "True", "false": "False", "null": "None", "nil": "None", "none": "None", "undefined": "None",
	"&&": "and", "||": "or", "!": "not",
}

func syntaxDiagnostic(f *file, e syntax.Error) Diagnostic {
	at := pointOf(e.Pos)
	message := e.Msg
	line := []rune(f.line(int(at.line)))
	rest := string(line[min(len(line), max(0, int(at.col)-1)):])
	before := string(line[:min(len(line), max(0, int(at.col)-1))])
	switch {
	case strings.HasPrefix(rest, "&") && (strings.HasPrefix(rest, "&&") || strings.HasSuffix(before, "&")):
		message += ` (did you mean "and"?)`
	case strings.HasPrefix(rest, "|") && (strings.HasPrefix(rest, "||") || strings.HasSuffix(before, "|")):
		message += ` (did you mean "or"?)`
	case strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "!="):
		message += ` (did you mean "not"?)`
	case strings.HasPrefix(rest, "while"):
		message += `; there is no while, use for`
	}
	return f.diagnostic(span{at, at}, "syntax", message)
}

func nameDiagnostic(f *file, e resolve.Error) Diagnostic {
	s := span{pointOf(e.Pos), pointOf(e.Pos)}
	if n := f.nodes[pointOf(e.Pos)]; n != nil {
		s = spanOf(n)
	}
	message := e.Msg
	if name, ok := strings.CutPrefix(message, "undefined: "); ok {
		name, _, hinted := strings.Cut(name, " ")
		if word := foreign[name]; word != "" {
			message = fmt.Sprintf("undefined: %s (did you mean %s?)", name, word)
		} else if testOnly(name) {
			message += "; it is for scripts of tests, whose names end in " + testSuffix
		} else if !hinted {
			message += didYouMean(name, namesFor(f.label))
		}
	}
	if strings.HasPrefix(message, "cannot reassign global") {
		message += "; a global is bound once: y = 1 if a else 2, or bind it in a function"
	}
	return f.diagnostic(s, "name", message)
}
