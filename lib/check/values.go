package check

import (
	"math"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
	"github.com/phaselock/phaselock/lib/stats"
)

// Values returns a metric's values over the samples of a process, in order. A derived metric is computed sample by
// sample; omitted counts the samples in which it has no finite value (a denominator of zero, or a part missing).
// A whole-process figure stands on repeat 1 alone, so what is derived from one has a single value.
func Values(m *plan.Metric, proc *sample.Process) (values []float64, omitted int) {
	if m.Role != plan.RoleDerived {
		for i := range proc.Samples {
			if v, ok := proc.Samples[i].Values[m.Unit]; ok {
				values = append(values, v)
			}
		}
		return values, 0
	}
	samples := proc.Samples
	if len(samples) > 1 && (plan.IsProcessUnit(m.Num) || plan.IsProcessUnit(m.Den)) {
		samples = samples[:1]
	}
	for i := range samples {
		num, ok := samples[i].Values[m.Num]
		den, ok2 := samples[i].Values[m.Den]
		if v := num / den; ok && ok2 && Finite(v) {
			values = append(values, v)
			continue
		}
		omitted++
	}
	return values, omitted
}

// Median returns the process median of a metric, or nil where it has no finite one.
func Median(m *plan.Metric, proc *sample.Process) *float64 {
	values, _ := Values(m, proc)
	if len(values) == 0 {
		return nil
	}
	for _, v := range values {
		if !Finite(v) {
			return nil
		}
	}
	v, err := stats.Median(values)
	if err != nil || !Finite(v) {
		return nil
	}
	return &v
}

// Constant returns the value that a constant has in all samples of a process, or nil where they differ or have none.
func Constant(m *plan.Metric, proc *sample.Process) *float64 {
	var first *float64
	for i := range proc.Samples {
		v, ok := proc.Samples[i].Values[m.Unit]
		switch {
		case !ok && plan.IsProcessUnit(m.Unit):
			continue // stands on repeat 1 alone
		case !ok || !Finite(v), first != nil && *first != v:
			return nil
		}
		first = &v
	}
	return first
}

// Finite reports whether v is a number that JSON can hold.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
