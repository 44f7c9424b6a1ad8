package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

func ptr(v float64) *float64 { return &v }

func TestRatios(t *testing.T) {
	for v, want := range map[float64]string{
		0.337: "0.337", 0.3370001: "0.337", 1: "1", 1.003: "1.003", 0.9996: "0.9996", 1.00004: "1.00004", 0.99999999: "0.99999999",
		12.345678: "12.35", 123.456: "123.5", 1234.5: "1234", 0.0512345: "0.0512", 0.00012: "0.00012", 0.00000123: "1.23e-06",
		5e7: "5e+07", 0: "0.000",
	} {
		if got := ratio(&v); got != want {
			t.Errorf("ratio(%v) = %q, want %q", v, got, want)
		}
	}
	for _, p := range []*float64{nil, ptr(math.NaN()), ptr(math.Inf(1))} {
		if got := ratio(p); got != "–" {
			t.Errorf("a missing ratio is %q", got)
		}
	}
}

func TestPercents(t *testing.T) {
	for v, want := range map[float64]string{
		0.337: "-66.3%", 1.0031: "+0.31%", 1: "0%", 1.5: "+50.0%", 21: "+2000%", 1.00001: "+0.001%", 0.9999999: "-1e-05%", 0.995: "-0.50%",
	} {
		if got := percent(&v); got != want {
			t.Errorf("percent(%v) = %q, want %q", v, got, want)
		}
	}
}

// ratioReading is a comparison of ns/op with the given estimate and interval.
func ratioReading(estimand string, low, estimate, high float64) reading {
	return reading{
		metric: &analysis.Metric{Unit: "ns/op", Better: "lower"},
		c: &analysis.Comparison{
			Estimand: estimand, Estimate: &estimate, Verdict: analysis.Unresolved,
			Interval: &analysis.Interval{Level: 0.95, Low: &low, High: &high},
		},
	}
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		low, estimate, high float64
		want                string
	}{
		{0.331, 0.337, 0.343, "0.337 [0.331, 0.343]"},
		{0.98, 0.99, 0.9996, "0.9900 [0.9800, 0.9996]"},
		{1.0002, 1.1, 1.2, "1.1000 [1.0002, 1.2000]"},
		{0.6420, 0.64211, 0.6422, "0.6421 [0.6420, 0.6422]"},
		{0.42857142857142855, 0.42857142857142857, 0.4285714285714286, "0.429 [0.429, 0.429]"},
		{1, 1, 1, "1 [1, 1]"},
		{0.999, 1, 1.001, "1.000 [0.999, 1.001]"},
		{9.1, 11.11, 13, "11.11 [9.10, 13.00]"},
	} {
		e := ratioReading(plan.BlockRatio, c.low, c.estimate, c.high).effect()
		if got := e.estimate + " " + e.interval; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	e := ratioReading(plan.BlockDifference, -5.1e6, -4.96e6, -4.8e6).effect()
	if got := e.estimate + " " + e.interval + " " + e.suffix; got != "-4.96 [-5.10, -4.80] ms" {
		t.Errorf("got %q", got)
	}
}

