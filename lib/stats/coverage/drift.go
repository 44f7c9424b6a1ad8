package main

import (
	"math"

	"github.com/phaselock/phaselock/lib/stats"
)

// world is how the speed of a machine moves while nothing about the programs differs.
type world struct {
	name  string
	speed func(g *normals, runs int) []float64 // log speed at each run, noise of deviation 1 included
}

var worlds = []world{
	{"independent noise", func(g *normals, runs int) []float64 { return autoregressive(g, runs, 0) }},
	{"autocorrelation 0.9", func(g *normals, runs int) []float64 { return autoregressive(g, runs, 0.9) }},
	{"linear drift of 3 deviations", func(g *normals, runs int) []float64 {
		v := autoregressive(g, runs, 0)
		for i := range v {
			v[i] += 3 * float64(i) / float64(runs-1)
		}
		return v
	}},
	{"one slow third", func(g *normals, runs int) []float64 {
		v := autoregressive(g, runs, 0)
		for i := runs / 3; i < 2*runs/3; i++ {
			v[i] += 3
		}
		return v
	}},
}

// autoregressive returns a stationary series of deviation 1 whose neighbours correlate by rho.
func autoregressive(g *normals, runs int, rho float64) []float64 {
	v := make([]float64, runs)
	v[0] = g.next()
	for i := 1; i < runs; i++ {
		v[i] = rho*v[i-1] + math.Sqrt(1-rho*rho)*g.next()
	}
	return v
}

// drift is how often a difference between two equal programs is declared at a nominal 5%.
type drift struct {
	World           string  `json:"world"`
	Blocks          int     `json:"blocks"`
	Sequential      float64 `json:"all_a_then_all_b"` // Welch's t test
	Counterbalanced float64 `json:"counterbalanced"`  // Student's t on the block effects
}

func simulateDrift(wo world, blocks, replications int) (drift, error) {
	d := drift{World: wo.name, Blocks: blocks}
	g := newNormals("drift/"+wo.name, blocks)
	var sequential, counterbalanced int
	effects := make([]float64, blocks)
	for range replications {
		v := wo.speed(g, 2*blocks)
		if welch(v[:blocks], v[blocks:]) < 1-level {
			sequential++
		}
		order := orders(g, blocks)
		for b := range effects {
			first, second := v[2*b], v[2*b+1]
			effects[b] = second - first
			if order[b] { // B ran first
				effects[b] = first - second
			}
		}
		low, high, err := stats.StudentT(effects, level)
		if err != nil {
			return d, err
		}
		counterbalanced += 1 - holds(low, high)
	}
	d.Sequential, d.Counterbalanced = share(sequential, replications), share(counterbalanced, replications)
	return d, nil
}

// orders draws which blocks begin with B: half of them, shuffled.
func orders(g *normals, blocks int) []bool {
	order := make([]bool, blocks)
	for i := range blocks / 2 {
		order[i] = true
	}
	g.s.Shuffle(blocks, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// welch returns the two-sided p of Welch's test (1947) for two samples of one size, its degrees of freedom rounded down.
func welch(a, b []float64) float64 {
	n := float64(len(a))
	ma, mb := stats.Mean(a), stats.Mean(b)
	va, vb := variance(a, ma)/n, variance(b, mb)/n
	t := math.Abs(ma-mb) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/(n-1) + vb*vb/(n-1))
	return stats.StudentTail(t, int(df))
}

func variance(v []float64, mean float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(v)-1)
}
