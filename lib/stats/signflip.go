package stats

import (
	"math"
	"math/bits"
	"slices"
)

// signFlipBlocks is the largest number of blocks whose sign flips are enumerated: a million of them.
const signFlipBlocks = 20

// SignFlipResult is the sign-flip test of a mean and the interval that inverts it: exact if the effects are symmetric.
type SignFlipResult struct {
	Low, High float64
	Level     float64 // what the interval covers: 1 - 2k/2^n, at least the level asked for where Exists
	Exists    bool    // false: no interval of that level exists at so few blocks, and this is the widest, [min, max]
	P         float64 // two-sided, of a mean of 0
	MinP      float64 // the least that it could be, 2/2^n
}

// SignFlip returns the test and the interval at a level. The interval's ends are the k-th smallest and k-th largest of the means
// over all nonempty subsets of v (Hartigan 1969), with the largest k for which it covers the level. ok is false for no values and
// above 20 blocks, where flips are no longer enumerated.
func SignFlip(v []float64, level float64) (r SignFlipResult, ok bool) {
	n := len(v)
	if n < 1 || n > signFlipBlocks {
		return r, false
	}
	flips := int64(1) << n
	// k/2^n must not exceed (1-level)/2; ranks gives the smallest k that reaches it
	k, _ := ranks(level, flips)
	if !within(level, k, flips) {
		k--
	}
	r.Exists = k >= 1
	k = max(k, 1)
	r.Level = 1 - 2*float64(k)/float64(flips)
	r.MinP = 2 / float64(flips)
	r.P = signFlipP(v)
	means := subsetMeans(v)
	slices.Sort(means)
	r.Low, r.High = means[k-1], means[int64(len(means))-k]
	return r, true
}

// within reports whether 2k/total <= 1-level, in integers.
func within(level float64, k, total int64) bool {
	low, _ := ranks(level, total) // ceil((1-level)/2·total), at least 1
	if k < low {
		return true
	}
	if k > low {
		return false
	}
	// k = low: equality holds where nothing was rounded up
	next, _ := ranks(level, total*1024)
	return next == low*1024
}

// subsetMeans returns the mean of every nonempty subset of v, each added up in index order.
func subsetMeans(v []float64) []float64 {
	sums := make([]float64, 1<<len(v))
	for set := 1; set < len(sums); set++ {
		top := bits.Len(uint(set)) - 1
		sums[set] = sums[set&^(1<<top)] + v[top]
	}
	for set := 1; set < len(sums); set++ {
		sums[set] /= float64(bits.OnesCount(uint(set)))
	}
	return sums[1:]
}

// signFlipP returns the share of the 2^n sign flips whose sum is at least as far from 0 as the sum observed. Sums that differ by
// rounding alone count as equal.
func signFlipP(v []float64) float64 {
	total, size := 0.0, 0.0
	for _, x := range v {
		total += x
		size += math.Abs(x)
	}
	observed := math.Abs(total) - 1e-12*size
	sums := make([]float64, 1<<len(v))
	extreme := 0
	for set := range sums {
		if set > 0 {
			top := bits.Len(uint(set)) - 1
			sums[set] = sums[set&^(1<<top)] + v[top]
		}
		if math.Abs(total-2*sums[set]) >= observed { // the values in the set have their signs flipped
			extreme++
		}
	}
	return float64(extreme) / float64(len(sums))
}
