package host_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

func BenchmarkEvalC2(b *testing.B) {
	for b.Loop() {
		if _, err := host.Eval(context.Background(), "testdata/c2.star", host.Options{Std: std.FS}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvalGrid evaluates a grid of n cases in two arms, with a callback for each.
func BenchmarkEvalGrid(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("cases=%d", n), func(b *testing.B) {
			root := tree(b, map[string]string{"x.star": fmt.Sprintf(`
load("@std//go.star", "gobench")
load("@std//grid.star", "grid", "slug")
bin = binary("bin/x")
phase(
    "grid",
    question = "?",
    arms = [arm("a", method = "A"), arm("b", method = "B")],
    cases = [case(slug(**p), **p) for p in grid(rows = list(range(%d)))],
    command = lambda arm, case: gobench(bin, "BenchmarkX/rows=%%d/method=%%s" %% (case.rows, arm.method)),
    design = counterbalanced(blocks = 6, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(0.95)),
)
`, n)})
			for b.Loop() {
				if _, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{Std: std.FS}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPrintC2(b *testing.B) {
	s, err := host.Eval(context.Background(), "testdata/c2.star", host.Options{Std: std.FS})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		host.Print(s.Phases[0])
	}
}
