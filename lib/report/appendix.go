package report

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/analysis"
)

// appendix shows the intervals that were not registered, and further registered ones: beside the answer, not in it.
func (w *writer) appendix() {
	if len(w.readings) == 0 {
		return
	}
	w.heading(3, "Appendix: intervals that do not decide")
	several := len(contrasts(w.readings)) > 1
	header := []string{"Case", "Metric"}
	if several {
		header = append(header, "Arm", "Against")
	}
	g := newGrid(append(header, ">Registered", ">Student's t", ">Sign-flip (level)", ">Exact percentile", ">Sign-flip p (least)", ">Coverage", "Another verdict")...)
	for _, r := range w.readings {
		row := []string{code(r.name), code(r.metric.Unit)}
		if several {
			row = append(row, code(r.c.Arm), code(r.c.Base))
		}
		e := r.effect()
		row = append(row, spaced(e.interval, e.suffix))
		g.row(append(row, r.unregistered()...)...)
	}
	w.table(g.withoutEmpty())
	w.text("Student's t, sign-flip and exact percentile are unregistered, at the level of the registered interval; the sign-flip interval has the level that is printed with it. Exact percentile is the limit of the percentile bootstrap (up to 8 blocks). Coverage is that of the registered kind of interval at this number of blocks, simulated.")
	w.also()
}

func (r reading) unregistered() []string {
	out := []string{missing, missing, missing, missing, missing, ""}
	u := r.c.Unregistered
	if u == nil {
		return out
	}
	out[0], out[2] = r.endsCell(u.StudentT), r.endsCell(u.ExactPercentile)
	if s := u.SignFlip; s != nil {
		out[1] = r.endsCell(&analysis.Ends{Low: s.Low, High: s.High})
		switch l, ok := finite(s.Level); {
		case ok && out[1] != missing:
			out[1] += " (" + level(l) + ")"
		case out[1] == missing:
			out[1] = "none exists"
		}
		if _, ok := finite(s.P); ok {
			out[3] = probability(s.P) + " (" + probability(s.MinP) + ")"
		}
	}
	if c, ok := finite(u.SimulatedCoverage); ok && c >= 0 && c <= 1 {
		out[4] = fmt.Sprintf("%.1f%%", c*100)
	}
	out[5] = r.others()
	return out
}

// endsCell writes the two ends of an interval.
func (r reading) endsCell(e *analysis.Ends) string {
	if e == nil {
		return missing
	}
	low, high, ok := bothFinite(e.Low, e.High)
	if !ok {
		return missing
	}
	var eff effect
	numbers := r.numbers(&eff, []float64{low, high})
	return spaced(brackets(numbers[0], numbers[1]), eff.suffix)
}

// disagreeing names the intervals of analysis.json in words.
var intervalNames = map[string]string{
	"exact_percentile": "exact percentile", "student_t": "Student's t", "sign_flip": "sign-flip",
	"also student_t": "also registered Student's t", "also percentile": "also registered percentile", "also sign_flip": "also registered sign-flip",
}

// others names the intervals that come to another verdict.
func (r reading) others() string {
	if !r.marked() {
		return ""
	}
	var words []string
	for _, d := range r.c.Disagreeing {
		words = append(words, orElse(intervalNames[d], escape(d)))
	}
	return orElse(list(words), "another interval")
}

// also lists the further registered intervals.
func (w *writer) also() {
	g := newGrid("Case", "Metric", "Arm", "Against", "Also registered", ">Interval")
	for _, r := range w.readings {
		for i := range r.c.Also {
			iv := &r.c.Also[i]
			g.row(code(r.name), code(r.metric.Unit), code(r.c.Arm), code(r.c.Base),
				level(iv.Level)+" "+escape(kindName(iv.Kind)), r.endsCell(&analysis.Ends{Low: iv.Low, High: iv.High}))
		}
	}
	w.table(g)
}
