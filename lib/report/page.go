// Package report shows a result to people: the last screen of a run, report.md, the page before results (explain)
// and the table of a plan. Its sentences are derived from the numbers by fixed rules; nothing here computes a
// statistic, and the same page gives the same bytes.
package report

import (
	"errors"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// Page is what every form of the report is made from.
type Page struct {
	Plan   *plan.Plan
	Result *analysis.Result // nil before there are results (Explain)
	Ledger []ledger.Entry   // nil where there is no result folder: before a run, or for a CSV file
	Folder string           // where the files lie, for the terminal; report.md never depends on it
	Anchor Anchor           // who signed seal and ledger
	Head   string           // digest of the ledger's last line, for the terminal: what to write down elsewhere; "" without a ledger
}

// errNoPlan is what every form of the report fails with when there is nothing to say what was planned.
var errNoPlan = errors.New("report: the page has no plan")

func (p Page) check() error {
	if p.Plan == nil || p.Plan.Phase == nil {
		return errNoPlan
	}
	return nil
}

func (p Page) phase() *plan.Phase { return p.Plan.Phase }

// exploratory says of a result that it is not the registered one; "" if it is.
func (p Page) exploratory(v voice) string {
	if p.Result == nil || len(p.Result.Exploratory) == 0 {
		return ""
	}
	return "Exploratory, made after the results by " + v.name(strings.Join(p.Result.Exploratory, " ")) + ": what it finds was not preregistered, and gates are not judged by it."
}

// contrast is an arm and what it is compared with.
type contrast struct{ arm, base string }

// reading is one comparison in its place: a case, a metric, an arm against its base.
type reading struct {
	name    string // of the case
	metric  *analysis.Metric
	c       *analysis.Comparison
	control bool // one of the two is an A/A arm
	same    bool // both run one program with one argv
}

// readings returns every comparison of the result, cases outer, in the order of analysis.json.
func (p Page) readings() []reading {
	var out []reading
	if p.Result == nil {
		return nil
	}
	for i := range p.Result.Cases {
		c := &p.Result.Cases[i]
		for j := range c.Metrics {
			m := &c.Metrics[j]
			for k := range m.Comparisons {
				r := reading{name: c.Case, metric: m, c: &m.Comparisons[k]}
				r.control = p.isControl(r.c.Arm) || p.isControl(r.c.Base)
				r.same = p.identical(c.Case, r.c.Arm, r.c.Base)
				out = append(out, r)
			}
		}
	}
	return out
}

func (p Page) isControl(arm string) bool {
	a := p.phase().Arm(arm)
	return a != nil && a.Control
}

// units returns the units that are compared, in declared order.
func units(rs []reading) []string {
	return distinct(rs, func(r reading) string { return r.metric.Unit })
}

// contrasts returns the pairs that are compared, in declared order.
func contrasts(rs []reading) []contrast {
	return distinct(rs, func(r reading) contrast { return contrast{r.c.Arm, r.c.Base} })
}

// oneBase reports whether all contrasts have one base.
func oneBase(ks []contrast) bool {
	return !slices.ContainsFunc(ks, func(k contrast) bool { return k.base != ks[0].base })
}

func distinct[T comparable](rs []reading, of func(reading) T) []T {
	var out []T
	seen := map[T]bool{}
	for _, r := range rs {
		if k := of(r); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// pick returns the readings of one metric and one contrast.
func pick(rs []reading, unit string, k contrast) []reading {
	var out []reading
	for _, r := range rs {
		if r.metric.Unit == unit && (contrast{r.c.Arm, r.c.Base}) == k {
			out = append(out, r)
		}
	}
	return out
}

// difference reports whether the comparison estimates a difference instead of a ratio.
func (r reading) difference() bool { return r.c.Estimand == plan.BlockDifference }

// null is the value of no difference between the arms.
func (r reading) null() float64 {
	if r.difference() {
		return 0
	}
	return 1
}

// reason is why the comparison has no verdict or no interval.
func (r reading) reason() string {
	if r.c.VerdictReason == nil || *r.c.VerdictReason == "" {
		return "no reason is recorded"
	}
	return *r.c.VerdictReason
}

// ends returns the ends of the registered interval; ok is false where there is none.
func (r reading) ends() (low, high float64, ok bool) {
	if r.c.Interval == nil {
		return 0, 0, false
	}
	return bothFinite(r.c.Interval.Low, r.c.Interval.High)
}

// side says where the registered interval lies: -1 below no difference, 1 above, 0 if it includes it or is missing.
func (r reading) side() int {
	low, high, ok := r.ends()
	switch {
	case !ok:
		return 0
	case high < r.null():
		return -1
	case low > r.null():
		return 1
	}
	return 0
}
