package stats

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The k-th smallest is what sorting would put there, ties, signed zeros and infinities included.
func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }))
		x := rapid.SliceOfN(value, 1, 60).Draw(t, "x")
		k := rapid.IntRange(1, len(x)).Draw(t, "k")
		want := slices.Sorted(slices.Values(x))[k-1]
		if got := smallest(slices.Clone(x), int64(k)); got != want {
			t.Fatalf("%d-th smallest of %v is %v, want %v", k, x, got, want)
		}
	})
}

func TestRanks(t *testing.T) {
	for _, tc := range []struct {
		level     float64
		total     int64
		low, high int64
	}{
		{0.95, 20000, 500, 19500}, // 501 in doubles
		{0.9, 20000, 1000, 19000},
		{0.95, 46656, 1167, 45490}, // 1166.4 and 45489.6
		{0.99, 100, 1, 100},        // 0.5 and 99.5
		{0.95, 1, 1, 1},
		{0, 10, 5, 5},
		{1, 10, 1, 10},
		{1.5, 10, 1, 10}, // as 1
		{-2, 10, 5, 5},   // as 0
		{1e-7, 20000, 10000, 10001},
	} {
		if low, high := ranks(tc.level, tc.total); low != tc.low || high != tc.high {
			t.Errorf("level %v of %d: ranks %d and %d, want %d and %d", tc.level, tc.total, low, high, tc.low, tc.high)
		}
	}
}
