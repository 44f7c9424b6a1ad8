package sample_test

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestRewriteName(t *testing.T) {
	for in, want := range map[string]string{ // as testing prints them
		"BenchmarkSub/k=v": "BenchmarkSub/k=v", "BenchmarkSub/with space": "BenchmarkSub/with_space",
		"BenchmarkSub/tab\there": "BenchmarkSub/tab_here", "BenchmarkSub/new\nline": "BenchmarkSub/new_line",
		"BenchmarkSub/uni=ü": "BenchmarkSub/uni=ü", "BenchmarkSub/": "BenchmarkSub/#00", "BenchmarkSub": "BenchmarkSub",
		"B/\u00a0\u2028\u3000": "B/___", "B/\u200b": `B/\u200b`, "B/\x01": `B/\x01`, "B/\xff": "B/\ufffd",
	} {
		if got := sample.RewriteName(in); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

const row = "BenchmarkA-2 100 5 ns/op\n"

func TestRows(t *testing.T) {
	for _, tt := range []struct {
		name, stdout string
		kind         string
		parts        []string
	}{
		{"C2", "BenchmarkA-2 \t 0 \t NaN ns/op 0 B/op 0 allocs/op\nPASS\n", sample.FailParse, []string{"stdout:1:", "zero iterations"}},
		{"C13", "BenchmarkA-2 0 5 ns/op\n", sample.FailParse, []string{"zero iterations"}},
		{"C21, name and blank", "BenchmarkA \nBenchmarkA-2 100 1 ns/op\n", sample.FailParse, []string{"stdout:1:", "missing iteration count", "BenchmarkA is a name without numbers"}},
		{"C21, name alone", "BenchmarkA\n" + row, "", nil},
		{"C30", "BenchmarkA-2 100 466.4 ns/op 1568 B/op 5 allocs/op 4.0 rows/op\n", "", nil},
		{"C42", "# example.com/p\n./x.go:3:2: undefined: y\nFAIL\texample.com/p [build failed]\n", sample.FailParse, []string{"stdout:3:", "build output", "# example.com/p"}},
		{"nothing", "", sample.FailRows, []string{"runs/0007/stdout: 0 of 1 rows of BenchmarkA: skipped or not matched"}},
		{"one too many", row + row, sample.FailRows, []string{"stdout:2:", "2 rows where 1 are declared"}},
		{"another name", "BenchmarkB-2 100 5 ns/op\n", sample.FailRows, []string{"BenchmarkB-2, where BenchmarkA is declared"}},
		{"a longer name", "BenchmarkA/x-2 100 5 ns/op\n", sample.FailRows, []string{"BenchmarkA/x-2"}},
		{"without suffix", "BenchmarkA 100 5 ns/op\n", "", nil},
		{"glued", "doneBenchmarkA-2 100 5 ns/op\n", sample.FailParse, []string{"stdout:1:", "text stands before the row of BenchmarkA-2", "end lines"}},
		{"a carriage return before it", "10%\rBenchmarkA-2 100 5 ns/op\n", sample.FailParse, []string{"text stands before the row"}},
		{"words about another benchmark", "see BenchmarkB-2 100 5 ns/op\n" + row, "", nil},
		{"words about the benchmark", "BenchmarkA-2 is next: see BenchmarkA\n" + row, sample.FailParse, []string{"a name without numbers"}},
		{"Benchmarking", "Benchmarking with 3 workers\n" + row, "", nil},
		{"units and configuration", "Unit ns/op better=lower\ncommit: abc\n" + row, "", nil},
		{"escapes elsewhere", "\x1b[2Khello\n" + row, "", nil},
		{"escapes alone", "\x1b[2Khello\n", sample.FailRows, []string{"0 of 1 rows", "terminal escapes"}},
		{"NUL bytes", strings.Join(strings.Split(row, ""), "\x00"), sample.FailRows, []string{"0 of 1 rows", "NUL bytes"}},
		{"a fatal error in the row", "BenchmarkA-2 \tfatal error: out of memory\n", sample.FailRows, []string{"it panicked", "out of memory"}},
		{"rows, then a panic", row + "panic: test timed out after 30m0s\n\ngoroutine 1 [running]:\n", sample.FailRows, []string{"stdout:2:", "test timed out after 30m0s"}},
		{"a range", "BenchmarkA-2 100 1e999 ns/op\n", sample.FailParse, []string{"out of range"}},
		{"hexadecimal with exponent", "BenchmarkA-2 100 0x1p4 ns/op\n", sample.FailParse, []string{"0x1p4 ns/op: parsing measurement"}},
		{"infinity written out", "BenchmarkA-2 100 infinity ns/op\n", sample.FailParse, []string{"not finite"}},
		{"an undeclared unit that is not finite", "BenchmarkA-2 100 5 ns/op NaN x/op\n", sample.FailParse, []string{"NaN x/op is not finite"}},
		{"no numbers at all", "BenchmarkA-2 100\n", sample.FailParse, []string{"missing measurements"}},
		{"a long line", strings.Repeat("x", 1<<16) + "\n" + row, sample.FailParse, []string{"stdout:1:", "more than 64 KiB"}},
		{"the longest line", strings.Repeat("x", 1<<16-1) + "\n" + row, "", nil},
		{"a long row", "BenchmarkA-2 100 5 ns/op " + strings.Repeat("1 x ", 20000) + "\n", sample.FailParse, []string{"stdout:1:", "more than 64 KiB"}},
		{"a row of many metrics", "BenchmarkA-2 100 5 ns/op" + strings.Repeat(" 1 x", 1000) + "\n", sample.FailParse, []string{"more than 1000 metrics"}},
		{"UTF-16, big end first", "\xfe\xff\x00B", sample.FailParse, []string{"UTF-16"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := given{name: "BenchmarkA", units: []string{"ns/op"}, stdout: tt.stdout}
			if tt.kind != "" {
				g.fails(t, tt.kind, tt.parts...)
				return
			}
			g.gives(t)
		})
	}
}

// C30: all pairs are kept, declared or not.
func TestUndeclaredUnitsAreKept(t *testing.T) {
	g := given{units: []string{"ns/op"}, stdout: "BenchmarkA-2 100 466.4 ns/op 1568 B/op 5 allocs/op 4.0 rows/op\n"}
	v := g.gives(t)[0].Values
	if len(v) != 4 || v["ns/op"] != 466.4 || v["B/op"] != 1568 || v["allocs/op"] != 5 || v["rows/op"] != 4 {
		t.Errorf("got %v", v)
	}
}

// Seven good rows before a panic give no sample.
func TestRowsBeforePanic(t *testing.T) {
	g := given{
		name: "BenchmarkA", repeats: 8, units: []string{"ns/op"}, outcome: exited(2),
		stdout: strings.Repeat(row, 7), stderr: "starting\npanic: test timed out after 30m0s\n\ngoroutine 1 [running]:\n",
	}
	g.fails(t, sample.FailExit, "exit status 2", `runs/0007/stderr:2: "panic: test timed out after 30m0s"`)
	g.outcome, g.stderr = exited(0), ""
	g.fails(t, sample.FailRows, "7 of 8 rows of BenchmarkA")
}

// Where the number of processors is not known, a number after the declared name is taken for it.
func TestUnknownProcessors(t *testing.T) {
	code := 0
	g := given{name: "BenchmarkA", units: []string{"ns/op"}, outcome: sample.Outcome{Exit: &code}, stdout: "BenchmarkA-16 100 5 ns/op\n"}
	g.gives(t)
	g.stdout = "BenchmarkA-x 100 5 ns/op\n"
	g.fails(t, sample.FailRows, "BenchmarkA-x")
	g.env = map[string]string{"GOMAXPROCS": "none"} // the runtime ignores it, too
	g.outcome = exited(0)
	g.stdout = row
	g.gives(t)
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct{ name, values, id, unit, part string }{
		{"plausible", "0.25 ns/op 8 B/op 1 allocs/op", "", "", ""},
		{"C40, timer stopped", "0.0000006 ns/op", "implausible", "ns/op", "0.0000006 ns/op is less than a clock cycle"},
		{"zero time", "0 ns/op", "implausible", "ns/op", "less than a clock cycle"},
		{"too small to print", "5 ns/op 0.0000000 tiny/op", "implausible", "tiny/op", "0.0000000"},
		{"zero", "5 ns/op 0 tiny/op 0.0 other/op", "", "", ""},
		{"fractional bytes", "5 ns/op 7.5 B/op 1 allocs/op", "shadowed-unit", "B/op", "no whole number"},
		{"fewer bytes than allocations", "5 ns/op 7 B/op 9 allocs/op", "shadowed-unit", "B/op", "less than 9 allocs/op"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := "BenchmarkA-2 100 " + tt.values + "\n"
			p := given{name: "BenchmarkA", repeats: 2, units: []string{"ns/op"}, stdout: line + line}.read(t)
			if p.Failure != nil {
				t.Fatal(p.Failure)
			}
			if tt.id == "" {
				if len(p.Warnings) != 0 {
					t.Errorf("warnings %v", p.Warnings)
				}
				return
			}
			if len(p.Warnings) != 1 {
				t.Fatalf("warnings %v, want one", p.Warnings)
			}
			if w := p.Warnings[0]; w.ID != tt.id || w.Unit != tt.unit || !strings.Contains(w.Message, "runs/0007/stdout:1:") || !strings.Contains(w.Message, tt.part) {
				t.Errorf("warning %+v", w)
			}
		})
	}
}

// C26: the second sub-benchmark of one name.
func TestDuplicateName(t *testing.T) {
	for name, want := range map[string]int{"BenchmarkSub/dup#01": 1, "BenchmarkSub/#00": 0, "BenchmarkSub/#01": 1, "BenchmarkSub/issue#1": 0, "BenchmarkSub/a#b1": 0} {
		p := given{name: strings.ReplaceAll(name, "/#00", "/"), units: []string{"ns/op"}, stdout: name + "-2 100 5 ns/op\n"}.read(t)
		if p.Failure != nil || len(p.Warnings) != want || want == 1 && p.Warnings[0].ID != "duplicate-name" {
			t.Errorf("%s: %v, warnings %v, want %d", name, p.Failure, p.Warnings, want)
		}
	}
}

// generated is a file of n bytes that is made while it is read.
func generated(name, line string, n int64) sample.File {
	return sample.File{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(&repeating{text: []byte(strings.Repeat(line, 1000))}, n)), nil
	}}
}

