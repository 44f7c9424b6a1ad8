package directory_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/directory"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/tuple"
)

func allocate(t *testing.T, db fdb.Database, a *directory.Allocator) (n int64) {
	t.Helper()
	in(t, db, func(tr fdb.Transaction) (err error) { n, err = a.Allocate(ctx, tr); return })
	return n
}

// The windows: 31 numbers each of 64, up to 255; then 511 each of 1,024. A draw is counted before the window is looked at.
func TestWindows(t *testing.T) {
	db := embedded.New(embedded.Options{})
	a := &directory.Allocator{Prefix: []byte("a"), Random: rand.New(rand.NewPCG(1, 2)).Int64N}
	seen := map[int64]bool{}
	for i := range 31*4 + 511 + 5 {
		n := allocate(t, db, a)
		if seen[n] {
			t.Fatalf("%d was given twice", n)
		}
		seen[n] = true
		low, size := int64(i/31*64), int64(64)
		if i >= 31*4 {
			low, size = 256+int64((i-31*4)/511)*1024, 1024
		}
		if n < low || n >= low+size {
			t.Fatalf("draw %d gives %d; want one of [%d, %d)", i+1, n, low, low+size)
		}
	}
}

func TestLargeWindows(t *testing.T) {
	for start, size := range map[int64]int64{254: 64, 255: 1024, 65534: 1024, 65535: 8192, 1 << 40: 8192} {
		db := embedded.New(embedded.Options{})
		a := &directory.Allocator{Random: func(n int64) int64 {
			if n != size {
				t.Errorf("at %d: a window of %d, want %d", start, n, size)
			}
			return n - 1
		}}
		in(t, db, func(tr fdb.Transaction) error { a.Seed(tr, start); return nil })
		if n := allocate(t, db, a); n != start+size-1 {
			t.Errorf("at %d: %d", start, n)
		}
	}
}

// A seeded counter: 93 numbers of two bytes, then the first of three.
func TestSeed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		db := embedded.New(embedded.Options{})
		a := &directory.Allocator{Prefix: []byte("a"), Random: r.Int64N}
		in(t, db, func(tr fdb.Transaction) error { a.Seed(tr, 64); return nil })
		for i := range 94 {
			want := 2
			if i == 93 {
				want = 3
			}
			if n := allocate(t, db, a); len(tuple.Tuple{n}.Pack()) != want {
				t.Fatalf("draw %d gives %d; want %d bytes", i+1, n, want)
			}
		}
	}
}

func TestDamagedCounters(t *testing.T) {
	for what, key := range map[string][]byte{
		"a key that is no tuple":    []byte("a\x14\x50"),
		"a key of another type":     append([]byte("a"), tuple.Tuple{0, "x"}.Pack()...),
		"a key with more than that": append([]byte("a"), tuple.Tuple{0, 64, 1}.Pack()...),
	} {
		db := embedded.New(embedded.Options{})
		in(t, db, func(tr fdb.Transaction) error { tr.Set(key, make([]byte, 8)); return nil })
		a := &directory.Allocator{Prefix: []byte("a")}
		if n, err := a.Allocate(ctx, db.Begin()); err == nil {
			t.Errorf("%s: gives %d", what, n)
		}
	}
}

// band gives the counts that a binomial variable of n trials leaves with a probability below tail on each side.
func band(n int, p, tail float64) (low, high int) {
	mass := func(k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	sum := 0.0
	for low = 0; sum+mass(low) < tail; low++ {
		sum += mass(low)
	}
	sum = 0
	for high = n; sum+mass(high) < tail; high-- {
		sum += mass(high)
	}
	return low, high
}

// The lengths of prefixes that are made of several numbers, over fresh stores. Numbers of one allocator differ, so that at
// most one is 0, the only number of one byte in the first window: with k of them P(shorter) = k/64 exactly. With an
// allocator for each, P(j shorter of 3) is binomial.
func TestPrefixLengths(t *testing.T) {
	const stores = 6000
	binomial := func(j int) float64 {
		choose := []float64{1, 3, 3, 1}[j]
		return choose * math.Pow(1.0/64, float64(j)) * math.Pow(63.0/64, float64(3-j))
	}
	for _, c := range []struct {
		what    string
		numbers int
		own     bool // an allocator for each number
		want    map[int]float64
	}{
		{"one number", 1, false, map[int]float64{1: 1.0 / 64, 2: 63.0 / 64}},
		{"two numbers", 2, false, map[int]float64{3: 2.0 / 64, 4: 62.0 / 64}},
		{"three numbers", 3, false, map[int]float64{5: 3.0 / 64, 6: 61.0 / 64}},
		{"four numbers", 4, false, map[int]float64{7: 4.0 / 64, 8: 60.0 / 64}},
		{"three numbers of three allocators", 3, true, map[int]float64{4: binomial(2), 5: binomial(1), 6: binomial(0)}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r := rand.New(rand.NewPCG(641401, uint64(c.numbers)))
			counts := map[int]int{}
			for range stores {
				db := embedded.New(embedded.Options{})
				length := 0
				for i := range c.numbers {
					a := &directory.Allocator{Prefix: []byte("a"), Random: r.Int64N}
					if c.own {
						a.Prefix = []byte{byte(i)}
					}
					length += len(tuple.Tuple{allocate(t, db, a)}.Pack())
				}
				counts[length]++
			}
			for length, p := range c.want {
				low, high := band(stores, p, 1e-4)
				if counts[length] < low || counts[length] > high {
					t.Errorf("%d bytes: %d of %d stores; want %d to %d (p = %.4f)", length, counts[length], stores, low, high, p)
				}
			}
			for length, n := range counts {
				if c.want[length] == 0 && !c.own {
					t.Errorf("%d bytes: %d stores; want none", length, n)
				}
			}
			t.Logf("%v of %d", counts, stores)
		})
	}
}

// The depth of a path does not change the leaf's length: 1 byte with 1/64.
func TestLeafOfAPath(t *testing.T) {
	const stores = 2000
	r := rand.New(rand.NewPCG(391706, 1))
	short := 0
	for range stores {
		db := embedded.New(embedded.Options{})
		if d := create(t, db, directory.New(directory.Options{Random: r.Int64N}), "db/schema", ""); len(d.Prefix) == 1 {
			short++
		}
	}
	if low, high := band(stores, 1.0/64, 1e-4); short < low || short > high {
		t.Errorf("%d of %d leaves have a prefix of one byte; want %d to %d", short, stores, low, high)
	}
}
