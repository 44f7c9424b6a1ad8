package main

import (
	"math"

	"github.com/phaselock/phaselock/lib/rng"
)

// normals draws standard normal numbers from one of the project's streams (Box and Muller 1958).
type normals struct {
	s     *rng.Stream
	spare float64
	has   bool
}

func newNormals(purpose string, n int) *normals {
	return &normals{s: rng.New("simulation/"+purpose, int64(n))}
}

// uniform returns a number between 0 and 1, neither included.
func (g *normals) uniform() float64 { return (float64(g.s.Uint64()>>11) + 0.5) / (1 << 53) }

func (g *normals) next() float64 {
	if g.has {
		g.has = false
		return g.spare
	}
	radius := math.Sqrt(-2 * math.Log(g.uniform()))
	sin, cos := math.Sincos(2 * math.Pi * g.uniform())
	g.spare, g.has = radius*sin, true
	return radius * cos
}
