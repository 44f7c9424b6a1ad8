package stats

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:generate sh -c "go run ./coverage > coverage.json.new && mv coverage.json.new coverage.json"

//go:embed coverage.json
var coverageJSON []byte

// simulated is the table that lib/stats/coverage made, by interval and blocks, for normal block effects.
var simulated = sync.OnceValue(func() map[string]map[int]float64 {
	var t struct {
		Coverage []struct {
			Shape      string
			Blocks     int
			Percentile float64
			StudentT   float64  `json:"student_t"`
			SignFlip   *float64 `json:"sign_flip"`
		}
	}
	if err := json.Unmarshal(coverageJSON, &t); err != nil {
		panic(err) // embedded at build time; a test reads it
	}
	out := map[string]map[int]float64{"percentile": {}, "student_t": {}, "sign_flip": {}}
	for _, c := range t.Coverage {
		if c.Shape != "normal" {
			continue
		}
		out["percentile"][c.Blocks] = c.Percentile
		out["student_t"][c.Blocks] = c.StudentT
		if c.SignFlip != nil {
			out["sign_flip"][c.Blocks] = *c.SignFlip
		}
	}
	return out
})

// Coverage returns how often a nominal 95% interval of a kind ("percentile", "student_t", "sign_flip") holds the true mean of n
// normal block effects, as simulated by lib/stats/coverage (docs/methodology.md has the whole table). ok is false where it was
// not simulated: outside 4 to 20 blocks.
func Coverage(kind string, n int) (share float64, ok bool) {
	share, ok = simulated()[kind][n]
	return share, ok
}
