package stats

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/rng"
)

// storedDraws bounds the memory of the resamples that are kept: 32 MB. Beyond, they are drawn anew for each interval.
const storedDraws = 16 << 20

// Bootstrap is one sequence of resamples of n blocks, the same for all cases, metrics and arms of a phase (common random
// numbers), so that adding a case changes no other interval. It can be used from several goroutines.
type Bootstrap struct {
	n, resamples int
	seed         int64
	tally        []multiset // n <= exactBlocks: the multisets drawn, with how often
	counts       []uint16   // else, unless they are too many: the counts of each resample, one after the other
}

// NewBootstrap draws resamples of n of n blocks with replacement, from the stream "bootstrap/<n>" of the seed.
func NewBootstrap(n, resamples int, seed int64) (*Bootstrap, error) {
	if n < 1 || n > maxBlocks || resamples < 1 {
		return nil, fmt.Errorf("bootstrap of %d blocks with %d resamples: want 1 to %d blocks and one resample or more", n, resamples, maxBlocks)
	}
	b := &Bootstrap{n: n, resamples: resamples, seed: seed}
	switch {
	case n <= exactBlocks:
		b.tally = b.tallied()
	case resamples <= storedDraws/n:
		b.counts = make([]uint16, 0, n*resamples)
		b.draw(func(counts []uint16) { b.counts = append(b.counts, counts...) })
	}
	return b, nil
}

// maxBlocks is what a count of 16 bits can hold.
const maxBlocks = 1<<16 - 1

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

// tallied returns the different resamples with how often each was drawn.
func (b *Bootstrap) tallied() []multiset {
	var tally []multiset
	seen := map[uint64]int{}
	b.draw(func(counts []uint16) {
		key := uint64(0)
		for _, k := range counts {
			key = key<<4 | uint64(k)
		}
		i, ok := seen[key]
		if !ok {
			i = len(tally)
			seen[key] = i
			m := multiset{counts: make([]uint8, b.n)}
			for j, k := range counts {
				m.counts[j] = uint8(k)
			}
			tally = append(tally, m)
		}
		tally[i].weight++
	})
	return tally
}

// Percentile returns the percentile bootstrap interval of the mean of v (Efron 1979): the inverse CDF of the resampled means at
// (1-level)/2 and (1+level)/2. v has the n blocks that the bootstrap was made for. It fails with ErrTooFew for one block and
// with ErrNotFinite.
func (b *Bootstrap) Percentile(v []float64, level float64) (low, high float64, err error) {
	switch {
	case len(v) != b.n:
		return 0, 0, fmt.Errorf("%d blocks for a bootstrap of %d", len(v), b.n)
	case b.n < 2:
		return 0, 0, ErrTooFew
	case !finite(v):
		return 0, 0, ErrNotFinite
	case b.tally != nil:
		low, high = weighted(b.tally, v, level, int64(b.resamples))
		return low, high, nil
	}
	means := make([]float64, 0, b.resamples)
	if b.counts != nil {
		for i := 0; i < len(b.counts); i += b.n {
			means = append(means, resampled(b.counts[i:i+b.n], v))
		}
	} else {
		b.draw(func(counts []uint16) { means = append(means, resampled(counts, v)) })
	}
	lo, hi := ranks(level, int64(b.resamples))
	return smallest(means, lo), smallest(means, hi), nil
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
