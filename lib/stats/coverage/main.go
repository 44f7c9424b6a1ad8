// Command coverage simulates what the intervals of lib/stats cover and what drift does to two ways of ordering runs. It prints
// both as JSON, with the standard error of its figures; the same command prints the same bytes on one architecture.
//
//	go run ./lib/stats/coverage > coverage.json
//	go run ./lib/stats/coverage -tables coverage.json   # the tables of docs/methodology.md, in Markdown
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"
)

const level = 0.95

func main() {
	replications := flag.Int("replications", 20000, "simulated experiments for each figure")
	resamples := flag.Int("resamples", 20000, "bootstrap resamples above 8 blocks; up to there the exact limit is enumerated")
	tables := flag.String("tables", "", "print the tables of this `file` in Markdown, and simulate nothing")
	flag.Parse()
	if err := run(os.Stdout, *replications, *resamples, *tables); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(2)
	}
}

func run(w io.Writer, replications, resamples int, tables string) error {
	if tables != "" {
		data, err := os.ReadFile(tables)
		if err != nil {
			return err
		}
		var t table
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("%s: %w", tables, err)
		}
		_, err = io.WriteString(w, t.coverageMarkdown()+"\n"+t.driftMarkdown())
		return err
	}
	if replications < 100 || resamples < 100 {
		return fmt.Errorf("-replications %d -resamples %d: both must be at least 100", replications, resamples)
	}
	t, err := simulate(replications, resamples)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(t)
}

// table is everything that is simulated.
type table struct {
	Replications  int        `json:"replications"`
	Resamples     int        `json:"resamples"`
	Level         float64    `json:"level"`
	StandardError float64    `json:"largest_standard_error"` // of any figure
	Coverage      []coverage `json:"coverage"`
	Drift         []drift    `json:"drift"`
}

// simulate fills the table. Every figure has streams of its own, so that the order in which they are computed does not count.
func simulate(replications, resamples int) (*table, error) {
	t := &table{Replications: replications, Resamples: resamples, Level: level}
	var jobs []func() error
	for _, sh := range shapes {
		for n := 4; n <= 20; n++ {
			i := len(t.Coverage)
			t.Coverage = append(t.Coverage, coverage{})
			jobs = append(jobs, func() (err error) {
				t.Coverage[i], err = simulateCoverage(sh, n, replications, resamples)
				return err
			})
		}
	}
	for _, wo := range worlds {
		for _, n := range []int{6, 10, 20} {
			i := len(t.Drift)
			t.Drift = append(t.Drift, drift{})
			jobs = append(jobs, func() (err error) {
				t.Drift[i], err = simulateDrift(wo, n, replications)
				return err
			})
		}
	}
	if err := inParallel(jobs); err != nil {
		return nil, err
	}
	for _, p := range t.figures() {
		t.StandardError = max(t.StandardError, math.Sqrt(p*(1-p)/float64(replications)))
	}
	return t, nil
}

func inParallel(jobs []func() error) error {
	errs := make([]error, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				errs[i] = jobs[i]()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// figures returns every share of the table.
func (t *table) figures() []float64 {
	var out []float64
	for _, c := range t.Coverage {
		out = append(out, c.Percentile, c.StudentT)
		if c.SignFlip != nil {
			out = append(out, *c.SignFlip)
		}
	}
	for _, d := range t.Drift {
		out = append(out, d.Sequential, d.Counterbalanced)
	}
	return out
}
