package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/phaselock/phaselock/lib/stats"
)

// spinMargin is how many robust standard deviations of the phase the spins of one block must lie apart to be noted.
const spinMargin = 5

// spinFloor is the least relative difference of two spins that is noted: below it timers and caches speak.
const spinFloor = 0.01

// machineSpeed notes blocks whose calibration spins differ by more than the spread of all spins of the phase
// explains: the machine changed its speed between the runs of the block. Spins come before runs only, and nothing
// is dropped on them.
func machineSpeed(in *Input) []Finding {
	type block struct {
		name  string
		block int
	}
	var blocks []block
	spins := map[block][]float64{}
	var all []float64
	standing := map[[2]int]bool{}
	for i := range in.phase().Cases {
		for _, c := range in.Grid.Cells(in.phase().Cases[i].Name) {
			if c.Process != nil {
				standing[[2]int{c.Run.Number, c.Process.Attempt}] = true
			}
		}
	}
	for _, r := range in.Facts.Runs {
		if r.SpinNS <= 0 || !standing[[2]int{r.Run, r.Attempt}] {
			continue
		}
		run := &in.Grid.Plan.Runs[r.Run-1]
		b := block{run.Case, run.Block}
		if spins[b] == nil {
			blocks = append(blocks, b)
		}
		v := math.Log(float64(r.SpinNS))
		spins[b] = append(spins[b], v)
		all = append(all, v)
	}
	threshold := math.Max(math.Log1p(spinFloor), spinMargin*robustDeviation(all))
	var out []Finding
	for _, b := range blocks {
		apart := slices.Max(spins[b]) - slices.Min(spins[b])
		if apart <= threshold {
			continue
		}
		out = append(out, Finding{Case: b.name, Blocks: []int{b.block}, Message: fmt.Sprintf(
			"the spins before the runs of block %d lie %s apart; the spread of the phase explains %s: the machine changed its speed within the block",
			b.block, percent(math.Exp(apart)), percent(math.Exp(threshold)))})
	}
	return out
}

// robustDeviation is 1.4826 times the median absolute deviation from the median: the standard deviation of normal
// values, unmoved by a minority of others (Hampel 1974). It is 0 for no values.
func robustDeviation(vs []float64) float64 {
	center, err := stats.Median(vs)
	if err != nil {
		return 0
	}
	deviations := make([]float64, len(vs))
	for i, v := range vs {
		deviations[i] = math.Abs(v - center)
	}
	mad, err := stats.Median(deviations)
	if err != nil {
		return 0
	}
	return 1.4826 * mad
}
