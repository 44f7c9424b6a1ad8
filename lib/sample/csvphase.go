package sample

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
)

// metrics returns the metrics and constants that the options declare on the columns of the table.
func (t *table) metrics(o CSVOptions) ([]plan.Metric, error) {
	units := t.units()
	var out []plan.Metric
	declared := func(unit string) bool {
		return slices.ContainsFunc(out, func(m plan.Metric) bool { return m.Unit == unit })
	}
	add := func(flag string, m plan.Metric) error {
		if !slices.Contains(units, m.Unit) {
			return fmt.Errorf("%s: %s %q: no column has this name%s", t.name, flag, m.Unit, didYouMean(m.Unit, units))
		}
		if declared(m.Unit) {
			return fmt.Errorf("%s: %s %q: declared twice", t.name, flag, m.Unit)
		}
		out = append(out, m)
		return nil
	}
	named := o.Metrics
	if len(named) == 0 {
		for _, u := range units {
			if !slices.ContainsFunc(o.Constants, func(c CSVConstant) bool { return c.Unit == u }) {
				named = append(named, CSVMetric{u, "lower"})
			}
		}
	}
	if len(named) == 0 {
		return nil, fmt.Errorf("%s: no column of a metric beside %v", t.name, t.header)
	}
	for _, m := range named {
		if m.Better != "lower" && m.Better != "higher" {
			return nil, fmt.Errorf("%s: --metric %q: want lower or higher, got %q", t.name, m.Unit, m.Better)
		}
		if err := add("--metric", plan.Metric{Unit: m.Unit, Role: plan.RoleMetric, Better: m.Better}); err != nil {
			return nil, err
		}
	}
	for _, c := range o.Constants {
		if err := add("--constant", plan.Metric{Unit: c.Unit, Role: plan.RoleConstant, Confound: c.Confound}); err != nil {
			return nil, err
		}
	}
	return out, t.differences(o, out)
}

// differences gives the metrics that are compared by differences an estimand of their own.
func (t *table) differences(o CSVOptions, metrics []plan.Metric) error {
	interval, err := o.interval()
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	var units []string
	for i := range metrics {
		if metrics[i].Role == plan.RoleMetric {
			units = append(units, metrics[i].Unit)
		}
	}
	for _, unit := range o.Differences {
		i := slices.IndexFunc(metrics, func(m plan.Metric) bool { return m.Unit == unit && m.Role == plan.RoleMetric })
		if i < 0 {
			return fmt.Errorf("%s: --difference %q: no metric has this name%s", t.name, unit, didYouMean(unit, units))
		}
		metrics[i].Estimand = &plan.Estimand{Kind: plan.BlockDifference, Interval: interval}
	}
	return nil
}

// interval returns the interval that the options ask for.
func (o *CSVOptions) interval() (plan.Interval, error) {
	i := plan.Interval{Kind: o.Interval, Level: o.Level}
	if i.Kind == "" {
		i.Kind = plan.StudentT
	}
	if i.Level == 0 {
		i.Level = 0.95
	}
	if !(i.Level > 0 && i.Level < 1) {
		return i, fmt.Errorf("--level %v: want a number between 0 and 1, 0.95 for instance", o.Level)
	}
	switch i.Kind {
	case plan.StudentT, plan.SignFlip:
		return i, nil
	case plan.Percentile:
	default:
		return i, fmt.Errorf("--interval %q: want %s, %s or %s%s", i.Kind, plan.StudentT, plan.Percentile, plan.SignFlip,
			didYouMean(i.Kind, []string{plan.StudentT, plan.Percentile, plan.SignFlip}))
	}
	if i.Resamples, i.Seed = o.Resamples, o.Seed; i.Resamples == 0 {
		i.Resamples = 20_000
	}
	if i.Resamples < 100 || i.Resamples > 10_000_000 {
		return i, fmt.Errorf("--resamples %d: want 100 to 10000000, 20000 for instance", i.Resamples)
	}
	if i.Seed < 0 || i.Seed > plan.MaxSeed {
		return i, fmt.Errorf("--seed %d: want 0 to 2^53-1", i.Seed)
	}
	return i, nil
}

// phase returns the phase that the samples would have come from.
func (g *csvGrid) phase(o CSVOptions, metrics []plan.Metric) (*plan.Phase, error) {
	baseline := o.Baseline
	switch {
	case baseline == "" && len(g.arms) > 1:
		return nil, fmt.Errorf("%s: %d arms; name the one that the others are compared with, --baseline ARM%s", g.name, len(g.arms), didYouMean("", g.arms))
	case baseline == "":
		baseline = g.arms[0]
	case !slices.Contains(g.arms, baseline):
		return nil, fmt.Errorf("%s: --baseline: no arm named %q%s", g.name, baseline, didYouMean(baseline, g.arms))
	}
	interval, err := o.interval()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	p := &plan.Phase{
		Name: "csv", Question: fmt.Sprintf("What do the samples of %s say?", filepath.Base(g.name)),
		Baseline: baseline, Repeats: g.repeats, Metrics: metrics,
		Estimand: plan.Estimand{Kind: plan.BlockRatio, Interval: interval},
		Design:   plan.Design{Kind: plan.DesignFixed, Blocks: g.blocks, Nesting: plan.NestBlocks, Order: plan.OrderCase, Orders: g.orders()},
	}
	for _, name := range g.arms {
		p.Arms = append(p.Arms, plan.Arm{Name: name})
		if name != baseline {
			p.Contrasts = append(p.Contrasts, plan.Contrast{Arm: name, Base: baseline})
		}
	}
	for _, c := range g.cases {
		p.Cases = append(p.Cases, plan.Case{Name: c.name, Arms: c.arms})
	}
	return p, nil
}
