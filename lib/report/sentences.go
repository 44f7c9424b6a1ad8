package report

import (
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
)

// measured says in sentences what the numbers are, metric by metric and contrast by contrast. Every sentence follows
// from the numbers by a rule.
func (w *writer) measured() {
	if len(w.readings) == 0 {
		w.text(w.page.noAnswer())
		return
	}
	ks := contrasts(w.readings)
	for _, unit := range units(w.readings) {
		for _, k := range ks {
			rs := pick(w.readings, unit, k)
			if len(rs) == 0 {
				continue
			}
			w.text(summary(rs, written))
			items := make([]string, len(rs))
			for i, r := range rs {
				items[i] = statement(r, written)
			}
			w.items(items...)
		}
	}
}

// summary introduces a metric of a contrast: "faster in 3 and unresolved in 1 of 4 cases; 3 of 4 intervals lie below 1".
func summary(rs []reading, v voice) string {
	r := rs[0]
	s := fmt.Sprintf("%s, %s against %s: %s", v.name(r.metric.Unit), v.name(r.c.Arm), v.name(r.c.Base), inBrief(rs))
	if len(rs) > 1 {
		s += " cases"
	}
	if sides := intervalSides(rs); sides != "" {
		s += "; " + sides
	}
	return s + "."
}

// intervalSides counts the intervals below and above no difference.
func intervalSides(rs []reading) string {
	var below, above, k, equal int
	for _, r := range rs {
		if r.c.Verdict == analysis.Equal {
			equal++
		}
		if _, _, ok := r.ends(); !ok {
			continue
		}
		k++
		switch r.side() {
		case -1:
			below++
		case 1:
			above++
		}
	}
	switch {
	case equal == len(rs):
		return ""
	case k == 0:
		return "there is no interval"
	}
	s := fmt.Sprintf("%d of %s below %g", below, count(k, "interval"), rs[0].null())
	if above > 0 {
		s += fmt.Sprintf(", %d above", above)
	}
	return s
}

// statement says what one comparison is.
func statement(r reading, v voice) string {
	s := v.name(r.name) + ": " + r.verdictText(v)
	for _, more := range []string{r.agreement(), r.adjusted(), r.limited(), r.confoundText(v), r.disagreement()} {
		if more != "" {
			s += " " + more
		}
	}
	return s
}

// verdictText is the verdict with its numbers. What is worse than the base is a result like any other, and is called so.
func (r reading) verdictText(v voice) string {
	numbers := r.numbersText(v)
	w := r.word()
	switch {
	case w == includes || w == excludes:
		return fmt.Sprintf("A/A, and the interval %s %g: %s.", w, r.null(), numbers)
	case w == analysis.Equal:
		return fmt.Sprintf("equal: the two medians are the same in every block, %s.", r.absolutes(v))
	case w == analysis.Undefined, w == noVerdict && !r.estimated():
		return fmt.Sprintf("%s: %s; %s.", w, v.prose(r.reason()), r.absolutes(v))
	case w == noVerdict:
		return fmt.Sprintf("no verdict: %s; %s.", v.prose(r.reason()), numbers)
	case w == analysis.Unresolved && r.c.Interval == nil:
		return fmt.Sprintf("unresolved: %s; %s.", v.prose(r.reason()), numbers)
	case w == analysis.Unresolved:
		return fmt.Sprintf("unresolved: the interval includes %g; %s.", r.null(), numbers)
	case r.tone() < 0:
		return fmt.Sprintf("retained negative result: %s, %s.", w, numbers)
	}
	return fmt.Sprintf("%s, %s.", w, numbers)
}

// numbersText is "0.337 (-66.3%), 95% interval [0.331, 0.343]; 15.7 ms against 46.5 ms".
func (r reading) numbersText(v voice) string {
	s := r.size(v)
	e := r.effect()
	if e.change != missing {
		s += " (" + e.change + ")"
	}
	if r.c.Interval != nil && e.interval != missing {
		s += ", " + level(r.c.Interval.Level) + " interval " + spaced(e.interval, e.suffix)
	}
	return s + "; " + r.absolutes(v)
}

// agreement says whether the blocks lie on one side.
func (r reading) agreement() string {
	var below, above, n int
	var low, high float64
	for i := range r.c.BlockRatios {
		v, ok := finite(r.c.BlockRatios[i].Ratio)
		if !ok {
			continue
		}
		if n == 0 || v < low {
			low = v
		}
		if n == 0 || v > high {
			high = v
		}
		n++
		switch {
		case v < r.null():
			below++
		case v > r.null():
			above++
		}
	}
	if n < 2 || r.c.Verdict == analysis.Equal || r.c.Verdict == analysis.Undefined {
		return ""
	}
	from, to := r.span(low, high)
	if below == n || above == n {
		return fmt.Sprintf("Every block agrees: the %s block %s span %s to %s.", cardinal(n), plural(2, r.noun()), from, to)
	}
	return fmt.Sprintf("%d of %d block %s lie below %g, %d above; they span %s to %s.", below, n, plural(2, r.noun()), r.null(), above, from, to)
}

func (r reading) adjusted() string {
	if r.c.AdjustedP == nil {
		return ""
	}
	return fmt.Sprintf("Its p is %s, adjusted over the comparisons %s.", probability(r.c.P), probability(r.c.AdjustedP))
}

// limited says that blocks were lost, unless the reason of the verdict has said so.
func (r reading) limited() string {
	if n := len(r.c.BlockRatios); r.c.Blocks < n && !strings.Contains(r.reason(), "complete block") {
		return fmt.Sprintf("Limited to complete blocks: %d of %d.", r.c.Blocks, n)
	}
	return ""
}

// confoundText says what the matched blocks alone give. It describes and decides nothing.
func (r reading) confoundText(v voice) string {
	if !r.confounded() {
		return ""
	}
	m := r.c.Matched
	return fmt.Sprintf("Confounded: a constant differed between the arms in some blocks; %s, with %s first in %d and %s first in %d; it has no interval.",
		strings.TrimSpace(r.matched(v)), v.name(r.c.Base), m.BaseFirst, v.name(r.c.Arm), m.ArmFirst)
}

func (r reading) disagreement() string {
	if !r.marked() {
		return ""
	}
	return fmt.Sprintf("Another verdict by %s; the registered interval decides.", r.others())
}
