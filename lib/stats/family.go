package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p values adjusted for their number by Holm's step-down method (1979), in the given order.
func Holm(p []float64) []float64 {
	out := make([]float64, len(p))
	most := 0.0
	for i, j := range ascending(p) {
		most = max(most, min(1, p[j]*float64(len(p)-i)))
		out[j] = most
	}
	return out
}

// BenjaminiHochberg returns the p values adjusted to control the false discovery rate (Benjamini and Hochberg 1995), in the given
// order.
func BenjaminiHochberg(p []float64) []float64 {
	out := make([]float64, len(p))
	least := 1.0
	order := ascending(p)
	for i := len(order) - 1; i >= 0; i-- {
		j := order[i]
		least = min(least, p[j]*float64(len(p))/float64(i+1))
		out[j] = least
	}
	return out
}

// ascending returns the indices of p from the smallest p to the largest.
func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
