package host

import (
	"fmt"
	"strings"
)

// didYouMean returns ` (did you mean "x"?)` for the candidate nearest to name, or "".
func didYouMean(name string, candidates []string) string {
	if c := nearest(name, candidates); c != "" {
		return fmt.Sprintf(" (did you mean %q?)", c)
	}
	return ""
}

// hintOrList is didYouMean, or all candidates where none is near and they are few.
func hintOrList(name string, candidates []string) string {
	hint := didYouMean(name, candidates)
	if hint == "" && len(candidates) > 0 && len(candidates) <= 12 {
		hint = "; there are " + strings.Join(candidates, ", ")
	}
	return hint
}

// nearest returns the candidate that name most likely stands for, or "": the one with the smallest edit distance
// within a third of the name's length, or one of which name is a beginning, or that is the beginning of name.
func nearest(name string, candidates []string) string {
	best, bestCost := "", 1<<30
	for _, c := range candidates {
		if c == name {
			continue
		}
		cost := distance(strings.ToLower(name), strings.ToLower(c))
		if cost > tolerance(name) {
			if !startsAlike(name, c) {
				continue
			}
			cost = 2
		}
		if cost < bestCost {
			best, bestCost = c, cost
		}
	}
	return best
}

// tolerance is the distance at which a word may still be a slip of another; short words are too alike by chance.
func tolerance(name string) int {
	if len(name) < 3 {
		return 0
	}
	return max(1, len(name)/3)
}

func startsAlike(a, b string) bool {
	return min(len(a), len(b)) >= 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// mistyped reports whether an own parameter is so close to a keyword that it is likelier a slip than a name.
// It is stricter than nearest, since own parameters may have any name.
func mistyped(name, keyword string) bool {
	if len(name) < len(keyword) && len(name) >= 3 && len(keyword)-len(name) <= 3 && strings.HasPrefix(keyword, name) {
		return true
	}
	if max(len(name)-len(keyword), len(keyword)-len(name))*5 > len(keyword) {
		return false // as many insertions at least
	}
	return distance(name, keyword)*5 <= len(keyword)
}

// distance is the optimal string alignment distance: insertions, deletions, substitutions and transpositions of
// neighbours cost one each (Damerau 1964).
func distance(a, b string) int {
	const longest = 100
	s, t := []rune(a), []rune(b)
	if len(s) > longest || len(t) > longest {
		return 1 << 20
	}
	var rows [3][longest + 1]int
	prev2, prev, row := rows[0][:len(t)+1], rows[1][:len(t)+1], rows[2][:len(t)+1]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(t)]
}
