package sample_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// readAny holds what is read of any output to what holds for all: a failure with a message, or exactly the planned
// samples with finite values of every declared metric.
func readAny(t *testing.T, g given) {
	p, run := g.phase()
	proc, err := sample.Read(p, run, 1, exited(0), sample.Files{Stdout: text("stdout", g.stdout), Audit: text("audit", g.audit)})
	if err != nil {
		t.Fatalf("trouble of ours with any bytes: %v", err)
	}
	if f := proc.Failure; f != nil {
		if f.Message == "" || f.Kind == "" || len(f.Message) > 4096 || proc.Samples != nil {
			t.Fatalf("failure %+v, samples %v", f, proc.Samples)
		}
		return
	}
	if len(proc.Samples) != run.Repeats {
		t.Fatalf("%d samples, want %d", len(proc.Samples), run.Repeats)
	}
	for i, s := range proc.Samples {
		if s.Repeat != i+1 || run.Format == plan.FormatGobench && s.Iterations < 1 {
			t.Fatalf("sample %d: %+v", i, s)
		}
		if _, ok := s.Values[g.units[0]]; !ok {
			t.Fatalf("sample %d has no %s: %v", i, g.units[0], s.Values)
		}
		for u, v := range s.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("sample %d: %v %s", i, v, u)
			}
		}
	}
}

// addFiles adds every file of a folder of testdata to the corpus.
func addFiles(f *testing.F, pattern string, add func(string)) {
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatalf("%s: %v", pattern, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		add(string(b))
	}
}

func FuzzGobench(f *testing.F) {
	add := func(s string) { f.Add(s, uint8(2)) }
	addFiles(f, "cases/*", add)
	addFiles(f, "go/*.out", add)
	add(row + row)
	add(strings.Repeat("\t", 1000) + row + strings.Repeat("\t", 1<<16))
	f.Fuzz(func(t *testing.T, stdout string, repeats uint8) {
		readAny(t, given{name: "BenchmarkA", repeats: int(repeats), units: []string{"ns/op"}, stdout: stdout})
		readAny(t, given{repeats: int(repeats), units: []string{"ns/op"}, stdout: stdout, env: map[string]string{"GOMAXPROCS": "8"}})
	})
}

func FuzzJSON(f *testing.F) {
	f.Add("{\"x\": 1}\n{\"x\": 2}\n", "{\"audit\": \"a\", \"v\": 1}\n", uint8(2))
	f.Add(`{"x": 1, "x": 2}`, `{"audit": "a", "v": 1e-999999999}`, uint8(1))
	f.Add("{\"x\": [[[[", "[", uint8(1))
	f.Fuzz(func(t *testing.T, stdout, lines string, repeats uint8) {
		g := given{format: plan.FormatJSON, repeats: int(repeats), units: []string{"x"}, stdout: stdout, audit: lines}
		readAny(t, g)
		g.expect = []plan.Expect{audit("a", 1, is("v", int64(1)))}
		readAny(t, g)
	})
}

func FuzzCSV(f *testing.F) {
	f.Add(twoArms, "old")
	f.Add("run,case,arm,block,attempt,position,repeat,iterations,x\n1,c,a,1,1,1,1,5,5\n2,c,b,1,2,2,1,5,6\n", "a")
	f.Add("arm,block,position,repeat,x\na,99999,1,1,5\n", "")
	f.Fuzz(func(t *testing.T, file, baseline string) {
		p, procs, err := sample.ReadCSV(strings.NewReader(file), "m.csv", sample.CSVOptions{Baseline: baseline})
		if err != nil {
			return
		}
		numbers := map[int]bool{}
		for _, r := range p.Runs {
			if r.Number < 1 || numbers[r.Number] || r.Block > p.Phase.Design.Blocks || p.Phase.Arm(r.Arm) == nil || p.Phase.Case(r.Case) == nil {
				t.Fatalf("run %+v", r)
			}
			numbers[r.Number] = true
		}
		if len(procs) == 0 || p.Phase.Arm(p.Phase.Baseline) == nil {
			t.Fatalf("%d processes, baseline %q", len(procs), p.Phase.Baseline)
		}
		for _, proc := range procs {
			if !numbers[proc.Run.Number] || len(proc.Samples) == 0 || len(proc.Samples) > p.Phase.Repeats {
				t.Fatalf("process %+v", proc)
			}
			for _, s := range proc.Samples {
				for u, v := range s.Values {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%v %s", v, u)
					}
				}
			}
		}
	})
}