type repeating struct {
	text []byte
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// A hundred megabytes are refused after 64 MiB, and never held in memory, whatever they are made of.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("reads hundreds of megabytes")
	}
	for name, line := range map[string]string{"text": strings.Repeat("x", 99) + "\n", "rows": row, "configuration": "commit" + strings.Repeat("x", 50) + ": b\n", "failures": "--- FAIL: " + strings.Repeat("x", 50) + "\n"} {
		for _, format := range []string{plan.FormatGobench, plan.FormatJSON} {
			p, run := given{format: format, units: []string{"ns/op"}}.phase()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			proc, err := sample.Read(p, run, 1, exited(0), sample.Files{Stdout: generated("stdout", line, 100<<20)})
			runtime.ReadMemStats(&after)
			if err != nil || proc.Failure == nil || proc.Failure.Kind != sample.FailParse {
				t.Fatalf("%s, %s: %+v, %v", name, format, proc, err)
			}
			if format == plan.FormatGobench && !strings.Contains(proc.Failure.Message, "more than 64 MiB of output") {
				t.Errorf("%s: %s", name, proc.Failure.Message)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
				t.Errorf("%s, %s: %d bytes were allocated", name, format, n)
			}
		}
	}
}

// C30: a megabyte of tabs, in lines that are short enough and within one row, is read in linear time.
func TestTabs(t *testing.T) {
	tabs := strings.Repeat("\t", 60000)
	g := given{name: "BenchmarkA", units: []string{"ns/op"}, stdout: strings.Repeat(tabs+"\n", 17) + "BenchmarkA-2" + tabs + "100 5 ns/op\n"}
	g.gives(t)
	g.stdout = strings.Repeat("\t", 1<<20)
	g.fails(t, sample.FailParse, "more than 64 KiB")
}

func BenchmarkGobench(b *testing.B) {
	p, run := given{name: "BenchmarkA", repeats: 1000, units: []string{"ns/op", "B/op", "allocs/op"}}.phase()
	text := strings.Repeat("BenchmarkA-2   \t     100\t       161.4 ns/op\t       4 B/op\t       0 allocs/op\n", 1000)
	f := sample.Files{Stdout: sample.File{Name: "stdout", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if proc, err := sample.Read(p, run, 1, exited(0), f); err != nil || proc.Failure != nil {
			b.Fatal(proc.Failure, err)
		}
	}
}
