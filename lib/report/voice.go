package report

import "strings"

// voice is how text that others wrote is put into a sentence: on a terminal as it is, in Markdown as code and with
// its markup made harmless.
type voice struct {
	name  func(string) string // names of arms, cases, metrics, files
	prose func(string) string // sentences: reasons, messages, the question
}

var (
	spoken  = voice{name: clean, prose: clean}
	written = voice{name: code, prose: escape}
)

// code returns s as a Markdown code span, which shows every character as it is.
func code(s string) string {
	s = clean(s)
	if s == "" {
		return "(empty)"
	}
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// escape returns s as Markdown text that shows every character as it is: no emphasis, no link, no HTML.
func escape(s string) string {
	s = clean(s)
	var b strings.Builder
	for i, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '\\', '`', '*', '[', ']', '|', '~', '$':
			b.WriteByte('\\')
		case '_':
			if !within(s, i) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// line returns escape(s) for the beginning of a line, where a mark would begin a heading or a list.
func line(s string) string {
	s = escape(s)
	if s == "" {
		return s
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch {
	case strings.ContainsRune("#-+=", rune(s[0])):
		return `\` + s
	case digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')'):
		return s[:digits] + `\` + s[digits:]
	}
	return s
}

// within reports whether the byte at i has letters or digits on both sides: an underscore there marks nothing.
func within(s string, i int) bool {
	return i > 0 && i+1 < len(s) && alphanumeric(s[i-1]) && alphanumeric(s[i+1])
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
