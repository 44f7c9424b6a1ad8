package sample

import (
	"fmt"
	"math"

	"github.com/phaselock/phaselock/lib/plan"
)

// wholeProcess adds the declared whole-process figures to repeat 1. The harness's own figures stand in place of
// metrics of these names that the program printed itself.
func (r *reader) wholeProcess() error {
	for i := range r.phase.Metrics {
		m := &r.phase.Metrics[i]
		if m.Role == plan.RoleDerived || !plan.IsProcessUnit(m.Unit) {
			continue
		}
		for j := range r.samples {
			if _, printed := r.samples[j].Values[m.Unit]; printed {
				r.warn("shadowed-unit", m.Unit, "the program prints a metric %s of its own; the harness's figure of the process stands in its place", m.Unit)
				delete(r.samples[j].Values, m.Unit)
			}
		}
		v, ok := r.outcome.figure(m.Unit)
		if !ok {
			return r.failAt(m.At, FailRows, "%s is unknown: a child begins with its parent's peak, and the kernel's figure "+
				"does not rise above that floor; a program this small cannot be measured by it", m.Unit)
		}
		r.samples[0].Values[m.Unit] = v
	}
	return nil
}

// figure returns a whole-process figure by its unit, and whether it is known.
func (o *Outcome) figure(unit string) (float64, bool) {
	switch unit {
	case "wall-ns":
		return float64(o.WallNS), true
	case "user-ns":
		return float64(o.UserNS), true
	case "sys-ns":
		return float64(o.SysNS), true
	case "max-rss-bytes":
		if o.MaxRSSBytes == nil {
			return 0, false
		}
		return float64(*o.MaxRSSBytes), true
	case "minor-faults":
		return float64(o.MinorFaults), true
	case "major-faults":
		return float64(o.MajorFaults), true
	case "voluntary-switches":
		return float64(o.VoluntarySwitches), true
	case "involuntary-switches":
		return float64(o.InvoluntarySwitches), true
	}
	panic(fmt.Sprintf("no figure for the process unit %q", unit)) // the units are protocol's own table
}

// derive adds the derived metrics, sample by sample: numerator over denominator. One without a finite value, for a
// denominator of zero or a part that stands on repeat 1 alone, is left out.
func (r *reader) derive() {
	for i := range r.phase.Metrics {
		m := &r.phase.Metrics[i]
		if m.Role != plan.RoleDerived {
			continue
		}
		for j := range r.samples {
			values := r.samples[j].Values
			delete(values, m.Unit) // what the program printed by this name is not what was declared
			num, ok := values[m.Num]
			den, ok2 := values[m.Den]
			if v := num / den; ok && ok2 && !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[m.Unit] = v
			}
		}
	}
}
