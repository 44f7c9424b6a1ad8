package histogram_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/phaselock/phaselock/workloads/histogram"
)

// golden are percentiles that other programs computed: the exact nearest rank, and the rule of HdrHistogram without its rounding of ranks.
type golden struct {
	Sets []struct {
		ID     string
		N      int
		Values []int64
		Max    int64
		Mean   float64
		HDR    struct{ Python map[string]int64 } `json:"hdr_sig3"`
	}
	Omission struct {
		Corrected map[string]int64 `json:"corrected_exact"`
		HDR       map[string]int64 `json:"hdr_python_corrected"`
	} `json:"coordinated_omission"`
}

func read(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/histograms.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

var perMille = map[string]int{"50": 500, "90": 900, "95": 950, "99": 990, "99.9": 999}

func hold(t *testing.T, id string, h *histogram.Histogram, want map[string]int64) {
	t.Helper()
	for name, p := range perMille {
		// A percentile is never reported above the exact maximum.
		if got := int64(h.PerMille(p)); got != min(want[name], int64(h.Max())) {
			t.Errorf("%s: p%s is %d, want %d", id, name, got, want[name])
		}
	}
}

func TestGolden(t *testing.T) {
	sets := 0
	for _, set := range read(t).Sets {
		values := set.Values
		switch set.ID {
		case "seq_1_10000":
			for v := int64(1); v <= 10000; v++ {
				values = append(values, v)
			}
		case "seq_1_160_rank_trap":
			for v := int64(1); v <= 160; v++ {
				values = append(values, v*1_000_000)
			}
		case "constant_777":
			for range set.N {
				values = append(values, 777)
			}
		}
		if len(values) == 0 {
			continue // made by a generator that is not here
		}
		if len(values) != set.N {
			t.Fatalf("%s has %d values, want %d", set.ID, len(values), set.N)
		}
		sets++
		var whole, half histogram.Histogram
		for i, v := range values {
			h := &whole
			if i%2 == 0 {
				h = &half
			}
			if err := h.Record(time.Duration(v)); err != nil {
				t.Fatal(err)
			}
		}
		whole.Add(&half) // as workers are put together
		hold(t, set.ID, &whole, set.HDR.Python)
		if int64(whole.Max()) != set.Max || math.Abs(float64(whole.Mean())-set.Mean) > 1 || whole.Count() != int64(set.N) {
			t.Errorf("%s: max %d, mean %d, n %d; want %d, %v, %d", set.ID, whole.Max(), whole.Mean(), whole.Count(), set.Max, set.Mean, set.N)
		}
	}
	if sets < 6 {
		t.Errorf("%d sets were looked at", sets)
	}
}

func TestEmptyAndRefused(t *testing.T) {
	var h histogram.Histogram
	h.Add(&histogram.Histogram{})
	if h.PerMille(500) != 0 || h.Max() != 0 || h.Mean() != 0 || h.Count() != 0 {
		t.Error("an empty one has something")
	}
	for _, d := range []time.Duration{-1, time.Hour + 1} {
		if h.Record(d) == nil {
			t.Errorf("%v was recorded", d)
		}
	}
	if err := h.Record(0); err != nil || h.Count() != 1 {
		t.Errorf("0: %v", err)
	}
}
