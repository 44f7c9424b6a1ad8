package sample_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestJSONLines(t *testing.T) {
	for _, tt := range []struct {
		name, stdout string
		repeats      int
		want         []float64
		kind         string
		parts        []string
	}{
		{name: "one", stdout: `{"x": 1.5, "other": -2}` + "\n", want: []float64{1.5}},
		{name: "blank lines, CRLF, BOM, no newline at the end", stdout: "\xef\xbb\xbf\r\n {\"x\": 1} \r\n\n\t\n{\"x\":2e3}", repeats: 2, want: []float64{1, 2000}},
		{name: "NaN", stdout: `{"x": NaN}`, kind: sample.FailParse, parts: []string{"runs/0007/stdout:1:", "want one {metric: number} a line"}},
		{name: "Infinity", stdout: `{"x": Infinity}`, kind: sample.FailParse},
		{name: "too large", stdout: `{"x": 1e999}`, kind: sample.FailParse, parts: []string{`the value of "x" is too large`}},
		{name: "name twice", stdout: `{"x": 1, "x": 2}`, kind: sample.FailParse, parts: []string{`the name "x" stands twice`}},
		{name: "name twice, escaped", stdout: `{"x": 1, "\u0078": 2}`, kind: sample.FailParse, parts: []string{`the name "x" stands twice`}},
		{name: "garbage after it", stdout: `{"x": 1} {"x": 2}`, kind: sample.FailParse, parts: []string{"something follows the object"}},
		{name: "string", stdout: `{"x": "1"}`, kind: sample.FailParse, parts: []string{`the value of "x" is no number`}},
		{name: "null", stdout: `{"x": null}`, kind: sample.FailParse, parts: []string{`the value of "x" is no number`}},
		{name: "nested", stdout: `{"x": {"y": 1}}`, kind: sample.FailParse, parts: []string{`the value of "x" is no number`}},
		{name: "list", stdout: `[1]`, kind: sample.FailParse, parts: []string{"no JSON object"}},
		{name: "torn", stdout: `{"x": 1`, kind: sample.FailParse, parts: []string{"does not end"}},
		{name: "torn in a name", stdout: `{"x`, kind: sample.FailParse, parts: []string{"stdout:1:"}},
		{name: "text", stdout: "{\"x\": 1}\nhello\n", repeats: 2, kind: sample.FailParse, parts: []string{"stdout:2:", "hello", "standard error"}},
		{name: "leading zero", stdout: `{"x": 01}`, kind: sample.FailParse},
		{name: "too few", stdout: `{"x": 1}`, repeats: 2, kind: sample.FailRows, parts: []string{"1 of 2 lines"}},
		{name: "none", stdout: "", kind: sample.FailRows, parts: []string{"0 of 1 lines"}},
		{name: "too many", stdout: "{\"x\": 1}\n{\"x\": 2}\n{\"x\": 3}\n", repeats: 2, kind: sample.FailRows, parts: []string{"stdout:3:", "3 lines where 2 are declared"}},
		{name: "metric missing", stdout: `{"y": 1}`, kind: sample.FailRows, parts: []string{"stdout:1:", "no x in this row; it has y"}},
		{name: "empty object", stdout: `{}`, kind: sample.FailRows, parts: []string{"it has none"}},
		{name: "deep", stdout: `{"x":` + strings.Repeat("[", 60000), kind: sample.FailParse, parts: []string{`is no number`}},
		{name: "long", stdout: `{"x":` + strings.Repeat(" ", 1<<17) + "1}", kind: sample.FailParse, parts: []string{"more than 64 KiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := given{format: plan.FormatJSON, units: []string{"x"}, repeats: tt.repeats, stdout: tt.stdout}
			if tt.kind != "" {
				g.fails(t, tt.kind, tt.parts...)
				return
			}
			samples := g.gives(t)
			if got := column(samples, "x"); !slices.Equal(got, tt.want) || samples[0].Iterations != 0 {
				t.Errorf("got %v, want %v; %d iterations, want none", got, tt.want, samples[0].Iterations)
			}
		})
	}
}

