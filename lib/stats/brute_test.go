package stats_test

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"testing"

	"github.com/phaselock/phaselock/lib/rng"
	"github.com/phaselock/phaselock/lib/stats"
)

// effects returns n numbers in [-1, 1) shifted, with a tie.
func effects(n int, shift float64) []float64 {
	s := rng.New("effects", int64(n))
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(s.Uint64()>>11)/(1<<52) - 1 + shift
	}
	if n > 4 {
		v[3] = v[1]
	}
	return v
}

// The definition, word for word: resamples drawn one by one, their means sorted, the ranks 500 and 19,500 of 20,000 at 95%.
// 1.9 million resamples of nine blocks are more than are kept in memory.
func TestPercentileByItsDefinition(t *testing.T) {
	for _, tc := range []struct{ n, resamples, low, high int }{
		{2, 20000, 500, 19500},
		{6, 20000, 500, 19500},
		{8, 1000, 25, 975},
		{9, 20000, 500, 19500},
		{20, 20000, 500, 19500},
		{20, 777, 20, 758},
		{9, 1900000, 47500, 1852500}, // 777: 19.425 and 757.575
	} {
		v := effects(tc.n, 0.3)
		s := rng.New("bootstrap/"+strconv.Itoa(tc.n), 391706)
		means := make([]float64, tc.resamples)
		for r := range means {
			counts := make([]int, tc.n)
			for range tc.n {
				counts[s.Bounded(uint64(tc.n))]++
			}
			for i, k := range counts {
				means[r] += float64(k) * v[i]
			}
			means[r] /= float64(tc.n)
		}
		slices.Sort(means)
		b, err := stats.NewBootstrap(tc.n, tc.resamples, 391706)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the same again: nothing is used up
			low, high, err := b.Percentile(v, 0.95)
			if err != nil || low != means[tc.low-1] || high != means[tc.high-1] {
				t.Errorf("%d resamples of %d blocks: [%v, %v] %v, want [%v, %v]", tc.resamples, tc.n, low, high, err, means[tc.low-1], means[tc.high-1])
			}
		}
	}
}

// The interval inverts the test: it holds exactly those means whose sign-flip p does not fall below 1 - its level, up to 20 blocks.
func TestSignFlipIntervalInvertsItsTest(t *testing.T) {
	for n := 1; n <= 20; n++ {
		v := effects(n, 0.3)
		r, ok := stats.SignFlip(v, 0.95)
		if !ok || r.Exists != (n >= 6) {
			t.Fatalf("%d blocks: %+v, %v", n, r, ok)
		}
		least := 2 * float64(int(math.Ldexp(0.025, n)))
		if n < 6 {
			least = 2
		}
		if want := 1 - math.Ldexp(least, -n); r.Level != want {
			t.Errorf("%d blocks: covers %v, want %v", n, r.Level, want)
		}
		p := func(mean float64) float64 {
			moved := make([]float64, n)
			for i := range v {
				moved[i] = v[i] - mean
			}
			r, _ := stats.SignFlip(moved, 0.95)
			return r.P
		}
		const step = 1e-9
		if n > 1 && p(r.Low+step) <= 1-r.Level || p(r.Low-step) > 1-r.Level {
			t.Errorf("%d blocks: p is %v just above the low end, %v just below; the level leaves %v", n, p(r.Low+step), p(r.Low-step), 1-r.Level)
		}
		if n > 1 && p(r.High-step) <= 1-r.Level || p(r.High+step) > 1-r.Level {
			t.Errorf("%d blocks: p is %v just below the high end, %v just above; the level leaves %v", n, p(r.High-step), p(r.High+step), 1-r.Level)
		}
	}
}

// The sign-flip p by its definition: every flip, added up one by one.
func TestSignFlipP(t *testing.T) {
	for n := 1; n <= 12; n++ {
		v := effects(n, 0.2)
		total := 0.0
		for _, x := range v {
			total += x
		}
		extreme := 0
		for set := range uint(1) << n {
			sum := 0.0
			for i, x := range v {
				if set>>i&1 == 1 {
					x = -x
				}
				sum += x
			}
			if math.Abs(sum) >= math.Abs(total)-1e-12 {
				extreme++
			}
		}
		r, _ := stats.SignFlip(v, 0.95)
		if want := math.Ldexp(float64(extreme), -n); r.P != want || r.MinP != math.Ldexp(2, -n) {
			t.Errorf("%d blocks: p %v (least %v), want %v", n, r.P, r.MinP, want)
		}
	}
}

