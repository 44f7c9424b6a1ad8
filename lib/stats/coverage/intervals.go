package main

import (
	"math"

	"github.com/phaselock/phaselock/lib/stats"
)

// shape is a distribution of block effects with mean 0.
type shape struct {
	name string
	draw func(g *normals) float64
}

var shapes = []shape{
	{"normal", func(g *normals) float64 { return g.next() }},
	{"t3", func(g *normals) float64 { // heavy tails: Student's t with 3 degrees of freedom
		z := g.next()
		chi := 0.0
		for range 3 {
			x := g.next()
			chi += x * x
		}
		return z / math.Sqrt(chi/3)
	}},
	{"lognormal", func(g *normals) float64 { // strong skew: exp of a standard normal, less its mean
		return math.Exp(g.next()) - math.Exp(0.5)
	}},
}

// coverage is how often each interval of n blocks held the true mean.
type coverage struct {
	Shape      string   `json:"shape"`
	Blocks     int      `json:"blocks"`
	Percentile float64  `json:"percentile"`
	StudentT   float64  `json:"student_t"`
	SignFlip   *float64 `json:"sign_flip"` // null where no such interval exists
}

func simulateCoverage(sh shape, n, replications, resamples int) (coverage, error) {
	c := coverage{Shape: sh.name, Blocks: n}
	g := newNormals("coverage/"+sh.name, n)
	boot, err := stats.NewBootstrap(n, resamples, 1)
	if err != nil {
		return c, err
	}
	v := make([]float64, n)
	flip := newFlips(n)
	var percentile, student, flips int
	for range replications {
		for i := range v {
			v[i] = sh.draw(g)
		}
		low, high, ok := stats.ExactPercentile(v, level)
		if !ok {
			if low, high, err = boot.Percentile(v, level); err != nil {
				return c, err
			}
		}
		percentile += holds(low, high)
		if low, high, err = stats.StudentT(v, level); err != nil {
			return c, err
		}
		student += holds(low, high)
		if flip.k > 0 && flip.holdsZero(v) {
			flips++
		}
	}
	c.Percentile, c.StudentT = share(percentile, replications), share(student, replications)
	if flip.k > 0 {
		f := share(flips, replications)
		c.SignFlip = &f
	}
	return c, nil
}

func holds(low, high float64) int {
	if low <= 0 && 0 <= high {
		return 1
	}
	return 0
}

func share(n, of int) float64 { return float64(n) / float64(of) }
