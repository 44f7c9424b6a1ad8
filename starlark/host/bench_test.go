package host_test

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// Evaluation costs little beside a run: an example at most 5 ms and 20,000 allocations; of 10,000 generated cases of two
// arms, callbacks included, each at most 2 kB and 40 allocations; their printing is in the same order.
//
//	go test ./starlark/host -run '^$' -bench . -benchmem

// BenchmarkEvalExamples evaluates every example.
func BenchmarkEvalExamples(b *testing.B) {
	for _, path := range scripts(b) {
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := host.Eval(context.Background(), path, host.Options{Std: std.FS}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const generated = 10_000

// generators are heads of scripts that give 10,000 cases, and a callback: one that makes a command itself, and one
// that asks the library for a Go benchmark.
var generators = map[string]string{
	"command": `
cases = [case("rows%d" % n, rows = n) for n in range(10000)]
run = lambda arm, case: command([bin, "--rows=%d" % case.rows, arm.method], format = "json")
`,
	"gobench": `
load("@std//go.star", "gobench")
load("@std//grid.star", "grid", "slug")
cases = [case(slug(**p), **p) for p in grid(rows = list(range(10000)))]
run = lambda arm, case: gobench(bin, "BenchmarkX/rows=%d/method=%s" % (case.rows, arm.method))
`,
}

func generator(b *testing.B, head string) string {
	root := tree(b, map[string]string{"x.star": head + `
bin = binary("bin/x")
phase(
    "grid",
    question = "?",
    arms = [arm("a", method = "A"), arm("b", method = "B")],
    cases = cases,
    command = run,
    design = counterbalanced(blocks = 6, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(0.95)),
)
`})
	return filepath.Join(root, "x.star")
}

// each reports what an iteration costs for each of n things.
func each(b *testing.B, n int, thing string, work func()) {
	var before, after runtime.MemStats
	iterations := 0
	runtime.ReadMemStats(&before)
	for b.Loop() {
		work()
		iterations++
	}
	runtime.ReadMemStats(&after)
	total := float64(n * iterations)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/total, "allocs/"+thing)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/total, "B/"+thing)
}

// BenchmarkEvalCases evaluates 10,000 generated cases in two arms, with a callback for each.
func BenchmarkEvalCases(b *testing.B) {
	for name, head := range generators {
		b.Run(name, func(b *testing.B) {
			path := generator(b, head)
			each(b, generated, "case", func() {
				if _, err := host.Eval(context.Background(), path, host.Options{Std: std.FS}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkPrintCases prints the flat form of 10,000 generated cases and takes its digest.
func BenchmarkPrintCases(b *testing.B) {
	for name, head := range generators {
		b.Run(name, func(b *testing.B) {
			s, err := host.Eval(context.Background(), generator(b, head), host.Options{Std: std.FS})
			if err != nil {
				b.Fatal(err)
			}
			each(b, generated, "case", func() {
				sha256.Sum256(host.Print(s.Phases[0]))
			})
		})
	}
}

// BenchmarkPrintC2 prints the flat form of the published phase.
func BenchmarkPrintC2(b *testing.B) {
	s, err := host.Eval(context.Background(), "testdata/c2.star", host.Options{Std: std.FS})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		host.Print(s.Phases[0])
	}
}
