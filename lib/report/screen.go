package report

import (
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// narrow characters are counted whatever the locale: the same page has the same bytes everywhere.
var narrow = twwidth.Options{}

// width returns the columns that s takes on a terminal.
func width(s string) int { return twwidth.WidthWithOptions(s, narrow) }

// ink is a way to make text stand out on a terminal that takes colours.
type ink string

const (
	bold   ink = "1"
	dim    ink = "2"
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
)

// screen is text of bounded width under construction.
type screen struct {
	b       strings.Builder
	columns int
	color   bool
	ascii   bool
}

// asciiForms are the characters beyond ASCII that this package writes itself, and what stands for them.
var asciiForms = strings.NewReplacer("–", "-", "…", "...", "·", "-", "µ", "u", "μ", "u", disagrees, "*", "─", "-", "→", "->")

// plain returns s as the terminal can show it, without control characters.
func (s *screen) plain(text string) string {
	text = clean(text)
	if !s.ascii {
		return text
	}
	text = asciiForms.Replace(text)
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, text)
}

// paint puts text in a colour.
func (s *screen) paint(i ink, text string) string {
	if !s.color || i == "" || text == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

func (s *screen) blank() { s.b.WriteByte('\n') }

// cut shortens a text that is wider than n columns, and marks that.
func (s *screen) cut(text string, n int) string {
	if width(text) <= n {
		return text
	}
	mark := s.plain("…")
	for n <= width(mark) {
		return strings.Repeat(".", max(n, 0))
	}
	out := ""
	for _, r := range text {
		if width(out+string(r)+mark) > n {
			break
		}
		out += string(r)
	}
	return strings.TrimRight(out, " ") + mark
}

// paragraph writes text over as many lines as it needs: the first behind a label, all others below its text.
func (s *screen) paragraph(i ink, label, text string) {
	indent := strings.Repeat(" ", min(width(label), s.columns/3))
	for n, l := range s.wrap(s.plain(text), s.columns-width(indent)) {
		if n > 0 {
			label = indent
		}
		s.b.WriteString(strings.TrimRight(s.paint(i, label)+l, " ") + "\n")
	}
}

// wrap breaks text at spaces into lines of at most n columns; a word that is longer is broken.
func (s *screen) wrap(text string, n int) []string {
	n = max(n, 1)
	var lines []string
	line := ""
	for _, word := range together(strings.Fields(text)) {
		if line != "" && width(line)+1+width(word) <= n {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(word) > n {
			head := s.head(word, n)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// together joins words that are read as one: the two ends of an interval, a number and its unit.
func together(words []string) []string {
	var out []string
	for i, w := range words {
		if i > 0 && (strings.HasPrefix(words[i-1], "[") && strings.HasSuffix(words[i-1], ",") || isNumber(words[i-1]) && isSuffix(w)) {
			out[len(out)-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func isNumber(s string) bool {
	s = strings.TrimLeft(s, "(+-")
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

// isSuffix reports whether a word is a display unit.
func isSuffix(w string) bool {
	w, per, _ := strings.Cut(strings.TrimRight(w, ").,;:"), "/")
	if per == "op" {
		return true
	}
	for _, list := range steps {
		for _, s := range list {
			if w == s.suffix || w == asciiForms.Replace(s.suffix) {
				return true
			}
		}
	}
	return false
}

// head returns the longest beginning of a word that fits n columns, one character at least.
func (s *screen) head(word string, n int) string {
	end := 0
	for i, r := range word {
		next := i + utf8.RuneLen(r)
		if end > 0 && width(word[:next]) > n {
			break
		}
		end = next
	}
	return word[:end]
}
