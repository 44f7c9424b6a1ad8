package lookup

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

var sizes = []int{4, 16, 64, 256}

// BenchmarkLookup looks 1,024 keys up in each iteration: all of them found, or none.
// The number that was found is printed, so that every process is held to it.
func BenchmarkLookup(b *testing.B) {
	for _, keys := range sizes {
		for _, found := range []bool{true, false} {
			name := fmt.Sprintf("keys=%d/found=%t", keys, found)
			b.Run("kind=int/"+name, func(b *testing.B) { tables(b, Ints, keys, found) })
			b.Run("kind=string/"+name, func(b *testing.B) { tables(b, Strings, keys, found) })
		}
	}
}

func tables[K comparable](b *testing.B, drawn func(int) (keys, others []K), n int, found bool) {
	keys, others := drawn(n)
	t := NewTable(keys)
	questions := Ask(others)
	if found {
		questions = Ask(keys)
	}
	for _, table := range []struct {
		name   string
		lookup func([]K) int
	}{{"map", t.InMap}, {"scan", t.InSlice}} {
		b.Run("table="+table.name, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = table.lookup(questions)
			}
			b.ReportMetric(float64(hits), "hits/op")
		})
	}
}

func TestTablesAgree(t *testing.T) {
	for _, n := range sizes {
		agree(t, Ints, n)
		agree(t, Strings, n)
	}
}

func agree[K cmp.Ordered](t *testing.T, drawn func(int) (keys, others []K), n int) {
	t.Helper()
	keys, others := drawn(n)
	all := slices.Concat(keys, others)
	slices.Sort(all)
	if len(keys) != n || len(others) != n || len(slices.Compact(all)) != 2*n {
		t.Fatalf("%d keys and %d others, want %d of each and all distinct", len(keys), len(others), n)
	}
	again, _ := drawn(n)
	if !slices.Equal(keys, again) {
		t.Errorf("%d keys: they differ when they are drawn again", n)
	}
	table := NewTable(keys)
	for _, tt := range []struct {
		questions []K
		want      int
	}{{keys, n}, {others, 0}, {all[:0], 0}, {Ask(keys), Questions}, {Ask(others), 0}} {
		for name, lookup := range map[string]func([]K) int{"map": table.InMap, "scan": table.InSlice} {
			if got := lookup(tt.questions); got != tt.want {
				t.Errorf("%d keys, %d questions: %s finds %d, want %d", n, len(tt.questions), name, got, tt.want)
			}
		}
	}
}

func TestStringsHaveOneLength(t *testing.T) {
	keys, _ := Strings(64)
	for _, k := range keys {
		if len(k) != 18 {
			t.Errorf("%q has %d bytes, want 18", k, len(k))
		}
	}
}
