package main

import (
	"github.com/phaselock/phaselock/lib/stats"
)

// flips answers whether the sign-flip interval of n blocks holds 0 without listing the 2^n subsets: it does where at least k of
// them have a mean of 0 or less and at least k of 0 or more. They are counted from the sums of both halves (Horowitz and Sahni
// 1974), so that 20 blocks cost a thousand steps and not a million.
type flips struct {
	k          int // 0 where there is no such interval
	left       []float64
	right      []float64
	from, into []float64
}

func newFlips(n int) *flips {
	f := &flips{}
	if r, ok := stats.SignFlip(make([]float64, n), level); ok && r.Exists {
		f.k = int((1 - r.Level) / r.MinP) // 1 - level is 2k/2^n, the least p 2/2^n, both exact
	}
	return f
}

func (f *flips) holdsZero(v []float64) bool {
	half := len(v) / 2
	f.left = append(f.left[:0], f.sorted(v[:half])...)
	f.right = append(f.right[:0], f.sorted(v[half:])...)
	const empty = 1 // the empty subset, whose sum is 0 on both sides
	atMost := pairs(f.left, f.right, func(sum float64) bool { return sum <= 0 }) - empty
	below := pairs(f.left, f.right, func(sum float64) bool { return sum < 0 })
	atLeast := len(f.left)*len(f.right) - below - empty
	return atMost >= f.k && atLeast >= f.k
}

// pairs counts the pairs of a left and a right sum that add up to something in; both are sorted, and in holds for whatever is
// smaller than what it holds for.
func pairs(left, right []float64, in func(sum float64) bool) int {
	count, r := 0, len(right)
	for _, l := range left {
		for r > 0 && !in(l+right[r-1]) {
			r--
		}
		count += r
	}
	return count
}

// sorted returns the sums of all subsets of v in ascending order: each value merges the list with itself moved by that value.
func (f *flips) sorted(v []float64) []float64 {
	f.from = append(f.from[:0], 0)
	for _, x := range v {
		f.into = f.into[:0]
		i, j := 0, 0
		for i < len(f.from) || j < len(f.from) {
			if j == len(f.from) || i < len(f.from) && f.from[i] <= f.from[j]+x {
				f.into = append(f.into, f.from[i])
				i++
			} else {
				f.into = append(f.into, f.from[j]+x)
				j++
			}
		}
		f.from, f.into = f.into, f.from
	}
	return f.from
}
