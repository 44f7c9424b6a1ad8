// Package pgo is a workload for profile-guided optimisation: a scanner that asks an interface about every byte. A profile shows
// which implementation stands behind it, so that the compiler can call that one directly and inline it.
//
// scanner.pgo is a CPU profile of its benchmark, made by
//
//	go test -run '^$' -bench Scan -benchtime 3s -cpuprofile workloads/pgo/scanner.pgo -o /dev/null ./workloads/pgo
package pgo

import "strings"

// Matcher says which bytes belong to a word.
type Matcher interface {
	Match(b byte) bool
}

// Class is a set of bytes.
type Class [256]bool

// NewClass returns the class of the bytes of s.
func NewClass(s string) *Class {
	var c Class
	for i := range len(s) {
		c[s[i]] = true
	}
	return &c
}

// Match reports whether b is in the class.
func (c *Class) Match(b byte) bool { return c[b] }

// Not is the complement of a matcher.
type Not struct{ Of Matcher }

// Match reports whether b is outside the other's set.
func (n Not) Match(b byte) bool { return !n.Of.Match(b) }

// Words counts the longest runs of matching bytes in a text.
func Words(text []byte, m Matcher) int {
	words, inside := 0, false
	for _, b := range text {
		if m.Match(b) {
			if !inside {
				words++
			}
			inside = true
		} else {
			inside = false
		}
	}
	return words
}

// Text returns a text of n words of letters, of 1 to 12 letters each, separated by a space; the same for every n.
func Text(n int) []byte {
	var b strings.Builder
	x := uint64(1)
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		x = x*6364136223846793005 + 1442695040888963407
		for j := range 1 + x>>33%12 {
			b.WriteByte('a' + byte((x>>40+j*7)%26))
		}
	}
	return []byte(b.String())
}
