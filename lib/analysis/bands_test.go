package analysis_test

import (
	"strconv"
	"testing"
)

func TestPercentileBands(t *testing.T) {
	var golden struct {
		Sets []struct {
			ID       string
			Blocks   []string
			GM       float64
			Exact    [2]float64
			BandLow  [2]float64 `json:"band_low"`
			BandHigh [2]float64 `json:"band_high"`
		}
	}
	readJSON(t, "bands.json", &golden)
	if len(golden.Sets) != 12 {
		t.Fatalf("%d sets, want 12", len(golden.Sets))
	}
	for _, s := range golden.Sets {
		t.Run(s.ID, func(t *testing.T) {
			n := len(s.Blocks)
			arm, base := make([]float64, n), make([]float64, n)
			for i, v := range s.Blocks {
				f, err := strconv.ParseFloat(v, 64)
				if err != nil {
					t.Fatal(err)
				}
				arm[i], base[i] = f, 1
			}
			x := newExperiment(n, 1, "base", "arm").medians("ns/op", map[string][]float64{"arm": arm, "base": base})
			for seed := range int64(100) {
				x.percentile(20000, seed)
				c := comparison(t, x.analyze(t), "only", "ns/op", "arm")
				if seed == 0 {
					near(t, "estimate", c.Estimate, s.GM)
					near(t, "exact limit, low", c.Unregistered.ExactPercentile.Low, s.Exact[0])
					near(t, "exact limit, high", c.Unregistered.ExactPercentile.High, s.Exact[1])
				}
				inBand(t, seed, *c.Interval.Low, s.BandLow)
				inBand(t, seed, *c.Interval.High, s.BandHigh)
				if c.Interval.Resamples != 20000 || *c.Interval.Seed != seed {
					t.Fatalf("interval %+v does not say what made it", c.Interval)
				}
			}
		})
	}
}

func inBand(t *testing.T, seed int64, v float64, band [2]float64) {
	t.Helper()
	if v < band[0]*(1-1e-12) || v > band[1]*(1+1e-12) {
		t.Errorf("seed %d: end %.17g is outside the band %v", seed, v, band)
	}
}
