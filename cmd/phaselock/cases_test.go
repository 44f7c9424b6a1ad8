package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/sample"
)

// Every program output of the public bug reports, printed by a real process that exits 0: what ledger, analysis and exit code make
// of it. The sentences for each are held in lib/sample.
func TestCasesAsArms(t *testing.T) {
	type output struct {
		file, name, unit string
		failure          string // "" for a valid process
	}
	for repeats, outputs := range map[int][]output{
		1: {
			{"dupunit", "BenchmarkDup", "ns/op", sample.FailParse},
			{"hugeN", "BenchmarkH", "ns/op", sample.FailParse},
			{"comma", "BenchmarkA", "ns/op", sample.FailParse},
			{"sci", "BenchmarkA", "ns/op", sample.FailParse},
			{"hex", "BenchmarkA", "ns/op", sample.FailParse},
			{"oddfields", "BenchmarkX", "ns/op", sample.FailParse},
			{"split", "BenchmarkYN", "ns/op", sample.FailParse},
			{"utf16", "BenchmarkA", "ns/op", sample.FailParse},
			{"json", "BenchmarkA", "ns/op", sample.FailParse},
			{"ansi", "BenchmarkA", "ns/op", sample.FailParse},
			{"bom", "BenchmarkA", "ns/op", ""},
			{"nonl", "BenchmarkA", "ns/op", ""},
			{"s8", "BenchmarkA", "ns/op", sample.FailRows},
		},
		2: {
			{"crlf", "BenchmarkA", "ns/op", sample.FailRows},
			{"negN", "BenchmarkA", "ns/op", sample.FailParse},
		},
		6: {
			{"nan", "BenchmarkA", "x/op", sample.FailParse},
			{"inf", "BenchmarkA", "x/op", sample.FailParse},
			{"five", "BenchmarkA", "x/op", ""},
			{"z_old", "BenchmarkA", "allocs/op", ""},
			{"z_new", "BenchmarkA", "allocs/op", ""},
			{"z_same", "BenchmarkA", "allocs/op", ""},
			{"n_old", "BenchmarkA", "delta", ""},
			{"n_new", "BenchmarkA", "delta", ""},
		},
		10: {
			{"d_old", "BenchmarkP", "ns/op", ""},
			{"d_new", "BenchmarkP", "ns/op", ""},
		},
	} {
		for _, o := range outputs {
			t.Run(o.file, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join("../../lib/sample/testdata/cases", o.file))
				if err != nil {
					t.Fatal(err)
				}
				dir := inFolder(t, replayed(o.name, o.unit, repeats))
				if err := os.WriteFile(filepath.Join(dir, "out.txt"), data, 0o644); err != nil {
					t.Fatal(err)
				}
				want := campaign.ExitOK
				if o.failure != "" {
					want = campaign.ExitInvalid
				}
				exitsWith(t, dir, want, "run", "p.star", "--out", "out")
				f, err := campaign.Analyze(filepath.Join(dir, "out"))
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range f.Processes {
					switch {
					case o.failure == "" && (p.Failure != nil || len(p.Samples) != repeats):
						t.Errorf("run %d: %d samples, failure %+v", p.Run.Number, len(p.Samples), p.Failure)
					case o.failure != "" && (p.Failure == nil || p.Failure.Kind != o.failure || len(p.Samples) > 0):
						t.Errorf("run %d: %d samples, failure %+v; want %s", p.Run.Number, len(p.Samples), p.Failure, o.failure)
					}
				}
				csv, err := os.ReadFile(filepath.Join(dir, "out", "metrics.csv"))
				if err != nil {
					t.Fatal(err)
				}
				rows := strings.Count(string(csv), "\n") - 1
				if want := map[bool]int{true: 4 * repeats, false: 0}[o.failure == ""]; rows != want {
					t.Errorf("metrics.csv has %d rows, want %d", rows, want)
				}
			})
		}
	}
}

func replayed(name, unit string, repeats int) string {
	return fmt.Sprintf(`
phase(
    "replayed",
    question = "What is made of it?",
    arms = [arm("a", word = "a"), arm("b", word = "b")],
    cases = [case("c")],
    command = lambda arm, case: command(["./stub", "replay", "out.txt", "-" + arm.word], format = "gobench", names = [%q]),
    design = fixed([["a", "b"], ["b", "a"]]),
    repeats = %d,
    metrics = [metric(%q, better = "lower")],
    estimand = block_difference(interval = student_t(level = 0.95)),
    process = process(env = {"GOMAXPROCS": "2"}, limits = {}, timeout = "20s"),
)
`, name, repeats, unit)
}