// What is printed lies on the same side of no difference as the number itself: an interval that excludes 1 never
// prints as including it, and the other way round.
func TestPrintedIntervalsKeepTheirSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		estimand := rapid.SampledFrom([]string{plan.BlockRatio, plan.BlockDifference}).Draw(t, "estimand")
		null := map[string]float64{plan.BlockRatio: 1}[estimand]
		near := rapid.SampledFrom([]float64{1e-15, 1e-9, 1e-4, 0.1, 10, 1e6}).Draw(t, "scale")
		draw := func(name string) float64 { return null + near*rapid.Float64Range(-1, 1).Draw(t, name) }
		vs := [3]float64{draw("low"), draw("estimate"), draw("high")}
		r := ratioReading(estimand, vs[0], vs[1], vs[2])
		e := r.effect()
		low, high, _ := strings.Cut(strings.Trim(e.interval, "[]"), ", ")
		for i, s := range []string{low, e.estimate, high} {
			got, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Signbit(got-null) != math.Signbit(vs[i]-null) || (got == null) != (vs[i] == null) {
				t.Fatalf("%v prints as %q", vs[i], s)
			}
		}
	})
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit string
		v    float64
		want string
	}{
		{"ns/op", 15.2e6, "15.2 ms"},
		{"ns/op", 466.4, "466 ns"},
		{"ns/op", 3, "3 ns"},
		{"ns/op", 0.25, "0.250 ns"},
		{"ns/op", 999.96, "1.00 µs"},
		{"ns/op", 8.31e3, "8.31 µs"},
		{"ns/op", 2.5e12, "2500 s"},
		{"sec/op", 0.0152, "15.2 ms"},
		{"ms", 1500, "1.50 s"},
		{"wall-ns", 1e9, "1.00 s"},
		{"p99-ns/op", 4000, "4.00 µs"},
		{"ns/row", 12, "12 ns"},
		{"B/op", 1568, "1568 B"},
		{"B/op", 46182, "45.1 KiB"},
		{"max-rss-bytes", 13.5e6, "12.9 MiB"},
		{"prefix-B", 19, "19 B"},
		{"allocs/op", 3, "3"},
		{"allocs/op", 3.5, "3.5"},
		{"rows/op", 1000, "1000"},
		{"MB/s", 1234.5678, "1235"},
		{"MB/s", 12.345678, "12.35"},
		{"ns/op", 1.7e308, "1.7e+299 s"},
		{"sec/op", 1.7e308, "1.7e+308 sec/op"},
	} {
		if got := read(c.unit).cells(&c.v)[0]; got != c.want {
			t.Errorf("%v %s is %q, want %q", c.v, c.unit, got, c.want)
		}
	}
	if got := read("ns/op").cells(ptr(15.21e6), ptr(15.22e6), nil); strings.Join(got, " ") != "15.21 ms 15.22 ms –" {
		t.Errorf("different numbers look alike: %q", got)
	}
}

// Only whole time spent is faster or slower: no percentile, no part of it, no rate.
func TestWhatIsFast(t *testing.T) {
	for unit, want := range map[string]bool{
		"ns/op": true, "sec/op": true, "wall-ns": true, "ns/row": true, "ms": true,
		"p99-ns/op": false, "user-ns": false, "sys-ns": false, "B/op": false, "allocs/op": false, "prefix-B": false, "MB/s": false, "ops/s": false,
	} {
		if got := read(unit).fast; got != want {
			t.Errorf("%s: %v", unit, got)
		}
	}
}

