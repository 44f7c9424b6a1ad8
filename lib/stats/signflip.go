package stats

import (
	"math"
	"math/bits"
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
// over all nonempty subsets of v (Hartigan 1969), with the largest k for which it covers the level. ok is false for no values, for
// values that are not finite, and above 20 blocks, where flips are no longer enumerated.
func SignFlip(v []float64, level float64) (r SignFlipResult, ok bool) {
	n := len(v)
	if n < 1 || n > signFlipBlocks || !finite(v) {
		return r, false
	}
	flips := int64(1) << n
	tail, _ := tails(level)
	k, _ := floor(tail, flips) // 2k/2^n must not exceed 1-level
	r.Exists = k >= 1
	k = min(max(k, 1), flips/2)
	r.Level = 1 - 2*float64(k)/float64(flips)
	r.MinP = 2 / float64(flips)
	sums := subsetSums(v)
	r.P = signFlipP(v, sums)
	means := sums[1:]
	for set := range means {
		means[set] /= float64(bits.OnesCount(uint(set + 1)))
	}
	r.Low = smallest(means, k)
	r.High = smallest(means, flips-k)
	return r, true
}

// subsetSums returns the sum of every subset of v, the empty one first, each added up in index order.
func subsetSums(v []float64) []float64 {
	sums := make([]float64, 1, 1<<len(v))
	for _, x := range v {
		for _, s := range sums {
			sums = append(sums, s+x)
		}
	}
	return sums
}

// signFlipP returns the share of the 2^n sign flips whose sum is at least as far from 0 as the sum observed. Sums that differ by
// rounding alone count as equal. sums are those of the subsets: the values whose signs are flipped.
func signFlipP(v, sums []float64) float64 {
	size := 0.0
	for _, x := range v {
		size += math.Abs(x)
	}
	total := sums[len(sums)-1]
	observed := math.Abs(total) - 1e-12*size
	extreme := 0
	for _, s := range sums {
		if !(math.Abs(total-2*s) < observed) { // sums that overflow count as extreme: p is never too small
			extreme++
		}
	}
	return float64(extreme) / float64(len(sums))
}