// A level that 2k/2^n misses by less than a thousandth is still missed: 1 - 2·524/2^20 is below 0.9990006.
func TestSignFlipLevelIsNeverRounded(t *testing.T) {
	v := effects(20, 0)
	r, _ := stats.SignFlip(v, 0.9990006) // tail·2^20 = 523.9737
	if want := 1 - math.Ldexp(2*523, -20); r.Level != want || r.Level < 0.9990006 {
		t.Errorf("covers %v, want %v", r.Level, want)
	}
	means := make([]float64, 0, 1<<20)
	for set := uint(1); set < 1<<20; set++ {
		sum := 0.0
		for i, x := range v {
			if set>>i&1 == 1 {
				sum += x
			}
		}
		means = append(means, sum/float64(bits.OnesCount(set)))
	}
	slices.Sort(means)
	if r.Low != means[522] || r.High != means[len(means)-523] {
		t.Errorf("[%v, %v], want [%v, %v]", r.Low, r.High, means[522], means[len(means)-523])
	}
}

// Nothing that is no number comes in, and nothing panics: the answer is that there is no interval.
func TestNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range []int{1, 2, 6, 9, 20} {
			v := effects(n, 0)
			v[n/2] = bad
			if _, _, ok := stats.ExactPercentile(v, 0.95); ok {
				t.Errorf("exact percentile with %v", bad)
			}
			if _, ok := stats.SignFlip(v, 0.95); ok {
				t.Errorf("sign flip with %v", bad)
			}
			if _, _, err := stats.StudentT(v, 0.95); err == nil {
				t.Errorf("t with %v", bad)
			}
			if p := stats.PairedTP(v); p != 1 {
				t.Errorf("t test with %v: p %v", bad, p)
			}
			b, err := stats.NewBootstrap(n, 100, 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := b.Percentile(v, 0.95); err == nil {
				t.Errorf("percentile with %v", bad)
			}
		}
	}
}

// The largest and the smallest doubles: means and deviations neither overflow nor vanish.
func TestExtremes(t *testing.T) {
	if got := stats.Mean([]float64{1e308, 1e308, 1e308}); math.Abs(got-1e308) > 1e293 {
		t.Errorf("mean of large values %v", got)
	}
	for _, unit := range []float64{1e-200, 1, 1e200} {
		low, high, err := stats.StudentT([]float64{1 * unit, 2 * unit, 3 * unit}, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "low", low/unit, 2-4.302652729749464/math.Sqrt(3), 1e-9)
		near(t, "high", high/unit, 2+4.302652729749464/math.Sqrt(3), 1e-9)
	}
	if p := stats.PairedTP([]float64{1.7e308, -1.7e308, 1.7e308}); p != 1 {
		t.Errorf("t test beyond doubles: p %v", p)
	}
	if r, ok := stats.SignFlip([]float64{1.7e308, 1.7e308, -1.7e308, 1, 2, 3}, 0.95); !ok || r.P < 0.5 {
		t.Errorf("sign flip beyond doubles: %+v", r)
	}
}

// Two lists of unequal length are a mistake of the caller that must not read past the end.
func TestUnpaired(t *testing.T) {
	if _, err := stats.LogRatios([]float64{1, 2}, []float64{1}); err == nil {
		t.Error("log ratios of 2 and 1")
	}
	if _, err := stats.Differences([]float64{1}, []float64{1, 2}); err == nil {
		t.Error("differences of 1 and 2")
	}
	for _, bad := range [][2]int{{0, 100}, {-1, 100}, {6, 0}, {6, -1}, {1 << 16, 1}} {
		if _, err := stats.NewBootstrap(bad[0], bad[1], 1); err == nil {
			t.Errorf("a bootstrap of %d blocks with %d resamples", bad[0], bad[1])
		}
	}
}
