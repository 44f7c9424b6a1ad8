// Package stats has the estimators, intervals and tests of a phase: pure functions over float64.
//
// Everything works on block effects, one number a block, on the scale where effects add up: the logarithm of the
// block's ratio, or the block's difference. The caller takes exponentials where it wants ratios.
package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrEmpty is the median of nothing; ErrTooFew an interval from too few blocks; ErrNotFinite an interval from an effect that is NaN or
// infinite, which LogRatios and Differences give for finite medians only beyond what a double holds.
var (
	ErrEmpty     = errors.New("no values")
	ErrTooFew    = errors.New("an interval needs at least two blocks")
	ErrNotFinite = errors.New("a block's effect is not a finite number")
)

// UndefinedError says why a ratio of medians is undefined: one of them is zero, negative or not finite.
type UndefinedError struct {
	Index int    // of the block, from 0
	Side  string // "arm" or "base"
	Value float64
}

// Error names the block, the side and the value.
func (e *UndefinedError) Error() string {
	return fmt.Sprintf("block %d: the median of the %s is %v, so that the ratio is undefined", e.Index+1, e.Side, e.Value)
}

// Median returns the median of x, which is left as it is: the middle value, or the mean of the middle two, computed so that it
// does not overflow. It fails with ErrEmpty.
func Median(x []float64) (float64, error) {
	if len(x) == 0 {
		return 0, ErrEmpty
	}
	s := slices.Sorted(slices.Values(x))
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m], nil
	}
	a, b := s[m-1], s[m]
	if sum := a + b; !math.IsInf(sum, 0) {
		return sum / 2, nil
	}
	return a/2 + b/2, nil
}

// LogRatios returns ln(arm[b]/base[b]) for each block, both process medians in the same unit and of the same length. It fails
// with an *UndefinedError for the first block whose medians are not both positive and finite.
func LogRatios(arm, base []float64) ([]float64, error) {
	if err := paired(arm, base); err != nil {
		return nil, err
	}
	v := make([]float64, len(arm))
	for b := range arm {
		if !positive(base[b]) {
			return nil, &UndefinedError{b, "base", base[b]}
		}
		if !positive(arm[b]) {
			return nil, &UndefinedError{b, "arm", arm[b]}
		}
		v[b] = math.Log(arm[b] / base[b])
	}
	return v, nil
}

func paired(arm, base []float64) error {
	if len(arm) != len(base) {
		return fmt.Errorf("%d medians of the arm beside %d of the base: blocks are compared in pairs", len(arm), len(base))
	}
	return nil
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Differences returns arm[b]-base[b] for each block. It fails with an *UndefinedError for a median that is not finite.
func Differences(arm, base []float64) ([]float64, error) {
	if err := paired(arm, base); err != nil {
		return nil, err
	}
	v := make([]float64, len(arm))
	for b := range arm {
		for _, s := range []struct {
			side  string
			value float64
		}{{"base", base[b]}, {"arm", arm[b]}} {
			if math.IsNaN(s.value) || math.IsInf(s.value, 0) {
				return nil, &UndefinedError{b, s.side, s.value}
			}
		}
		v[b] = arm[b] - base[b]
	}
	return v, nil
}

// Mean returns the mean of v, added up in index order; 0 for no values. Where the sum would overflow, the shares are added up.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	if !math.IsInf(sum, 0) {
		return sum / float64(len(v))
	}
	sum = 0
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

// LeaveOneOut returns the mean with each block left out, in block order; nil for fewer than two blocks.
func LeaveOneOut(v []float64) []float64 {
	if len(v) < 2 {
		return nil
	}
	out := make([]float64, len(v))
	rest := make([]float64, 0, len(v)-1)
	for i := range v {
		rest = append(append(rest[:0], v[:i]...), v[i+1:]...)
		out[i] = Mean(rest)
	}
	return out
}

// spread returns the standard deviation of v with n-1 degrees of freedom; v has two values or more. It is exactly 0 where all
// values are equal, whatever the rounding of their mean, and squares neither overflow nor vanish.
func spread(v []float64) float64 {
	if slices.Min(v) == slices.Max(v) {
		return 0
	}
	mean, largest := Mean(v), 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x-mean))
	}
	sum := 0.0
	for _, x := range v {
		d := (x - mean) / largest
		sum += d * d
	}
	return largest * math.Sqrt(sum/float64(len(v)-1))
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
