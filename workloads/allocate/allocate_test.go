package allocate

import (
	"runtime"
	"testing"
)

// The live heap of the benchmark: 100 trees of 8,191 nodes, about 63 MiB. A process that stays below what phaselock itself needs has
// no max-rss-bytes; this is well above.
const (
	trees = 100
	depth = 13
)

// BenchmarkReplace replaces one tree in each iteration. Outside the timing it collects what making the heap has left, so that
// every loop starts alike, and counts the collections that ended during the loop and the nodes that live after it.
func BenchmarkReplace(b *testing.B) {
	h, err := New(trees, depth)
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	before := collections()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		h.Replace(i)
		i++
	}
	b.ReportMetric(float64(collections()-before)/float64(i), "collections/op")
	want := trees * (1<<depth - 1)
	if got := h.Count(); got != want {
		b.Fatalf("%d nodes are live, want %d", got, want)
	}
	b.ReportMetric(float64(want), "live-nodes")
}

// collections returns how many garbage collections the process has completed.
func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func TestReplaceKeepsTheSize(t *testing.T) {
	h, err := New(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	if h.Count() != 45 {
		t.Errorf("%d nodes, want 45", h.Count())
	}
	old := h.trees[1]
	h.Replace(4)
	if h.trees[1] == old || h.Count() != 45 {
		t.Errorf("the tree was not replaced, or %d nodes are not 45", h.Count())
	}
}

func TestSizesThatCannotBe(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {1, 25}, {-1, 3}} {
		if _, err := New(c[0], c[1]); err == nil {
			t.Errorf("%d trees of depth %d were made", c[0], c[1])
		}
	}
}
