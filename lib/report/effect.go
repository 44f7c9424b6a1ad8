package report

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
)

// effect is a comparison's estimate and registered interval in words: numbers that share their decimals.
type effect struct {
	estimate string // "0.337", "-3.2"
	interval string // "[0.331, 0.343]", or missing
	suffix   string // of a difference that was scaled: "ms"
	change   string // "-66.3%"; missing for a difference
}

func (r reading) effect() effect {
	e := effect{estimate: missing, interval: missing, change: missing}
	est, okEst := finite(r.c.Estimate)
	low, high, okEnds := r.ends()
	var vs []float64
	if okEnds {
		vs = append(vs, low)
	}
	if okEst {
		vs = append(vs, est)
	}
	if okEnds {
		vs = append(vs, high)
	}
	if len(vs) == 0 {
		return e
	}
	numbers := r.numbers(&e, vs)
	if okEnds {
		e.interval = brackets(numbers[0], numbers[len(numbers)-1])
		numbers = numbers[1 : len(numbers)-1]
	}
	if okEst {
		e.estimate = numbers[0]
		if !r.difference() {
			e.change = percent(r.c.Estimate)
		}
	}
	return e
}

// numbers writes estimates on the comparison's scale with the same decimals.
func (r reading) numbers(e *effect, vs []float64) []string {
	if r.difference() {
		numbers, suffix := read(r.metric.Unit).differences(vs...)
		e.suffix = suffix
		return numbers
	}
	d := decimals(baseDecimals(vs[len(vs)/2]), 1, vs...)
	if !slices.ContainsFunc(vs, func(v float64) bool { return v != 1 }) {
		d = 0
	}
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = fixed(v, d)
	}
	return out
}

// figure writes one estimate of the comparison for a table: an order's, a block's, one without a block.
func (r reading) figure(p *float64) string {
	v, ok := finite(p)
	switch {
	case !ok:
		return missing
	case !r.difference():
		return ratio(p)
	}
	numbers, suffix := read(r.metric.Unit).differences(v)
	return spaced(numbers[0], suffix)
}

// span writes the lowest and the highest of some estimates of the comparison.
func (r reading) span(low, high float64) (string, string) {
	var e effect
	numbers := r.numbers(&e, []float64{low, high})
	return spaced(numbers[0], e.suffix), spaced(numbers[1], e.suffix)
}

// spaced puts a unit behind a number.
func spaced(number, unit string) string {
	if unit == "" || number == missing {
		return number
	}
	return number + " " + unit
}

// size writes the estimate with its unit if it has one: "0.337", "-3.2 ms", "-3 allocs/op".
func (r reading) size(v voice) string {
	e := r.effect()
	switch m := read(r.metric.Unit); {
	case r.difference() && e.suffix == "":
		e.suffix = v.prose(m.unit)
	case r.difference():
		e.suffix += v.prose(m.per)
	}
	return spaced(e.estimate, e.suffix)
}

// noun is what the comparison estimates.
func (r reading) noun() string {
	if r.difference() {
		return "difference"
	}
	return "ratio"
}

// absolutes writes "15.7 ms against 46.5 ms": the arm's value, then its base's; one value where they are equal.
func (r reading) absolutes(v voice) string {
	a := r.metric.Absolute
	arm, base := a[r.c.Arm].Median, a[r.c.Base].Median
	m := read(r.metric.Unit)
	words := m.cells(arm, base)
	unit := v.prose(m.per)
	if m.kind == plain {
		unit = " " + v.prose(m.unit)
	}
	if x, y, ok := bothFinite(arm, base); ok && x == y {
		return v.prose(words[0]) + unit
	}
	return v.prose(words[0]) + " against " + v.prose(words[1]) + unit
}

// measured reports whether either of the arms has a median.
func (r reading) measured() bool {
	a := r.metric.Absolute
	return a[r.c.Arm].Median != nil || a[r.c.Base].Median != nil
}

// Words of a comparison beyond the verdicts that are words themselves.
const (
	faster    = "faster"
	slower    = "slower"
	noVerdict = "no verdict"
	includes  = "includes" // of a control's interval: the value of no difference
	excludes  = "excludes"
)

// word is the comparison's verdict as sentences and tables say it. Only time spent with better = "lower" is faster or
// slower; an A/A comparison is neither, whatever its interval.
func (r reading) word() string {
	directed := r.c.Verdict == analysis.Lower || r.c.Verdict == analysis.Higher
	switch {
	case (r.control || r.same) && directed:
		return excludes
	case (r.control || r.same) && r.c.Verdict == analysis.Unresolved && r.c.Interval != nil:
		return includes
	case directed && r.metric.Better == "lower" && read(r.metric.Unit).fast:
		return map[string]string{analysis.Lower: faster, analysis.Higher: slower}[r.c.Verdict]
	}
	switch r.c.Verdict {
	case analysis.Lower, analysis.Higher, analysis.Equal, analysis.Unresolved, analysis.Undefined:
		return r.c.Verdict
	}
	return noVerdict
}

// tone is +1 where the verdict is what better asks for, -1 where it is the opposite, else 0.
func (r reading) tone() int {
	if r.control || r.same || (r.c.Verdict != analysis.Lower && r.c.Verdict != analysis.Higher) {
		return 0
	}
	switch r.metric.Better {
	case r.c.Verdict:
		return 1
	case "lower", "higher":
		return -1
	}
	return 0
}

// verdictCell is the verdict as a table shows it.
func (r reading) verdictCell() string {
	w := r.word()
	if w == includes || w == excludes {
		return fmt.Sprintf("%s %g", w, r.null())
	}
	return w
}

// confounded reports whether a confounding constant differed in some of the comparison's blocks.
func (r reading) confounded() bool { return r.c.Matched != nil }

// matched says what the comparison gives over the matched blocks: a description, with no interval.
func (r reading) matched(v voice) string {
	m := r.c.Matched
	status := "post-hoc"
	if m.Status != "" {
		status = v.prose(m.Status)
	}
	if _, ok := finite(m.Estimate); !ok {
		return fmt.Sprintf("no estimate over matched blocks (%s, %s)", count(len(m.Blocks), "block"), status)
	}
	return fmt.Sprintf("%s over the %s (%s)", r.figure(m.Estimate), count(len(m.Blocks), "matched block"), status)
}

// kindNames are the kinds of intervals in words.
var kindNames = map[string]string{
	plan.StudentT:   "Student's t",
	plan.Percentile: "percentile bootstrap",
	plan.SignFlip:   "sign-flip",
}

func kindName(k string) string {
	if n := kindNames[k]; n != "" {
		return n
	}
	return clean(k)
}
