package sample

import (
	"strconv"
	"strings"
	"unicode"
)

// RewriteName returns the name that Go's testing prints for a benchmark whose sub-benchmarks are called by the
// elements of name: space becomes "_", what cannot be printed is escaped, and an empty last element is "#00"
// (testing.rewrite and testing.matcher.unique). The first of several equal names is printed as it is.
func RewriteName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case isSpace(r):
			b.WriteByte('_')
		case !strconv.IsPrint(r):
			s := strconv.QuoteRune(r)
			b.WriteString(s[1 : len(s)-1])
		default:
			b.WriteRune(r)
		}
	}
	if strings.HasSuffix(name, "/") {
		b.WriteString("#00")
	}
	return b.String()
}

// isSpace is testing's own notion of space, which is not Unicode's class Z alone.
func isSpace(r rune) bool {
	return r == 0x85 || unicode.Is(unicode.White_Space, r)
}

// procs returns the GOMAXPROCS that the process ran with, which testing appends to names as "-P"; 0 if it is not known.
// What the Go runtime refuses in the variable, it ignores.
func (r *reader) procs() int {
	if n, err := strconv.Atoi(r.run.Env["GOMAXPROCS"]); err == nil && n > 0 {
		return n
	}
	return r.outcome.CPUs
}

// stripProcs returns a printed name without its "-P" suffix. A suffix that is another number belongs to the name,
// and P = 1 has none. Where P is not known (0), every number is one, if what is left is want.
func stripProcs(name string, procs int, want string) string {
	i := strings.LastIndexByte(name, '-')
	switch {
	case procs == 1 || i < 0:
		return name
	case procs > 1 && name[i+1:] == strconv.Itoa(procs):
		return name[:i]
	case procs == 0 && name[:i] == want && isCount(name[i+1:]):
		return name[:i]
	}
	return name
}

// isCount reports whether s is a number without sign or leading zero.
func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && s == strconv.Itoa(n)
}

// duplicateMark returns the "#01" that testing appended to the second benchmark of one name, or "".
func duplicateMark(name string) string {
	i := strings.LastIndexByte(name, '#')
	if i < 0 || len(name)-i < 3 || strings.HasSuffix(name, "/#00") {
		return ""
	}
	for _, c := range name[i+1:] {
		if c < '0' || c > '9' {
			return ""
		}
	}
	return name[i:]
}
