package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var cardinals = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// cardinal writes small numbers as words.
func cardinal(n int) string {
	if n >= 0 && n < len(cardinals) {
		return cardinals[n]
	}
	return strconv.Itoa(n)
}

// count writes "1 block", "3 blocks", "2 processes".
func count(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(n, noun)) }

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "s"):
		return noun + "es"
	}
	return noun + "s"
}

// times writes "once", "twice", "three times".
func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return cardinal(n) + " times"
}

// list writes "a", "a and b", "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// few writes a list of at most n items, and how many more there are.
func few(items []string, n int) string {
	if len(items) <= n {
		return list(items)
	}
	return strings.Join(items[:n], ", ") + fmt.Sprintf(" and %d more", len(items)-n)
}

// blocks writes "block 3", "blocks 1, 2 and 5".
func blocks(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = strconv.Itoa(n)
	}
	return plural(len(ns), "block") + " " + list(words)
}

// capital writes the first letter large.
func capital(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

// sentence closes a text with a full stop if it has no end of its own.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// moves are the sequences with which a program colours and moves on a terminal.
var moves = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)`)

// clean makes one line of a text that scripts or programs wrote: white space is one space, colours are gone, and other
// control characters, with which a line could hide, are shown as such.
func clean(s string) string {
	var b strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(moves.ReplaceAllString(s, ""), "\uFFFD") {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			r = '\uFFFD'
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// short abbreviates a digest.
func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12] + "…"
	}
	return digest
}
