package stats_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/stats"
)

// Equal blocks: every interval is the point, and nothing is not a number.
func TestEqualBlocks(t *testing.T) {
	for n := 2; n <= 12; n++ {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Log(1.25)
		}
		mean := stats.Mean(v)
		if low, high, err := stats.StudentT(v, 0.95); err != nil || low != mean || high != mean {
			t.Errorf("n = %d: t [%v, %v], %v", n, low, high, err)
		}
		b, err := stats.NewBootstrap(n, 1000, 1)
		if err != nil {
			t.Fatal(err)
		}
		low, high, err := b.Percentile(v, 0.95)
		if err != nil || math.Abs(low-mean) > 1e-15 || math.Abs(high-mean) > 1e-15 {
			t.Errorf("n = %d: percentile [%v, %v], %v", n, low, high, err)
		}
		r, ok := stats.SignFlip(v, 0.95)
		if !ok || math.Abs(r.Low-mean) > 1e-15 || math.Abs(r.High-mean) > 1e-15 || r.P != r.MinP {
			t.Errorf("n = %d: sign flip %+v", n, r)
		}
		if p := stats.PairedTP(v); p != 0 {
			t.Errorf("n = %d: p %v", n, p)
		}
	}
	if p := stats.PairedTP([]float64{0, 0, 0}); p != 1 {
		t.Errorf("no difference at all: p %v", p)
	}
}

// The sign-flip interval by hand: n and the level decide k and what it covers.
func TestSignFlipLevels(t *testing.T) {
	for _, tc := range []struct {
		n      int
		level  float64
		want   float64
		exists bool
	}{
		{1, 0.95, 0, false},
		{4, 0.95, 0.875, false},
		{5, 0.95, 0.9375, false},
		{6, 0.95, 0.96875, true},      // k = 1 of 64
		{7, 0.95, 0.953125, true},     // k = 3 of 128
		{8, 0.95, 0.953125, true},     // k = 6 of 256
		{10, 0.95, 0.951171875, true}, // k = 25 of 1024
		{4, 0.875, 0.875, true},       // 2/16 exactly
		{3, 0.5, 0.5, true},           // k = 2 of 8 exactly
	} {
		v := make([]float64, tc.n)
		for i := range v {
			v[i] = float64(1 + i*i)
		}
		r, ok := stats.SignFlip(v, tc.level)
		if !ok || r.Level != tc.want || r.Exists != tc.exists {
			t.Errorf("n = %d, level %v: %+v", tc.n, tc.level, r)
		}
		if !tc.exists && (r.Low != 1 || r.High != float64(1+(tc.n-1)*(tc.n-1))) {
			t.Errorf("n = %d: [%v, %v] is not the range", tc.n, r.Low, r.High)
		}
	}
	if _, ok := stats.SignFlip(make([]float64, 21), 0.95); ok {
		t.Error("21 blocks were enumerated")
	}
	if _, ok := stats.SignFlip(nil, 0.95); ok {
		t.Error("no blocks were enumerated")
	}
}

func TestUndefinedRatios(t *testing.T) {
	for _, tc := range []struct {
		arm, base []float64
		want      stats.UndefinedError
	}{
		{[]float64{1, 0}, []float64{1, 1}, stats.UndefinedError{Index: 1, Side: "arm", Value: 0}},
		{[]float64{3, 3}, []float64{0, 1}, stats.UndefinedError{Index: 0, Side: "base", Value: 0}},
		{[]float64{-6}, []float64{-5}, stats.UndefinedError{Index: 0, Side: "base", Value: -5}},
		{[]float64{math.Inf(1)}, []float64{1}, stats.UndefinedError{Index: 0, Side: "arm", Value: math.Inf(1)}},
	} {
		_, err := stats.LogRatios(tc.arm, tc.base)
		var u *stats.UndefinedError
		if !errors.As(err, &u) || *u != tc.want {
			t.Errorf("%v / %v: %v, want %v", tc.arm, tc.base, err, &tc.want)
		}
	}
	if v, err := stats.Differences([]float64{3, -6}, []float64{0, -5}); err != nil || v[0] != 3 || v[1] != -1 {
		t.Errorf("differences %v, %v", v, err)
	}
	if _, err := stats.Differences([]float64{math.NaN()}, []float64{0}); err == nil {
		t.Error("a difference of no number")
	}
}

