package stats

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/rng"
)

// exactBlocks is the largest number of blocks whose multisets are enumerated: 6435 of them for 8.
const exactBlocks = 8

// Bootstrap is one sequence of resamples of n blocks, the same for all cases, metrics and arms of a phase (common random
// numbers), so that adding a case changes no other interval.
type Bootstrap struct {
	n, resamples int
	seed         int64
	tally        []multiset // n <= exactBlocks: the multisets drawn, with how often
}

// multiset is a resample by how often each block is in it, and how often it was drawn (or its multinomial weight).
type multiset struct {
	counts []uint8
	weight int64
}

// NewBootstrap draws resamples of n of n blocks with replacement, from the stream "bootstrap/<n>" of the seed.
func NewBootstrap(n, resamples int, seed int64) (*Bootstrap, error) {
	if n < 1 || resamples < 1 {
		return nil, fmt.Errorf("bootstrap of %d blocks with %d resamples: both must be positive", n, resamples)
	}
	b := &Bootstrap{n: n, resamples: resamples, seed: seed}
	if n > exactBlocks {
		return b, nil // drawn anew for each interval: 20,000 of 20 blocks take less time than a run's start
	}
	seen := map[uint64]int{}
	b.draw(func(counts []uint16) {
		key := uint64(0)
		for _, k := range counts {
			key = key<<4 | uint64(k)
		}
		i, ok := seen[key]
		if !ok {
			i = len(b.tally)
			seen[key] = i
			m := multiset{counts: make([]uint8, n)}
			for j, k := range counts {
				m.counts[j] = uint8(k)
			}
			b.tally = append(b.tally, m)
		}
		b.tally[i].weight++
	})
	return b, nil
}

// draw calls f with the counts of each resample; f must not keep them.
func (b *Bootstrap) draw(f func(counts []uint16)) {
	s := rng.New(fmt.Sprintf("bootstrap/%d", b.n), b.seed)
	counts := make([]uint16, b.n)
	for range b.resamples {
		clear(counts)
		for range b.n {
			counts[s.Bounded(uint64(b.n))]++
		}
		f(counts)
	}
}

// Percentile returns the percentile bootstrap interval of the mean of v (Efron 1979): the inverse CDF of the resampled means at
// (1-level)/2 and (1+level)/2. v has the n blocks that the bootstrap was made for.
func (b *Bootstrap) Percentile(v []float64, level float64) (low, high float64, err error) {
	if len(v) != b.n {
		return 0, 0, fmt.Errorf("%d blocks for a bootstrap of %d", len(v), b.n)
	}
	if b.n < 2 {
		return 0, 0, ErrTooFew
	}
	if b.tally != nil {
		low, high = weighted(b.tally, v, level, int64(b.resamples))
		return low, high, nil
	}
	means := make([]float64, 0, b.resamples)
	b.draw(func(counts []uint16) { means = append(means, resampled(counts, v)) })
	slices.Sort(means)
	lo, hi := ranks(level, int64(b.resamples))
	return means[lo-1], means[hi-1], nil
}

// ExactPercentile returns the limit of the percentile interval for infinitely many resamples, by enumeration of all C(2n-1, n)
// multisets. ok is false below 2 and above 8 blocks.
func ExactPercentile(v []float64, level float64) (low, high float64, ok bool) {
	n := len(v)
	if n < 2 || n > exactBlocks {
		return 0, 0, false
	}
	total := int64(1)
	for range n {
		total *= int64(n)
	}
	low, high = weighted(multisets(n), v, level, total)
	return low, high, true
}

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

// resampled returns the mean of a resample, Σ k_i·v_i / n, accumulated in index order and never in draw order, so that equal
// multisets give equal bits.
func resampled[K uint8 | uint16](counts []K, v []float64) float64 {
	sum := 0.0
	for i, k := range counts {
		sum += float64(k) * v[i]
	}
	return sum / float64(len(v))
}
