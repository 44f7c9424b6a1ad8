package host_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/host"
)

func n(v uint64) *uint64 { return &v }

func TestReadCounters(t *testing.T) {
	want := host.Counters{
		Steal:     map[int]uint64{0: 10, 3: 20},
		Pressure:  map[string]uint64{"cpu some": 8452266, "cpu full": 0},
		Throttled: n(0), ThrottledUS: n(0), Switches: n(1000),
	}
	if diff := cmp.Diff(want, host.ReadCounters(files(metal))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	v1 := with(map[string]string{
		"proc/self/cgroup":    "3:cpu:/job\n",
		"proc/self/mountinfo": "1 0 0:1 / /cg rw - cgroup cgroup rw,cpu\n",
		"cg/job/cpu.stat":     "nr_periods 9\nnr_throttled 3\nthrottled_time 5000999\n",
		"proc/pressure/cpu":   "some avg10=0.00 total=x\n",
		"proc/stat":           "cpu0 1 2 3\ncpux 1 2 3 4 5 6 7 8 9\n\nctxt\n",
	})
	want = host.Counters{Throttled: n(3), ThrottledUS: n(5000)} // version 1 counts ns; what is malformed is unknown
	if diff := cmp.Diff(want, host.ReadCounters(v1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSince(t *testing.T) {
	before := host.Counters{
		Steal:    map[int]uint64{0: 10, 1: 10, 2: 5},
		Pressure: map[string]uint64{"cpu some": 100, "io some": 7},
		Switches: n(50), Throttled: n(3),
	}
	after := host.Counters{
		Steal:    map[int]uint64{0: 10, 1: 25, 2: 4, 3: 9}, // 2 ran backwards, 3 came online
		Pressure: map[string]uint64{"cpu some": 350},
		Switches: n(49), Throttled: n(3), ThrottledUS: n(8),
	}
	want := host.Counters{
		Steal:     map[int]uint64{0: 0, 1: 15},
		Pressure:  map[string]uint64{"cpu some": 250},
		Throttled: n(0),
	}
	if diff := cmp.Diff(want, after.Since(before)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(host.Counters{}, after.Since(host.Counters{})); diff != "" {
		t.Errorf("since unknown (-want +got):\n%s", diff)
	}
}
