package main

import (
	"math"

	"github.com/phaselock/phaselock/lib/stats"
)

const (
	level     = 0.95
	resamples = 4000 // above 8 blocks, where the exact limit is not enumerated
)

// shape is a distribution of block effects with mean 0.
type shape struct {
	name string
	draw func(g *normals) float64
}

var shapes = []shape{
	{"normal", func(g *normals) float64 { return g.next() }},
	{"t3", func(g *normals) float64 { // heavy tails
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

func simulateCoverage(sh shape, n, replications int) coverage {
	g := newNormals("coverage/"+sh.name, n)
	boot, err := stats.NewBootstrap(n, resamples, 1)
	if err != nil {
		panic(err)
	}
	v := make([]float64, n)
	var percentile, student, flips int
	flipRuns := replications
	if n > 12 {
		flipRuns = min(replications, 2000) // 2^n sign flips each
	}
	exists := true
	for r := range replications {
		for i := range v {
			v[i] = sh.draw(g)
		}
		low, high, ok := stats.ExactPercentile(v, level)
		if !ok {
			if low, high, err = boot.Percentile(v, level); err != nil {
				panic(err)
			}
		}
		percentile += holds(low, high)
		if low, high, err = stats.StudentT(v, level); err != nil {
			panic(err)
		}
		student += holds(low, high)
		if r < flipRuns && exists && n <= 16 {
			f, _ := stats.SignFlip(v, level)
			if exists = f.Exists; exists {
				flips += holds(f.Low, f.High)
			}
		}
	}
	c := coverage{Shape: sh.name, Blocks: n, Percentile: share(percentile, replications), StudentT: share(student, replications)}
	if exists && n <= 16 {
		f := share(flips, flipRuns)
		c.SignFlip = &f
	}
	return c
}

func holds(low, high float64) int {
	if low <= 0 && 0 <= high {
		return 1
	}
	return 0
}

func share(n, of int) float64 { return math.Round(1e4*float64(n)/float64(of)) / 1e4 }
