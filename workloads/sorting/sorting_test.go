package sorting

import (
	"fmt"
	"slices"
	"sort"
	"testing"
)

var implementations = []struct {
	name string
	sort func([]Record)
}{
	{"sort.Slice", func(r []Record) { sort.Slice(r, func(i, j int) bool { return Compare(r[i], r[j]) < 0 }) }},
	{"slices.SortFunc", func(r []Record) { slices.SortFunc(r, Compare) }},
}

var sizes = []int{1000, 10000}

// BenchmarkSort sorts a fresh copy of the records in each iteration; the copy is part of both sides.
// After the loop, outside the timing, the last result is checked.
func BenchmarkSort(b *testing.B) {
	for _, impl := range implementations {
		for _, rows := range sizes {
			b.Run(fmt.Sprintf("impl=%s/rows=%d", impl.name, rows), func(b *testing.B) {
				records, err := Records(rows)
				if err != nil {
					b.Fatal(err)
				}
				scratch := make([]Record, rows)
				b.ReportAllocs()
				for b.Loop() {
					copy(scratch, records)
					impl.sort(scratch)
				}
				if !slices.IsSortedFunc(scratch, Compare) {
					b.Fatal("the records are not sorted")
				}
				b.ReportMetric(float64(rows), "rows/op")
			})
		}
	}
}

// TestBothSortAlike holds the two implementations to the same result.
func TestBothSortAlike(t *testing.T) {
	for _, rows := range sizes {
		records, err := Records(rows)
		if err != nil {
			t.Fatal(err)
		}
		a, b := slices.Clone(records), slices.Clone(records)
		implementations[0].sort(a)
		implementations[1].sort(b)
		if !slices.Equal(a, b) || !slices.IsSortedFunc(a, Compare) {
			t.Errorf("%d rows: the two sorts differ", rows)
		}
		if slices.Equal(a, records) {
			t.Errorf("%d rows: the records were sorted already", rows)
		}
	}
}

func TestRecordsAsksForTooMany(t *testing.T) {
	for _, n := range []int{0, -1, 10001} {
		if _, err := Records(n); err == nil {
			t.Errorf("Records(%d): no error", n)
		}
	}
}
