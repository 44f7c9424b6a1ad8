package analysis

import (
	"errors"
	"fmt"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/stats"
)

// bootstraps are the resamples of a number of blocks, a number of resamples and a seed: shared by all cases, metrics
// and arms, so that adding a case changes no other interval.
type bootstraps map[resampling]*stats.Bootstrap

type resampling struct {
	blocks, resamples int
	seed              int64
}

func (bs bootstraps) get(n int, iv plan.Interval) (*stats.Bootstrap, error) {
	k := resampling{n, iv.Resamples, iv.Seed}
	if b := bs[k]; b != nil {
		return b, nil
	}
	b, err := stats.NewBootstrap(n, iv.Resamples, iv.Seed)
	if err != nil {
		return nil, err
	}
	bs[k] = b
	return b, nil
}

// ends computes an interval on the linear scale. It gives the reason where there is none.
type ends func(bs bootstraps, iv plan.Interval, effects []float64) (low, high float64, why string, err error)

// intervals holds one entry a kind of interval.
var intervals = map[string]ends{
	plan.StudentT:   studentT,
	plan.Percentile: percentile,
	plan.SignFlip:   signFlip,
}

func studentT(_ bootstraps, iv plan.Interval, effects []float64) (low, high float64, why string, err error) {
	low, high, err = stats.StudentT(effects, iv.Level)
	return low, high, "", err
}

func percentile(bs bootstraps, iv plan.Interval, effects []float64) (low, high float64, why string, err error) {
	b, err := bs.get(len(effects), iv)
	if err != nil {
		return 0, 0, "", err
	}
	low, high, err = b.Percentile(effects, iv.Level)
	return low, high, "", err
}

func signFlip(_ bootstraps, iv plan.Interval, effects []float64) (low, high float64, why string, err error) {
	r, ok := stats.SignFlip(effects, iv.Level)
	switch {
	case !ok:
		return 0, 0, fmt.Sprintf("no interval: the sign-flip interval is not enumerated for %d blocks", len(effects)), nil
	case !r.Exists:
		return 0, 0, fmt.Sprintf("no interval: no distribution-free interval of level %g exists for %d blocks; the widest has %g",
			iv.Level, len(effects), 1-r.MinP), nil
	}
	return r.Low, r.High, "", nil
}

// interval returns an interval of a pair, shown, or nil and the reason why there is none.
func (a *analyzer) interval(iv plan.Interval, p *pair) (*Interval, string, error) {
	compute := intervals[iv.Kind]
	if compute == nil {
		return nil, "", fmt.Errorf("unknown interval %q", iv.Kind)
	}
	if len(p.effects) < 2 {
		return nil, "one block: no interval", nil
	}
	low, high, why, err := compute(a.bootstraps, iv, p.effects)
	switch {
	case errors.Is(err, stats.ErrTooFew):
		return nil, "no interval: " + err.Error(), nil
	case err != nil:
		return nil, "", err
	case why != "":
		return nil, why, nil
	}
	out := &Interval{Kind: iv.Kind, Level: iv.Level, Low: number(p.scale.show(low)), High: number(p.scale.show(high))}
	if out.Low == nil || out.High == nil {
		return nil, "no interval: an end is beyond what a double holds", nil
	}
	if iv.Kind == plan.Percentile {
		seed := iv.Seed
		out.Resamples, out.Seed = iv.Resamples, &seed
	}
	return out, "", nil
}

// simulatedLevel is the level whose coverage is simulated.
const simulatedLevel = 0.95

// unregistered returns what stands beside the registered interval, at its level.
func unregistered(iv plan.Interval, p *pair) (*Unregistered, error) {
	out := &Unregistered{}
	n := len(p.effects)
	if n < 2 {
		return out, nil
	}
	if low, high, ok := stats.ExactPercentile(p.effects, iv.Level); ok {
		out.ExactPercentile = p.ends(low, high)
	}
	low, high, err := stats.StudentT(p.effects, iv.Level)
	if err != nil {
		return nil, err
	}
	out.StudentT = p.ends(low, high)
	if r, ok := stats.SignFlip(p.effects, iv.Level); ok {
		out.SignFlip = &SignFlipEnds{P: number(r.P), MinP: number(r.MinP)}
		if e := p.ends(r.Low, r.High); r.Exists && e != nil {
			out.SignFlip.Low, out.SignFlip.High, out.SignFlip.Level = e.Low, e.High, number(r.Level)
		}
	}
	if c, ok := stats.Coverage(iv.Kind, n); ok && iv.Level == simulatedLevel {
		out.SimulatedCoverage = number(c)
	}
	return out, nil
}

// ends returns an interval's ends as they are shown, or nil where one is not finite.
func (p *pair) ends(low, high float64) *Ends {
	e := &Ends{Low: number(p.scale.show(low)), High: number(p.scale.show(high))}
	if e.Low == nil || e.High == nil {
		return nil
	}
	return e
}
