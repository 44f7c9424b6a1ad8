package check

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// number writes v with five significant digits at most: findings are read, analysis.json is computed with.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }

// exact writes v by shortest round trip.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ratio writes a ratio to seven decimals where it is near 1, as far as the reader may want to recompute it.
func ratio(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

// percent writes a ratio as a signed change of two digits, or of all before the point: 1.04 is +4%, 2.7 is +170%.
func percent(v float64) string {
	change := 100 * (v - 1)
	if math.Abs(change) >= 99.5 { // two digits of what is larger would come with an exponent
		return fmt.Sprintf("%+.0f%%", change)
	}
	return fmt.Sprintf("%+.2g%%", change)
}

// count writes "1 block", "3 blocks".
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list writes "a", "a and b", "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// blocks writes "block 3", "blocks 1, 2 and 5".
func blocks(ns []int) string {
	if len(ns) == 1 {
		return "block " + strconv.Itoa(ns[0])
	}
	return "blocks " + list(strs(ns))
}

func strs(ns []int) []string {
	out := make([]string, len(ns))
	for i, n := range ns {
		out[i] = strconv.Itoa(n)
	}
	return out
}

// addInt inserts n into a sorted list without repeats.
func addInt(ns []int, n int) []int {
	i := sort.SearchInts(ns, n)
	if i < len(ns) && ns[i] == n {
		return ns
	}
	ns = append(ns, 0)
	copy(ns[i+1:], ns[i:])
	ns[i] = n
	return ns
}

// values writes distinct numbers in ascending order: "5 or 6".
func values(vs map[float64]int) string {
	keys := sortedValues(vs)
	words := make([]string, len(keys))
	for i, v := range keys {
		words[i] = exact(v)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func sortedValues(vs map[float64]int) []float64 {
	keys := make([]float64, 0, len(vs))
	for v := range vs {
		keys = append(keys, v)
	}
	sort.Float64s(keys)
	return keys
}
