// Command coverage simulates what the intervals of lib/stats cover and what drift does to two ways of ordering runs, and prints
// both as JSON: go run ./lib/stats/coverage > lib/stats/coverage.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/phaselock/phaselock/lib/rng"
)

func main() {
	replications := flag.Int("replications", 20000, "simulated experiments for each figure")
	flag.Parse()
	if *replications < 100 {
		fmt.Fprintln(os.Stderr, "coverage: -replications must be at least 100")
		os.Exit(2)
	}
	table := struct {
		Replications int        `json:"replications"`
		Level        float64    `json:"level"`
		StandardErr  float64    `json:"largest_standard_error"`
		Coverage     []coverage `json:"coverage"`
		Drift        []drift    `json:"drift"`
	}{Replications: *replications, Level: level}
	for _, shape := range shapes {
		for n := 4; n <= 20; n++ {
			table.Coverage = append(table.Coverage, simulateCoverage(shape, n, *replications))
		}
	}
	for _, world := range worlds {
		for _, n := range []int{6, 10, 20} {
			table.Drift = append(table.Drift, simulateDrift(world, n, *replications))
		}
	}
	table.StandardErr = math.Sqrt(0.25 / float64(*replications))
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", " ")
	if err := e.Encode(table); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// normals draws standard normal numbers from one of the project's streams (Box and Muller 1958).
type normals struct {
	s     *rng.Stream
	spare float64
	has   bool
}

func newNormals(purpose string, n int) *normals {
	return &normals{s: rng.New("simulation/"+purpose, int64(n))}
}

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
