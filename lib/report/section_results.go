package report

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/analysis"
)

// disagrees marks a verdict with which another interval does not agree.
const disagrees = "†"

// disagreement explains the mark.
const disagreement = disagrees + " Another interval comes to another verdict; the registered one decides, and the appendix has them all."

// results shows one table a metric, one row a case: the registered interval, and one mark where others disagree.
func (w *writer) results() {
	if len(w.readings) == 0 {
		w.text("Nothing was compared.")
	}
	ks := contrasts(w.readings)
	if len(ks) == 1 {
		w.text(fmt.Sprintf("Every number is %s against %s.", code(ks[0].arm), code(ks[0].base)))
	}
	marked := false
	for _, unit := range units(w.readings) {
		marked = w.resultTable(unit, len(ks) > 1) || marked
	}
	if marked {
		w.text(disagreement)
	}
	w.references()
	w.gates()
}

func (w *writer) resultTable(unit string, several bool) (marked bool) {
	var rs []reading
	adjusted := false
	for _, r := range w.readings {
		if r.metric.Unit == unit {
			rs = append(rs, r)
			adjusted = adjusted || r.c.AdjustedP != nil || r.c.P != nil
		}
	}
	w.heading(3, code(unit))
	w.text(resultIntro(rs))
	header := []string{"Case"}
	if several {
		header = append(header, "Arm", "Against")
	}
	header = append(header, ">"+capital(rs[0].noun()), ">"+intervalHeading(rs))
	if !rs[0].difference() {
		header = append(header, ">Change")
	}
	header = append(header, ">Blocks")
	if adjusted {
		header = append(header, ">p", ">Adjusted p")
	}
	g := newGrid(append(header, "Verdict")...)
	var reasons []string
	places := map[string][]string{}
	for _, r := range rs {
		e := r.effect()
		row := []string{code(r.name)}
		if several {
			row = append(row, code(r.c.Arm), code(r.c.Base))
		}
		row = append(row, spaced(e.estimate, e.suffix), spaced(e.interval, e.suffix))
		if !rs[0].difference() {
			row = append(row, e.change)
		}
		row = append(row, fmt.Sprint(r.c.Blocks))
		if adjusted {
			row = append(row, probability(r.c.P), probability(r.c.AdjustedP))
		}
		verdict := r.verdictCell()
		if r.marked() {
			verdict += " " + disagrees
			marked = true
		}
		g.row(append(row, verdict)...)
		if r.c.VerdictReason != nil || r.c.Estimate == nil {
			why := sentence(escape(r.reason()))
			if places[why] == nil {
				reasons = append(reasons, why)
			}
			places[why] = append(places[why], w.place(r, several))
		}
	}
	w.table(g)
	for i, why := range reasons {
		reasons[i] = list(places[why]) + ": " + why
	}
	w.items(reasons...)
	return marked
}

// place names a reading within its metric.
func (w *writer) place(r reading, several bool) string {
	s := code(r.name)
	if several {
		s += ", " + code(r.c.Arm) + " against " + code(r.c.Base)
	}
	return s
}

func resultIntro(rs []reading) string {
	s := fmt.Sprintf("Below %g means lower", rs[0].null())
	if b := rs[0].metric.Better; b != "" {
		s += "; " + escape(b) + " is better"
	}
	return s + "."
}

// marked reports whether another interval comes to another verdict than the registered one.
func (r reading) marked() bool { return r.c.Interval != nil && !r.c.RegisteredAgree }

// intervalHeading names the registered interval, if it is the same in all rows.
func intervalHeading(rs []reading) string {
	name := ""
	for _, r := range rs {
		if r.c.Interval == nil {
			continue
		}
		n := level(r.c.Interval.Level) + " " + kindName(r.c.Interval.Kind)
		if name != "" && n != name {
			return "Interval"
		}
		name = n
	}
	return orElse(escape(name), "Interval")
}

// probability writes a p value with four significant digits.
func probability(p *float64) string {
	v, ok := finite(p)
	if !ok {
		return missing
	}
	if v == 1 || v == 0 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.4g", v)
}

// references shows the figures of other sealed phases that the script names: a description beside ours.
func (w *writer) references() {
	ph := w.page.phase()
	if len(ph.References) == 0 {
		return
	}
	w.heading(3, "References")
	w.text("Figures of other phases, as the script names them: a descriptive comparison, of other runs at other times.")
	g := newGrid("Reference", "Case", "Metric", ">Value", ">Interval", "Source")
	for i := range ph.References {
		r := &ph.References[i]
		interval := missing
		if low, high, ok := bothFinite(r.Low, r.High); ok {
			interval = brackets(exact(low), exact(high))
		}
		g.row(escape(r.Label), codeOrNothing(r.Case), codeOrNothing(r.Metric), exact(r.Value), interval, escape(r.Source))
	}
	w.table(g)
}

// gates shows what each gate came to.
func (w *writer) gates() {
	gates := w.page.Result.Gates
	if len(gates) == 0 {
		return
	}
	w.heading(3, "Gates")
	g := newGrid("Gate", "Case", "Arm", "Against", "Verdict", "Reason", "Declared at")
	for i := range gates {
		o := &gates[i]
		g.row(code(o.Metric)+" "+bound(o), codeOrNothing(o.Case), codeOrNothing(o.Arm), codeOrNothing(o.Base),
			"**"+escape(o.Verdict)+"**", escape(o.Reason), escape(o.At))
	}
	w.table(g)
}

// bounds of a gate in words.
var bounds = map[string]string{"max_ratio": "ratio at most", "min_ratio": "ratio at least", "max_difference": "difference at most"}

func bound(g *analysis.Gate) string {
	return orElse(bounds[g.Bound], clean(g.Bound)) + " " + exact(g.Limit)
}