func TestTooFewBlocks(t *testing.T) {
	if _, _, err := stats.StudentT([]float64{1}, 0.95); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("error %v", err)
	}
	b, err := stats.NewBootstrap(1, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Percentile([]float64{1}, 0.95); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("error %v", err)
	}
	if _, _, ok := stats.ExactPercentile([]float64{1}, 0.95); ok {
		t.Error("an exact interval of one block")
	}
	if _, err := stats.Median(nil); !errors.Is(err, stats.ErrEmpty) {
		t.Errorf("error %v", err)
	}
	if stats.Mean(nil) != 0 || stats.LeaveOneOut([]float64{1}) != nil {
		t.Error("too few values gave numbers")
	}
	if p := stats.PairedTP([]float64{1}); p != 1 {
		t.Errorf("one block has p %v", p)
	}
	for _, bad := range [][2]int{{0, 10}, {3, 0}, {-1, 1}} {
		if _, err := stats.NewBootstrap(bad[0], bad[1], 1); err == nil {
			t.Errorf("a bootstrap of %v", bad)
		}
	}
}

// The paired effect under drift: 3% beside a drift of 4% a block, which unpaired tests miss.
func TestPairedEffectUnderDrift(t *testing.T) {
	oldNs := []float64{1002.6, 1040.1, 1077.6, 1117.7, 1160.5, 1201.3, 1240.0, 1276.1, 1320.8, 1360.6}
	newNs := []float64{1033.0, 1069.6, 1112.5, 1150.3, 1195.1, 1233.7, 1277.0, 1319.8, 1366.1, 1400.4}
	v, err := stats.LogRatios(newNs, oldNs)
	if err != nil {
		t.Fatal(err)
	}
	b, err := stats.NewBootstrap(len(v), 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	low, high, err := b.Percentile(v, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]float64{{stats.Mean(v), 1.0305}, {low, 1.0291}, {high, 1.0320}} {
		if got := math.Exp(c[0]); math.Abs(got-c[1]) > 0.0001 {
			t.Errorf("got %.5f, want %.4f", got, c[1])
		}
	}
}

// Quantile and tail are each other's inverse; the exact limit is inside [min, max]; scale and sign carry through.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 8).Draw(t, "v")
		level := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.99}).Draw(t, "level")
		lo, hi := v[0], v[0]
		for _, x := range v {
			lo, hi = min(lo, x), max(hi, x)
		}
		slack := 1e-12 * max(math.Abs(lo), math.Abs(hi), 1)
		l, h, ok := stats.ExactPercentile(v, level)
		if !ok || l > h || l < lo-slack || h > hi+slack {
			t.Fatalf("exact [%v, %v] outside [%v, %v]", l, h, lo, hi)
		}
		tl, th, err := stats.StudentT(v, level)
		if err != nil || tl > stats.Mean(v)+slack || th < stats.Mean(v)-slack {
			t.Fatalf("t [%v, %v] without its mean %v", tl, th, stats.Mean(v))
		}
		negated := make([]float64, len(v))
		for i, x := range v {
			negated[i] = -x
		}
		nl, nh, _ := stats.StudentT(negated, level)
		if math.Abs(nl+th) > 1e-9 || math.Abs(nh+tl) > 1e-9 {
			t.Fatalf("t of the negated [%v, %v], of the values [%v, %v]", nl, nh, tl, th)
		}
		r, _ := stats.SignFlip(v, level)
		if r.P < r.MinP || r.P > 1 {
			t.Fatalf("p %v", r.P)
		}
	})
}

func TestTailsOfStudent(t *testing.T) {
	for df := 1; df <= 60; df++ {
		for _, level := range []float64{0.5, 0.9, 0.95, 0.999} {
			q := stats.StudentQuantile(level, df)
			// A sample of df+1 values with mean m and deviation s has t = m/(s/sqrt(n)): build one with t = q.
			n := df + 1
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(2*(i%2) - 1)
				if n%2 == 1 && i == n-1 {
					v[i] = 0
				}
			}
			s := 0.0
			for _, x := range v {
				s += x * x
			}
			s = math.Sqrt(s / float64(n-1))
			for i := range v {
				v[i] += q * s / math.Sqrt(float64(n))
			}
			p := stats.PairedTP(v)
			near(t, "p at the quantile", p, 1-level, 1e-9)
		}
	}
}

func BenchmarkPercentile(b *testing.B) {
	for _, n := range []int{6, 8, 20} {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(i*i%7) / 100
		}
		b.Run("blocks="+string(rune('0'+n/10))+string(rune('0'+n%10)), func(b *testing.B) {
			boot, err := stats.NewBootstrap(n, 20000, 1)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := boot.Percentile(v, 0.95); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSignFlip(b *testing.B) {
	v := make([]float64, 20)
	for i := range v {
		v[i] = float64(i*i%7) / 100
	}
	for b.Loop() {
		stats.SignFlip(v, 0.95)
	}
}
