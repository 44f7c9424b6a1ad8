//go:build unix

package spawn_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/spawn"
)

func TestParseCPUs(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []int
		says string // of the error; "" for none
	}{
		{"", nil, ""},
		{" \n", nil, ""},
		{"0", []int{0}, ""},
		{"0-3,8", []int{0, 1, 2, 3, 8}, ""},
		{"8,0-3", []int{0, 1, 2, 3, 8}, ""},
		{"2-4,3-5,3", []int{2, 3, 4, 5}, ""},
		{"5-5", []int{5}, ""},
		{" 1 - 2 , 4 \n", []int{1, 2, 4}, ""},
		{"4-2", nil, "write 2-4"},
		{"2-", nil, `"" is not a CPU number`},
		{"-2", nil, `"" is not a CPU number`},
		{"1,,2", nil, `"" is not a CPU number`},
		{"1,", nil, `"" is not a CPU number`},
		{"auto", nil, `"auto" is not a CPU number`},
		{"0x1", nil, `"0x1" is not a CPU number`},
		{"+1", nil, `"+1" is not a CPU number`},
		{"1-2-3", nil, `"2-3" is not a CPU number`},
		{"0-4000000000", nil, `"4000000000" is not a CPU number`},
		{"99999999999999999999", nil, "is not a CPU number"},
	} {
		got, err := spawn.ParseCPUs(tt.list)
		switch {
		case tt.says == "" && (err != nil || !slices.Equal(got, tt.want)):
			t.Errorf("%q: %v, %v; want %v", tt.list, got, err, tt.want)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%q: %v, %v; want an error that says %q", tt.list, got, err, tt.says)
		}
	}
}

func TestFormatCPUs(t *testing.T) {
	for want, cpus := range map[string][]int{
		"": nil, "7": {7}, "0-1": {0, 1}, "0-3,8": {0, 1, 2, 3, 8}, "1,3,5": {5, 3, 1, 3}, "9-11,200": {200, 10, 11, 9},
	} {
		if got := spawn.FormatCPUs(cpus); got != want {
			t.Errorf("%v: %q, want %q", cpus, got, want)
		}
	}
}

func TestCPUListRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cpus := rapid.SliceOf(rapid.IntRange(0, 300)).Draw(t, "cpus")
		want := slices.Compact(slices.Sorted(slices.Values(cpus)))
		list := spawn.FormatCPUs(cpus)
		got, err := spawn.ParseCPUs(list)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v became %q, %v, %v", cpus, list, got, err)
		}
		if again := spawn.FormatCPUs(got); again != list {
			t.Fatalf("%q is not canonical: %q", list, again)
		}
	})
}

func TestChoose(t *testing.T) {
	pairs := func(cpu int) []int { return []int{cpu % 4, cpu%4 + 4} } // 8 CPUs on 4 cores: 0 and 4, 1 and 5, …
	alone := func(cpu int) []int { return []int{cpu} }
	unknown := func(int) []int { return nil }
	for _, tt := range []struct {
		name, spec       string
		allowed, harness []int
		siblings         func(int) []int
		want             []int
		says             string
	}{
		{"unpinned", "", []int{0, 1}, []int{0}, alone, nil, ""},
		{"explicit", "2-4,7", []int{0, 2, 3, 4, 7}, []int{0}, alone, []int{2, 3, 4, 7}, ""},
		{"explicit, out of order", "7,2", []int{2, 7}, nil, alone, []int{2, 7}, ""},
		{"one outside", "1-2", []int{2, 4}, nil, alone, nil, "CPU 1 is not allowed here; the allowed CPUs are 2,4"},
		{"several outside", "0-9", []int{2, 4}, nil, alone, nil, "CPUs 0-1,3,5-9 are not allowed here; the allowed CPUs are 2,4"},
		{"a list of nothing", " ", []int{2, 4}, nil, alone, nil, "the allowed CPUs are 2,4"},
		{"no list", "both", []int{0, 1}, nil, alone, nil, `"both" is not a CPU number`},
		{"auto on two", "auto", []int{0, 1}, []int{0}, alone, []int{1}, ""},
		{"auto on two, the other way", "auto", []int{0, 1}, []int{1}, alone, []int{0}, ""},
		{"auto in a cpuset", "auto", []int{2, 4}, []int{2}, alone, []int{4}, ""},
		{"auto without harness", "auto", []int{2, 4}, nil, alone, []int{4}, ""},
		{"auto avoids siblings", "auto", []int{0, 1, 4}, []int{0}, pairs, []int{1}, ""},
		{"auto avoids siblings of all", "auto", []int{0, 1, 2, 4, 5}, []int{0, 1}, pairs, []int{2}, ""},
		{"auto takes a sibling rather than the harness's own", "auto", []int{0, 4}, []int{4}, pairs, []int{0}, ""},
		{"auto, siblings unknown", "auto", []int{0, 1, 4}, []int{0}, unknown, []int{4}, ""},
		{"auto on one shares", "auto", []int{3}, []int{3}, alone, []int{3}, ""},
		{"auto on none", "auto", nil, nil, alone, nil, "no CPU is left"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := spawn.ChooseWith(tt.spec, tt.allowed, tt.harness, tt.siblings)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v, %v; want an error that says %q", got, err, tt.says)
				}
				return
			}
			if err != nil || !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
		})
	}
}
