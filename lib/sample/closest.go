package sample

import (
	"fmt"
	"strings"
)

// didYouMean returns " (did you mean …?)" with the candidate that is closest to name, or the list of candidates
// where none is close.
func didYouMean(name string, candidates []string) string {
	best, least := "", 0
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); best == "" || d < least {
			best, least = c, d
		}
	}
	switch {
	case best != "" && least <= 1+len(name)/4:
		return fmt.Sprintf(" (did you mean %q?)", best)
	case len(candidates) == 0:
		return ""
	}
	const most = 20
	quotedNames := make([]string, 0, most)
	for _, c := range candidates[:min(most, len(candidates))] {
		quotedNames = append(quotedNames, fmt.Sprintf("%q", c))
	}
	if len(candidates) > most {
		quotedNames = append(quotedNames, "…")
	}
	return "; there is " + strings.Join(quotedNames, ", ")
}

// distance is Levenshtein's: the number of bytes to insert, delete or replace between a and b. Beyond 64 bytes names
// are not compared: they are not typed by hand.
func distance(a, b string) int {
	const most = 64
	if len(a) > most || len(b) > most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
