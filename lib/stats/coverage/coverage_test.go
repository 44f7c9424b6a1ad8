package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/stats"
)

func stored(t *testing.T) *table {
	t.Helper()
	data, err := os.ReadFile("../coverage.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var out table
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// The documents print what the program printed, figure by figure.
func TestMethodologyHasTheTables(t *testing.T) {
	data, err := os.ReadFile("../../../docs/methodology.md")
	if err != nil {
		t.Fatal(err)
	}
	s := stored(t)
	for name, want := range map[string]string{"coverage": s.coverageMarkdown(), "drift": s.driftMarkdown()} {
		if !strings.Contains(string(data), want) {
			t.Errorf("docs/methodology.md does not have the table of %s; go run ./lib/stats/coverage -tables lib/stats/coverage.json prints it:\n%s", name, want)
		}
	}
}

// Under symmetry the sign-flip interval covers 1 - 2k/2^n whatever the distribution, and Student's covers its level under normality:
// what is known exactly comes out within 4.5 standard errors, which 60 figures exceed once in 2,000 tables.
func TestKnownCoverage(t *testing.T) {
	s := stored(t)
	if s.Replications < 20000 || s.Resamples != 20000 || s.Level != level || len(s.Coverage) != 3*17 {
		t.Fatalf("%d replications, %d resamples, level %v, %d rows", s.Replications, s.Resamples, s.Level, len(s.Coverage))
	}
	hold := func(what string, n int, got, want float64) {
		t.Helper()
		if e := math.Sqrt(want * (1 - want) / float64(s.Replications)); math.Abs(got-want) > 4.5*e {
			t.Errorf("%s at %d blocks: %v, want %v ± %.4f", what, n, got, want, e)
		}
	}
	for _, c := range s.Coverage {
		r, _ := stats.SignFlip(make([]float64, c.Blocks), level)
		if (c.SignFlip != nil) != r.Exists {
			t.Errorf("%s, %d blocks: a sign-flip figure is there: %v", c.Shape, c.Blocks, c.SignFlip != nil)
		}
		if c.SignFlip != nil && c.Shape != "lognormal" {
			hold("sign_flip, "+c.Shape, c.Blocks, *c.SignFlip, r.Level)
		}
		if c.Shape == "normal" {
			hold("student_t", c.Blocks, c.StudentT, level)
		}
	}
	for _, d := range s.Drift {
		if d.World == "independent noise" {
			hold("counterbalanced under independent noise", d.Blocks, 1-d.Counterbalanced, level)
		}
	}
}

// The short way to count subsets and the interval itself come to the same answer.
func TestFlipsAgreeWithTheInterval(t *testing.T) {
	for n := 4; n <= 14; n++ {
		f, g := newFlips(n), newNormals("test", n)
		if (f.k > 0) != (n >= 6) {
			t.Errorf("%d blocks: k = %d", n, f.k)
		}
		held := 0
		for range 200 {
			v := make([]float64, n)
			for i := range v {
				v[i] = g.next() + 0.5 // so that both answers are common
			}
			r, _ := stats.SignFlip(v, level)
			if f.k == 0 {
				continue
			}
			got := f.holdsZero(v)
			if want := holds(r.Low, r.High) == 1; got != want {
				t.Fatalf("%v: holds 0: %v, the interval [%v, %v] says %v", v, got, r.Low, r.High, want)
			}
			if got {
				held++
			}
		}
		if n >= 6 && (held == 0 || held == 200) {
			t.Errorf("%d blocks: %d of 200 held 0: the test saw one answer only", n, held)
		}
	}
}

// The same seeds give the same table, however the work was spread.
func TestSimulationRepeats(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if err := run(w, 100, 100, ""); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two simulations differ")
	}
	if err := run(&a, 99, 100, ""); err == nil {
		t.Error("99 replications were accepted")
	}
	if err := run(&a, 100, 100, "no-such-file"); err == nil {
		t.Error("a missing file was read")
	}
}

// The normal numbers have the moments of normal numbers, each within five standard errors.
func TestNormals(t *testing.T) {
	const n = 200000
	g := newNormals("moments", 1)
	var sums [5]float64
	for range n {
		x := g.next()
		for p, y := 1, x; p <= 4; p, y = p+1, y*x {
			sums[p] += y
		}
	}
	for p, want := range map[int]float64{1: 0, 2: 1, 3: 0, 4: 3} {
		deviation := math.Sqrt(map[int]float64{1: 1, 2: 2, 3: 15, 4: 96}[p] / n)
		if got := sums[p] / n; math.Abs(got-want) > 5*deviation {
			t.Errorf("moment %d: %v, want %v ± %v", p, got, want, deviation)
		}
	}
}

// Welch's p at R's figures, its degrees of freedom rounded down: never below R's, and close to it.
func TestWelch(t *testing.T) {
	x := []float64{100.1, 101.7, 99.8, 102.3, 100.9, 101.2}
	y := []float64{103.4, 102.9, 101.9, 104.2, 100.5, 103.1}
	const r = 0.031207409617595 // t.test(x, y), 9.1486 degrees of freedom
	if p := welch(x, y); p < r || p > 1.02*r {
		t.Errorf("p %v, R has %v", p, r)
	}
}
