package main

import (
	"slices"
	"time"
)

// percentile returns the p-th percentile of the values by nearest rank: the smallest value that at least p percent of
// them do not exceed, so that it is one of them and nothing is interpolated. p is 1 to 100; there is a value at least.
func percentile(values []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	rank := (len(sorted)*p + 99) / 100 // the ceiling, in integers: 0.99*100 in floating point may lie above 99
	return sorted[rank-1]
}