var figures = map[string]float64{
	"wall-ns": 1, "user-ns": 2, "sys-ns": 3, "max-rss-bytes": 4, "minor-faults": 5, "major-faults": 6,
	"voluntary-switches": 7, "involuntary-switches": 8,
}

func measured() sample.Outcome {
	code, rss := 0, int64(4)
	return sample.Outcome{Exit: &code, WallNS: 1, UserNS: 2, SysNS: 3, MaxRSSBytes: &rss, MinorFaults: 5, MajorFaults: 6, VoluntarySwitches: 7, InvoluntarySwitches: 8, CPUs: 2}
}

func TestWholeProcess(t *testing.T) {
	units := slices.Sorted(maps.Keys(figures))
	for _, format := range []string{plan.FormatProcess, plan.FormatNone} {
		s := given{format: format, units: units, outcome: measured(), stdout: "\xff\xfeanything"}.gives(t)
		if len(s) != 1 || s[0].Repeat != 1 || s[0].Iterations != 0 || !maps.Equal(s[0].Values, figures) {
			t.Errorf("%s: %+v", format, s)
		}
	}
	// beside printed metrics they stand on repeat 1, and only where they are declared
	s := given{units: []string{"ns/op", "wall-ns"}, repeats: 2, outcome: measured(), stdout: row + row}.gives(t)
	if !maps.Equal(s[0].Values, map[string]float64{"ns/op": 5, "wall-ns": 1}) || !maps.Equal(s[1].Values, map[string]float64{"ns/op": 5}) {
		t.Errorf("got %+v", s)
	}
}

func TestUnknownMaxRSS(t *testing.T) {
	o := measured()
	o.MaxRSSBytes = nil
	p := given{format: plan.FormatProcess, units: []string{"max-rss-bytes"}, outcome: o}.fails(t, sample.FailRows, "max-rss-bytes is unknown", "floor")
	if p.Failure.At != "p.star:20:5" {
		t.Errorf("at %q, want the metric's place", p.Failure.At)
	}
	given{format: plan.FormatProcess, units: []string{"wall-ns"}, outcome: o}.gives(t)
}

// A program that prints wall-ns itself does not pass its own figure off as the harness's.
func TestPrintedProcessUnit(t *testing.T) {
	p := given{units: []string{"wall-ns"}, repeats: 2, outcome: measured(), stdout: "BenchmarkA-2 1 99 wall-ns\nBenchmarkA-2 1 99 wall-ns\n"}.read(t)
	if p.Failure != nil || !slices.Equal(column(p.Samples, "wall-ns"), []float64{1}) {
		t.Errorf("%+v, %v", p.Samples, p.Failure)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].ID != "shadowed-unit" || p.Warnings[0].Unit != "wall-ns" {
		t.Errorf("warnings %+v", p.Warnings)
	}
}

func TestDerived(t *testing.T) {
	derived := func(name, num, den string) plan.Metric {
		return plan.Metric{Unit: name, Role: plan.RoleDerived, Better: "lower", Num: num, Den: den}
	}
	g := given{
		format: plan.FormatJSON, units: []string{"x", "y", "wall-ns"}, repeats: 4, outcome: measured(),
		metrics: []plan.Metric{derived("x/y", "x", "y"), derived("wall/y", "wall-ns", "y"), derived("y/x", "y", "x")},
		stdout:  `{"x":6,"y":3}` + "\n" + `{"x":6,"y":0,"x/y":77}` + "\n" + `{"x":1e308,"y":1e-308}` + "\n" + `{"x":0,"y":0}` + "\n",
	}
	s := g.gives(t)
	want := []map[string]float64{
		{"x": 6, "y": 3, "wall-ns": 1, "x/y": 2, "wall/y": 1.0 / 3, "y/x": 0.5},
		{"x": 6, "y": 0, "y/x": 0},
		{"x": 1e308, "y": 1e-308, "y/x": 0},
		{"x": 0, "y": 0},
	}
	for i := range want {
		if !maps.Equal(s[i].Values, want[i]) {
			t.Errorf("repeat %d: %v, want %v", i+1, s[i].Values, want[i])
		}
		for u, v := range s[i].Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %v", u, v)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	given{format: "xml"}.fails(t, sample.FailParse, `no reader for the format "xml"`)
}