func TestVerdictWords(t *testing.T) {
	for _, c := range []struct {
		unit, better, verdict string
		want                  string
		tone                  int
	}{
		{"ns/op", "lower", analysis.Lower, "faster", 1},
		{"ns/op", "lower", analysis.Higher, "slower", -1},
		{"ns/op", "higher", analysis.Lower, "lower", -1},
		{"B/op", "lower", analysis.Lower, "lower", 1},
		{"MB/s", "higher", analysis.Higher, "higher", 1},
		{"MB/s", "higher", analysis.Lower, "lower", -1},
		{"ns/op", "", analysis.Lower, "lower", 0},
		{"ns/op", "lower", analysis.Equal, "equal", 0},
		{"ns/op", "lower", analysis.VerdictAbsent, "no verdict", 0},
	} {
		r := ratioReading(plan.BlockRatio, 0.8, 0.9, 0.95)
		r.metric.Unit, r.metric.Better, r.c.Verdict = c.unit, c.better, c.verdict
		if got := r.word(); got != c.want || r.tone() != c.tone {
			t.Errorf("%+v: %q, %d", c, got, r.tone())
		}
		r.control = true
		if got := r.word(); r.tone() != 0 || got == "faster" || got == "slower" || got == "lower" || got == "higher" {
			t.Errorf("a control is %q", got)
		}
	}
}

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"a|b": `a\|b`, "<script>": "&lt;script&gt;", "R&D": "R&amp;D", "*x*": `\*x\*`, "final_remote": "final_remote", "_x_": `\_x\_`,
		"[a](b)": `\[a\](b)`, "15.2 ms": "15.2 ms", "a\n# b": "a # b", "\x1b[31mred\x1b[0m": "red", "a\x00b": "a\uFFFDb", "`c`": "\\`c\\`",
	} {
		if got := escape(s); got != want {
			t.Errorf("escape(%q) = %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"# a": `\# a`, "- a": `\- a`, "1. a": `1\. a`, "12) a": `12\) a`, "1.5 a": `1\.5 a`, "a": "a", "": ""} {
		if got := line(s); got != want {
			t.Errorf("line(%q) = %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"a": "`a`", "a`b": "``a`b``", "`": "`` ` ``", "": "(empty)", "<b>": "`<b>`"} {
		if got := code(s); got != want {
			t.Errorf("code(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"-test.count=3": "-test.count=3", "": "''", "a b": "'a b'", "^x$": "'^x$'", "it's": `'it'\''s'`, "a\tb": `$'a\tb'`, "ü": "'ü'", "a\n'": `$'a\n\''`,
	} {
		if got := quote(s); got != want {
			t.Errorf("quote(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestLiterals(t *testing.T) {
	for want, v := range map[string]any{
		"None": nil, "True": true, "False": false, "3": int64(3), "1.0": 1.0, "0.05": 0.05, `"a\"b"`: `a"b`,
		`["a", 1]`: plan.List{{V: "a"}, {V: int64(1)}}, `("a",)`: plan.Tuple{{V: "a"}}, `{"k": 1}`: plan.Dict{{Key: plan.Value{V: "k"}, Value: plan.Value{V: int64(1)}}},
		`file "data"`: plan.FileRef("data"),
	} {
		if got := literal(plan.Value{V: v}); got != want {
			t.Errorf("literal(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestMiddlesShowWhatDiffers(t *testing.T) {
	for _, c := range []struct{ values, want []string }{
		{
			[]string{"^BenchmarkIndexFetch$/^size=small$/^method=SCAN_AND_FETCH$", "^BenchmarkIndexFetch$/^size=small$/^method=USE_REMOTE_FETCH$"},
			[]string{"…^method=SCAN_AND_FETCH$", "…^method=USE_REMOTE_FETCH$"},
		},
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"same-prefix-long/x", "same-prefix-long"}, []string{"…long/x", "…long"}},
		{[]string{"aaaaaaaaaaaa/aaaaaaaaaaaa", "aaaaaaaaaaaa/aaaaaaaaaaaa/aaaaaaaaaaaa"}, nil},
	} {
		got := append([]string{}, c.values...)
		middles(got)
		if c.want == nil {
			if got[0] == got[1] {
				t.Errorf("%q became equal", c.values)
			}
			continue
		}
		if strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%q became %q, want %q", c.values, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("aab/=-_ é")), 0, 30, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		got := []string{a, b}
		middles(got)
		if a != b && got[0] == got[1] {
			t.Fatalf("%q and %q became equal: %q", a, b, got)
		}
	})
}

func TestWrapKeepsNumbersTogether(t *testing.T) {
	s := newScreen(TerminalOptions{Width: 30})
	for _, l := range s.wrap("the ratio is 0.639 [0.635, 0.644] in a case (1.49 ms against 2.32 ms)", 30) {
		if strings.Count(l, "[") != strings.Count(l, "]") || strings.HasSuffix(l, ".49") || strings.HasPrefix(l, "ms") || width(l) > 30 {
			t.Errorf("broken badly: %q", l)
		}
	}
	if got := s.wrap(strings.Repeat("x", 70), 30); len(got) != 3 || len(got[0]) != 30 || len(got[2]) != 10 {
		t.Errorf("a long word: %q", got)
	}
}
