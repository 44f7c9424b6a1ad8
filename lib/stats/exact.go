package stats

import (
	"cmp"
	"slices"
	"sync"
)

// exactBlocks is the largest number of blocks whose multisets are enumerated: 6435 of them for 8.
const exactBlocks = 8

// multiset is a resample by how often each block is in it, and how often it was drawn (or its multinomial weight).
type multiset struct {
	counts []uint8
	weight int64
}

// ExactPercentile returns the limit of the percentile interval for infinitely many resamples, by enumeration of all C(2n-1, n)
// multisets. ok is false below 2 and above 8 blocks, and for values that are not finite.
func ExactPercentile(v []float64, level float64) (low, high float64, ok bool) {
	n := len(v)
	if n < 2 || n > exactBlocks || !finite(v) {
		return 0, 0, false
	}
	total := int64(1)
	for range n {
		total *= int64(n)
	}
	low, high = weighted(enumerated[n](), v, level, total)
	return low, high, true
}

// enumerated holds the multisets of each number of blocks, listed when they are first asked for.
var enumerated = func() (lists [exactBlocks + 1]func() []multiset) {
	for n := 2; n <= exactBlocks; n++ {
		lists[n] = sync.OnceValue(func() []multiset { return multisets(n) })
	}
	return lists
}()

// multisets returns every resample of n blocks with its weight n!/Πk!, which add up to n^n.
func multisets(n int) []multiset {
	factorial := make([]int64, n+1)
	factorial[0] = 1
	for i := 1; i <= n; i++ {
		factorial[i] = factorial[i-1] * int64(i)
	}
	var out []multiset
	counts := make([]uint8, n)
	var fill func(i, left int, weight int64)
	fill = func(i, left int, weight int64) {
		if i == n-1 {
			counts[i] = uint8(left)
			out = append(out, multiset{slices.Clone(counts), weight / factorial[left]})
			return
		}
		for k := 0; k <= left; k++ {
			counts[i] = uint8(k)
			fill(i+1, left-k, weight/factorial[k])
		}
	}
	fill(0, n, factorial[n])
	return out
}

// weighted returns the inverse CDF of the multisets' means at both tails; their weights add up to total.
func weighted(sets []multiset, v []float64, level float64, total int64) (low, high float64) {
	type point struct {
		mean   float64
		weight int64
	}
	points := make([]point, len(sets))
	for i, s := range sets {
		points[i] = point{resampled(s.counts, v), s.weight}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.mean, b.mean) })
	lo, hi := ranks(level, total)
	at := func(rank int64) float64 {
		seen := int64(0)
		for _, p := range points {
			if seen += p.weight; seen >= rank {
				return p.mean
			}
		}
		return points[len(points)-1].mean
	}
	return at(lo), at(hi)
}
