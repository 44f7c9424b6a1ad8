package sample_test

import (
	"slices"
	"testing"

	"github.com/phaselock/phaselock/lib/sample"
)

// Inputs of public bug reports against tools that read Go benchmark output. Every one is either read right or
// refused with a reason; none gives a number that was not measured.
func TestCases(t *testing.T) {
	five := []float64{5, 5, 5, 5, 5, 5}
	for _, tt := range []struct {
		file    string
		name    string
		repeats int
		unit    string
		env     map[string]string
		want    []float64 // nil: it fails
		kind    string
		parts   []string
	}{
		// C1: six NaN rows made a tool eat all memory.
		{file: "nan", repeats: 6, unit: "x/op", kind: sample.FailParse, parts: []string{"runs/0007/stdout:1:", "NaN x/op is not finite"}},
		{file: "five", repeats: 6, unit: "x/op", want: five},
		// C3
		{file: "inf", repeats: 6, unit: "x/op", kind: sample.FailParse, parts: []string{"runs/0007/stdout:1:", "+Inf x/op is not finite"}},
		// C4, C48: zeros are numbers; what is made of them is no matter of reading.
		{file: "z_old", repeats: 6, unit: "allocs/op", want: make([]float64, 6)},
		{file: "z_same", repeats: 6, unit: "allocs/op", want: make([]float64, 6)},
		{file: "z_new", repeats: 6, unit: "allocs/op", want: []float64{3, 3, 3, 3, 3, 3}},
		// C6: a metric may be negative.
		{file: "n_old", repeats: 6, unit: "delta", want: []float64{-5, -5, -5, -5, -5, -5}},
		{file: "n_new", repeats: 6, unit: "delta", want: []float64{-6, -6, -6, -6, -6, -6}},
		// C10
		{file: "dupunit", name: "BenchmarkDup", kind: sample.FailParse, parts: []string{"stdout:1:", "the unit ns/op stands twice"}},
		// C13
		{file: "hugeN", kind: sample.FailParse, parts: []string{"stdout:1:", "parsing iteration count", "99999999999999999999"}},
		{file: "negN", repeats: 2, kind: sample.FailParse, parts: []string{"stdout:1:", "negative iterations"}},
		// C14
		{file: "comma", kind: sample.FailParse, parts: []string{"stdout:1:", "parsing measurement", "1,234"}},
		{file: "sci", kind: sample.FailParse, parts: []string{"stdout:1:", "parsing iteration count", "1e3"}},
		{file: "hex", kind: sample.FailParse, parts: []string{"stdout:1:", "parsing measurement", "0x10"}},
		// C15
		{file: "oddfields", kind: sample.FailParse, parts: []string{"stdout:1:", "missing units"}},
		// C16
		{file: "split", name: "BenchmarkYN", kind: sample.FailParse, parts: []string{"stdout:1:", "a name without numbers", "N = 100", "print to standard error"}},
		// C22
		{file: "crlf", name: "BenchmarkA", repeats: 2, kind: sample.FailRows, parts: []string{"stdout:2:", "BenchmarkB-2", "never pooled"}},
		{file: "nonl", want: []float64{5}},
		{file: "bom", name: "BenchmarkA", want: []float64{5}},
		{file: "utf16", kind: sample.FailParse, parts: []string{"runs/0007/stdout", "UTF-16", "must be UTF-8"}},
		// C24
		{file: "json", kind: sample.FailParse, parts: []string{"stdout:1:", "looks like test2json"}},
		{file: "ansi", kind: sample.FailParse, parts: []string{"stdout:1:", "terminal escapes"}},
		// C50
		{file: "d_old", name: "BenchmarkP", repeats: 10, want: []float64{1002.6, 1040.1, 1077.6, 1117.7, 1160.5, 1201.3, 1240, 1276.1, 1320.8, 1360.6}},
		{file: "d_new", name: "BenchmarkP", repeats: 10, want: []float64{1033, 1069.6, 1112.5, 1150.3, 1195.1, 1233.7, 1277, 1319.8, 1366.1, 1400.4}},
		// C28: a suffix that is not the run's GOMAXPROCS belongs to the name.
		{file: "s8", name: "BenchmarkA", kind: sample.FailRows, parts: []string{"BenchmarkA-8, where BenchmarkA is declared", "GOMAXPROCS = 8, the run has 2"}},
		{file: "s8", name: "BenchmarkA", env: map[string]string{"GOMAXPROCS": "8"}, want: []float64{5}},
		{file: "s8", name: "BenchmarkA-8", want: []float64{5}},
		{file: "s8", name: "BenchmarkA-8", env: map[string]string{"GOMAXPROCS": "8"}, kind: sample.FailRows, parts: []string{"BenchmarkA-8, where BenchmarkA-8 is declared"}},
	} {
		t.Run(tt.file+tt.name+tt.env["GOMAXPROCS"], func(t *testing.T) {
			unit := tt.unit
			if unit == "" {
				unit = "ns/op"
			}
			g := given{name: tt.name, repeats: tt.repeats, units: []string{unit}, env: tt.env, stdout: testdata(t, "cases/"+tt.file)}
			if tt.want == nil {
				if p := g.fails(t, tt.kind, tt.parts...); p.Failure.At != "p.star:9:1" {
					t.Errorf("at %q, want the command's place", p.Failure.At)
				}
				return
			}
			if got := column(g.gives(t), unit); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// What Go's own testing prints: testdata/go holds the output of benchmarks that do what benchmarks do wrong, run with
// GOMAXPROCS=2 -test.benchtime=100x -test.benchmem, and -test.count=2 unless said otherwise.
func TestGoOutput(t *testing.T) {
	all := []string{"ns/op", "B/op", "allocs/op"}
	for _, tt := range []struct {
		file   string
		name   string
		count  int // 2 if 0
		units  []string
		exit   int
		kind   string // "": valid
		parts  []string
		values map[string][]float64
		warns  []string
	}{
		{file: "Plain", values: map[string][]float64{"B/op": {4, 4}, "allocs/op": {0, 0}}},
		{file: "verbose", name: "BenchmarkPlain"}, // C21: name-only lines
		// C7: the column of ns/op vanishes.
		{file: "ZeroNs", kind: sample.FailRows, parts: []string{"no ns/op in this row; it has B/op, allocs/op, rows/op", "ReportMetric(0"}},
		{file: "ZeroNs", units: []string{"rows/op"}, values: map[string][]float64{"rows/op": {3, 3}}},
		{file: "NaN", kind: sample.FailParse, parts: []string{"stdout:5:", "NaN bad/op is not finite"}},
		// C9: nothing in the output shows it.
		{file: "DupUnit", values: map[string][]float64{"B/op": {7, 7}}},
		// C12: units and numbers as printed.
		{file: "ReportUnit", units: []string{"MB/op", "ns/row", "prefix-B", "p99-ns/op", "ms/op"}, values: map[string][]float64{
			"MB/op": {3, 3}, "ns/row": {12, 12}, "prefix-B": {9, 9}, "p99-ns/op": {4, 4}, "ms/op": {5, 5},
		}},
		{file: "Bytes", units: []string{"MB/s"}},
		// C16, C18: with one count the body runs once before its name is printed, with two the second row is torn.
		{file: "Stdout1", name: "BenchmarkStdout", count: 1},
		{file: "Stdout", kind: sample.FailParse, parts: []string{"stdout:7:", "a name without numbers", "hello from stdout", "standard error"}},
		{file: "YN", kind: sample.FailParse, parts: []string{"stdout:6:", "a name without numbers"}},
		{file: "Partial", kind: sample.FailParse, parts: []string{"stdout:6:", "a name without numbers", "partial 100"}},
		{file: "Trick", kind: sample.FailParse, parts: []string{"stdout:7:"}},
		// C19
		{file: "YNoNL", kind: sample.FailParse, parts: []string{"stdout:5:"}},
		{file: "YNoNL1", name: "BenchmarkYNoNL", count: 1, warns: []string{"output"}},
		{file: "Stderr"},
		{file: "Log"},
		{file: "EmptyLoop"},
		// C26
		{file: "Sub_with_space", name: "BenchmarkSub/with space"},
		{file: "Sub_tab_here", name: "BenchmarkSub/tab\there"},
		{file: "Sub_new_line", name: "BenchmarkSub/new\nline"},
		{file: "Sub_uni__", name: "BenchmarkSub/uni=ü"},
		{file: "Sub_pct_20", name: "BenchmarkSub/pct%20"},
		{file: "Sub_a", name: "BenchmarkSub/a/b"},
		{file: "Sub__00", name: "BenchmarkSub/"},
		{file: "Sub_dash_8", name: "BenchmarkSub/dash-8"},
		{file: "Sub_dup", name: "BenchmarkSub/dup"},
		{file: "Sub_dash_8", name: "BenchmarkSub/dash", kind: sample.FailRows, parts: []string{"BenchmarkSub/dash-8-2, where BenchmarkSub/dash is declared"}},
		{file: "Sub", kind: sample.FailRows, parts: []string{"stdout:7:", "24 rows where 2 are declared"}},
		// C28: -test.cpu=1,2,2 with one count.
		{file: "cpu", name: "BenchmarkPlain", count: 3, kind: sample.FailRows, parts: []string{"stdout:6:", "BenchmarkPlain-2, where line 5 has BenchmarkPlain"}},
		// C34, C37, C39, C40
		{file: "Zpanic", exit: 2, kind: sample.FailExit, parts: []string{"exit status 2", `runs/0007/stderr:1: "panic: boom"`}},
		{file: "Zpanic", exit: 0, kind: sample.FailRows, parts: []string{"it panicked", "panic: boom"}},
		{file: "ZZfatal", exit: 1, kind: sample.FailExit, parts: []string{"exit status 1", "log fatal"}},
		{file: "YExit0", kind: sample.FailRows, parts: []string{"runs/0007/stdout: 0 of 2 rows of BenchmarkYExit0: skipped or not matched"}},
		{file: "YExit3", exit: 3, kind: sample.FailExit, parts: []string{"exit status 3", "standard error is empty", "goos: linux"}},
		{file: "YExit3", exit: 0, kind: sample.FailParse, parts: []string{"a name without numbers", "stdout:5:"}},
		{file: "Break", exit: 1, kind: sample.FailExit, parts: []string{"exit status 1", "--- FAIL: BenchmarkBreak"}},
		{file: "Break", exit: 0, kind: sample.FailRows, parts: []string{"it printed FAIL", "--- FAIL: BenchmarkBreak"}},
		{file: "Err", exit: 0, kind: sample.FailRows, parts: []string{"it printed FAIL"}},
		{file: "Fatal", exit: 0, kind: sample.FailRows, parts: []string{"it printed FAIL"}},
		{file: "YFailLate", exit: 0, kind: sample.FailRows, parts: []string{"it printed FAIL", "--- FAIL: BenchmarkYFailLate-2"}},
		// C36, C37
		{file: "Skip", kind: sample.FailRows, parts: []string{"0 of 2 rows of BenchmarkSkip: skipped or not matched"}},
		{file: "skipverbose", name: "BenchmarkSkip", kind: sample.FailRows, parts: []string{"it printed SKIP", "--- SKIP: BenchmarkSkip"}},
		{file: "nomatch", kind: sample.FailRows, parts: []string{"0 of 2 rows"}},
		{file: "count0", kind: sample.FailRows, parts: []string{"0 of 2 rows"}},
		{file: "regexp", exit: 1, kind: sample.FailExit, parts: []string{`runs/0007/stderr:1: "testing: invalid regexp for element 0 of -test.bench`}},
		// C65
		{file: "usage", exit: 2, kind: sample.FailExit, parts: []string{"exit status 2", `runs/0007/stderr:1: "invalid value \"0x\" for flag -test.benchtime: invalid count"`}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			g := given{name: tt.name, repeats: tt.count, units: tt.units, outcome: exited(tt.exit), stdout: testdata(t, "go/"+tt.file+".out")}
			if g.name == "" {
				g.name = "Benchmark" + tt.file
			}
			if g.repeats == 0 {
				g.repeats = 2
			}
			if g.units == nil {
				g.units = all
			}
			if slices.Contains([]string{"Zpanic", "ZZfatal", "regexp", "usage", "Stderr"}, tt.file) {
				g.stderr = testdata(t, "go/"+tt.file+".err")
			}
			if tt.file == "verbose" {
				g.units = nil // run without -test.benchmem
			}
			if tt.kind != "" {
				g.fails(t, tt.kind, tt.parts...)
				return
			}
			samples := g.gives(t)
			for unit, want := range tt.values {
				if got := column(samples, unit); !slices.Equal(got, want) {
					t.Errorf("%s: %v, want %v", unit, got, want)
				}
			}
			for i, s := range samples {
				if s.Repeat != i+1 || s.Iterations != 100 && tt.file != "YNoNL1" {
					t.Errorf("sample %d has repeat %d, %d iterations", i, s.Repeat, s.Iterations)
				}
			}
			var ids []string
			for _, w := range g.read(t).Warnings {
				ids = append(ids, w.ID)
			}
			if !slices.Equal(ids, tt.warns) {
				t.Errorf("warnings %v, want %v", ids, tt.warns)
			}
		})
	}
}

// GOMAXPROCS=1 has no suffix, so that a name's own number is not taken for one.
func TestOneProcessor(t *testing.T) {
	g := given{name: "BenchmarkSub/dash-8", repeats: 2, units: []string{"ns/op"}, env: map[string]string{"GOMAXPROCS": "1"}, stdout: testdata(t, "go/Sub_dash_8_one.out")}
	if got := g.gives(t); len(got) != 2 {
		t.Errorf("%d samples", len(got))
	}
}
