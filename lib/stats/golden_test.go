package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/phaselock/phaselock/lib/stats"
)

// golden reads numbers that other programs computed; each file says which and to what tolerance.
func golden[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// near holds got to want within a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), math.SmallestNonzeroFloat64)) && got != want {
		t.Errorf("%s: got %.17g, want %.17g (off by %.2g relative)", what, got, want, (got-want)/want)
	}
}

func logs(t *testing.T, blocks []string) []float64 {
	t.Helper()
	arm, base := make([]float64, len(blocks)), make([]float64, len(blocks))
	for i, s := range blocks {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		arm[i], base[i] = f, 1
	}
	v, err := stats.LogRatios(arm, base)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type exactSet struct {
	ID              string
	N               int
	Blocks          []string
	GM              float64
	ExactInverseCDF map[string]struct{ Value float64 } `json:"exact_inverse_cdf"`
	MC              map[string]struct {
		Band []float64 `json:"band_1e-6"`
	} `json:"mc_B20000_order_stats"`
}

func exactSets(t *testing.T) []exactSet {
	sets := golden[struct{ Sets []exactSet }](t, "exact_bootstrap.json").Sets
	if len(sets) < 10 {
		t.Fatalf("only %d sets were read", len(sets))
	}
	return sets
}

func TestGeometricMean(t *testing.T) {
	for _, s := range exactSets(t) {
		near(t, s.ID, math.Exp(stats.Mean(logs(t, s.Blocks))), s.GM, 1e-12)
	}
}

func TestExactPercentile(t *testing.T) {
	compared := 0
	for _, s := range exactSets(t) {
		v := logs(t, s.Blocks)
		for _, l := range []struct {
			level     float64
			low, high string
		}{{0.95, "0.025", "0.975"}, {0.9, "0.05", "0.95"}, {0.99, "0.005", "0.995"}} {
			low, high, ok := stats.ExactPercentile(v, l.level)
			if ok != (s.N <= 8) {
				t.Errorf("%s: ok = %v at n = %d", s.ID, ok, s.N)
			}
			wl, has := s.ExactInverseCDF[l.low]
			if !ok || !has {
				continue
			}
			compared++
			near(t, s.ID+" "+l.low, math.Exp(low), wl.Value, 1e-12)
			near(t, s.ID+" "+l.high, math.Exp(high), s.ExactInverseCDF[l.high].Value, 1e-12)
		}
	}
	if compared < 20 {
		t.Errorf("only %d intervals were compared", compared)
	}
}

// A correct Monte Carlo of 20,000 resamples lies in the bands with probability 1-1e-6, whatever its seed.
func TestPercentileLiesInTheBands(t *testing.T) {
	seeds := int64(100)
	for _, s := range exactSets(t) {
		v := logs(t, s.Blocks)
		low, high := s.MC["500"].Band, s.MC["19500"].Band
		if len(low) != 2 || len(high) != 2 {
			t.Fatalf("%s: no bands", s.ID)
		}
		for seed := range seeds {
			b, err := stats.NewBootstrap(len(v), 20000, seed)
			if err != nil {
				t.Fatal(err)
			}
			l, h, err := b.Percentile(v, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []struct {
				end  string
				got  float64
				band []float64
			}{{"low", math.Exp(l), low}, {"high", math.Exp(h), high}} {
				if e.got < e.band[0]*(1-1e-12) || e.got > e.band[1]*(1+1e-12) {
					t.Errorf("%s, seed %d: %s end %.17g outside [%.17g, %.17g]", s.ID, seed, e.end, e.got, e.band[0], e.band[1])
				}
			}
		}
	}
}

type intervalSet struct {
	ID        string
	Blocks    []string
	TInterval struct{ Lo, Hi, P float64 } `json:"t_interval_log"`
	SignFlip  struct {
		P         float64 `json:"p_two_sided"`
		MinP      float64 `json:"min_two_sided_p"`
		Inversion *struct {
			K        int
			Lo, Hi   float64
			Achieved float64 `json:"achieved_level"`
		} `json:"inversion_ci"`
	} `json:"sign_flip"`
	LeaveOneOut []float64 `json:"leave_one_out_gm"`
}

func TestStudentAndSignFlipAgainstR(t *testing.T) {
	sets := golden[struct{ Sets []intervalSet }](t, "intervals_r.json").Sets
	if len(sets) < 10 {
		t.Fatalf("only %d sets were read", len(sets))
	}
	for _, s := range sets {
		if s.ID == "constant_n6" {
			continue // R refuses equal blocks; see TestEqualBlocks
		}
		t.Run(s.ID, func(t *testing.T) {
			v := logs(t, s.Blocks)
			low, high, err := stats.StudentT(v, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "t low", math.Exp(low), s.TInterval.Lo, 1e-9)
			near(t, "t high", math.Exp(high), s.TInterval.Hi, 1e-9)
			near(t, "t p", stats.PairedTP(v), s.TInterval.P, 1e-9)
			r, ok := stats.SignFlip(v, 0.95)
			if !ok {
				t.Fatal("no sign flips")
			}
			near(t, "sign-flip p", r.P, s.SignFlip.P, 1e-12)
			near(t, "least p", r.MinP, s.SignFlip.MinP, 1e-12)
			c := s.SignFlip.Inversion
			if c == nil || r.Exists != (len(v) >= 6) {
				t.Fatalf("%+v, golden %+v", r, c)
			}
			near(t, "sign-flip low", math.Exp(r.Low), c.Lo, 1e-9)
			near(t, "sign-flip high", math.Exp(r.High), c.Hi, 1e-9)
			near(t, "achieved level", r.Level, c.Achieved, 1e-12)
			for i, l := range stats.LeaveOneOut(v) {
				near(t, fmt.Sprintf("without block %d", i+1), math.Exp(l), s.LeaveOneOut[i], 1e-9)
			}
		})
	}
}

func TestStudentAgainstScipy(t *testing.T) {
	sets := golden[struct {
		Sets []struct {
			ID         string
			GM         float64
			Percentile []float64
			TLog       []float64 `json:"t_log"`
		}
	}](t, "intervals_exact.json").Sets
	blocks := map[string][]string{}
	for _, s := range exactSets(t) {
		blocks[s.ID] = s.Blocks
	}
	compared := 0
	for _, s := range sets {
		v := logs(t, blocks[s.ID])
		low, high, err := stats.StudentT(v, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.TLog) == 0 {
			t.Logf("%s: no t interval (constant blocks)", s.ID)
			continue
		}
		compared++
		// scipy 1.10's t quantile is good to ten digits; ours is held to R's and to its own inverse elsewhere
		near(t, s.ID+" t low", math.Exp(low), s.TLog[0], 1e-8)
		near(t, s.ID+" t high", math.Exp(high), s.TLog[1], 1e-8)
		if low, high, ok := stats.ExactPercentile(v, 0.95); ok {
			near(t, s.ID+" exact low", math.Exp(low), s.Percentile[0], 1e-10)
			near(t, s.ID+" exact high", math.Exp(high), s.Percentile[1], 1e-10)
		}
	}
	if compared < 10 {
		t.Errorf("only %d sets were compared", compared)
	}
}

func TestFamiliesAgainstR(t *testing.T) {
	g := golden[struct {
		PAdjust map[string]struct {
			P        json.RawMessage
			Holm, BH json.RawMessage
		} `json:"p_adjust"`
	}](t, "tests_r.json")
	compared := 0
	for name, c := range g.PAdjust {
		p, holm, bh := numbers(c.P), numbers(c.Holm), numbers(c.BH)
		if p == nil {
			continue // has a missing value, which our comparisons never have: they are left out before
		}
		compared++
		for i, x := range stats.Holm(p) {
			near(t, fmt.Sprintf("%s: Holm %d", name, i), x, holm[i], 1e-9)
		}
		for i, x := range stats.BenjaminiHochberg(p) {
			near(t, fmt.Sprintf("%s: BH %d", name, i), x, bh[i], 1e-9)
		}
	}
	if compared < 9 {
		t.Errorf("only %d families were compared", compared)
	}
}

// numbers reads a list of numbers or a single one; nil where one is missing.
func numbers(raw json.RawMessage) []float64 {
	var list []*float64
	if json.Unmarshal(raw, &list) != nil {
		var one float64
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		return []float64{one}
	}
	out := make([]float64, 0, len(list))
	for _, x := range list {
		if x == nil {
			return nil
		}
		out = append(out, *x)
	}
	return out
}

func TestMediansAgainstR(t *testing.T) {
	g := golden[struct {
		Medians map[string]struct {
			X      json.RawMessage
			Median float64
		}
		T975 []struct {
			DF   int
			T975 float64
		}
	}](t, "tests_r.json")
	if len(g.Medians) < 8 || len(g.T975) < 20 {
		t.Fatalf("%d medians and %d quantiles were read", len(g.Medians), len(g.T975))
	}
	for name, c := range g.Medians {
		x := numbers(c.X)
		got, err := stats.Median(x)
		if err != nil || got != c.Median {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.Median)
		}
	}
	for _, c := range g.T975 {
		near(t, fmt.Sprintf("t at %d degrees", c.DF), stats.StudentQuantile(0.95, c.DF), c.T975, 1e-9)
	}
}
