package seal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// version of the text's form.
const version = 1

const (
	versionPrefix = "phaselock seal "
	toolPrefix    = "tool "
	hashPrefix    = "sha256 "
	paramPrefix   = "param  "
	digestPrefix  = "seal   "
)

// words are what stands in the label's place where there is one line of a kind, else behind it: for readers.
var words = map[string]string{
	KindProtocol: "(flat form)",
	KindPlan:     "(every run, in order)",
}

// text is a line without its newline: "sha256 DIGEST  KIND  LABEL  NOTE" or "param  NAME VALUE".
func (l Line) text() string {
	if l.Kind == KindParam {
		return paramPrefix + quoted(l.Label) + " " + l.Note
	}
	fields := []string{hashPrefix + l.SHA256, fmt.Sprintf("%-8s", l.Kind)}
	if l.Label != "" {
		fields = append(fields, quoted(l.Label))
	}
	if w := words[l.Kind]; w != "" {
		fields = append(fields, w)
	}
	if l.Note != "" {
		fields = append(fields, l.Note)
	}
	return strings.Join(fields, "  ")
}

// quoted writes a label as it is, or as a Go string where it would not be read back.
func quoted(label string) string {
	for _, r := range label {
		if r == ' ' || r == '"' || r == '\\' || r == utf8.RuneError || !unicode.IsGraphic(r) {
			return strconv.QuoteToASCII(label)
		}
	}
	return label
}

// cutLabel reads a label from the front of a text.
func cutLabel(text string) (label, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexByte(text, ' ')
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], nil
	}
	q, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", fmt.Errorf("a label that begins with \" and does not end")
	}
	label, err = strconv.Unquote(q)
	return label, text[len(q):], err
}

// oneLine refuses text that would be another line, or that a reader cannot see.
func oneLine(what, text string) error {
	if text == "" || text != strings.TrimSpace(text) {
		return fmt.Errorf("seal: %s: %q is empty or has space around it", what, text)
	}
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			return fmt.Errorf("seal: %s: %q has a character that does not show", what, text)
		}
	}
	return nil
}
