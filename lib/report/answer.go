package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
)

// order of the groups of an answer: what was found first, what could not be said last.
var groupOrder = []string{
	faster, analysis.Lower, slower, analysis.Higher, includes, excludes,
	analysis.Equal, analysis.Unresolved, analysis.Undefined, noVerdict,
}

// longestReason bounds what one sentence quotes of a reason; the whole of it stands under Findings.
const longestReason = 160

// answers returns one sentence for each contrast: what its first metric says over all cases, with ratio, interval and
// absolute values, and in a few words what the other metrics say.
func (p Page) answers(v voice) []string {
	rs := p.readings()
	var out []string
	for _, k := range contrasts(rs) {
		out = append(out, answer(rs, k, v))
	}
	if len(out) == 0 {
		out = append(out, p.noAnswer())
	}
	return out
}

func (p Page) noAnswer() string {
	if len(p.phase().Arms) < 2 {
		return "One arm and nothing to compare it with: see the absolute values."
	}
	return "Nothing was compared: no case has two arms with a metric."
}

func answer(rs []reading, k contrast, v voice) string {
	var s strings.Builder
	var others []string
	for _, unit := range units(rs) {
		of := pick(rs, unit, k)
		switch {
		case len(of) == 0:
		case s.Len() == 0:
			s.WriteString(headline(of, v))
		default:
			others = append(others, v.name(unit)+" "+inBrief(of))
		}
	}
	if len(others) > 0 {
		s.WriteString("; beside it, " + list(others))
	}
	return s.String() + "."
}

// headline answers for one metric and one contrast over all cases.
func headline(rs []reading, v voice) string {
	if r := rs[0]; r.control || r.same {
		return controlHeadline(rs, v)
	}
	var parts []string
	for i, g := range grouped(rs) {
		where := ""
		if len(rs) > 1 {
			where = fmt.Sprintf(" in %d of %d cases", len(g), len(rs))
		}
		verb, numbers := details(g, len(rs) > 1, v)
		if i > 0 {
			parts = append(parts, g[0].word()+where+colon(numbers))
			continue
		}
		if verb != "" {
			numbers = g[0].subject(v) + " " + verb + " " + numbers
		}
		parts = append(parts, claim(g[0], v)+where+colon(numbers))
	}
	return strings.Join(parts, "; ") + confounds(rs, v)
}

// colon puts a colon before numbers, and only a blank before what stands in parentheses alone.
func colon(numbers string) string {
	if strings.HasPrefix(numbers, "(") {
		return " " + numbers
	}
	return ": " + numbers
}

// claim is the sentence's beginning: who is what against whom.
func claim(r reading, v voice) string {
	arm, base, unit := v.name(r.c.Arm), v.name(r.c.Base), v.name(r.metric.Unit)
	switch w := r.word(); w {
	case faster, slower:
		return fmt.Sprintf("%s is %s than %s", arm, w, base)
	case analysis.Lower, analysis.Higher:
		return fmt.Sprintf("%s has %s %s than %s", arm, w, unit, base)
	case analysis.Equal:
		return fmt.Sprintf("%s and %s are equal in %s", arm, base, unit)
	case analysis.Unresolved, analysis.Undefined:
		return fmt.Sprintf("%s against %s is %s", arm, base, w)
	}
	return fmt.Sprintf("%s against %s has no verdict", arm, base)
}

// subject is what the numbers of the first group are about.
func (r reading) subject(v voice) string { return "the " + v.name(r.metric.Unit) + " " + r.noun() }

// controlHeadline answers for an A/A comparison, which has nothing to win.
func controlHeadline(rs []reading, v voice) string {
	r := rs[0]
	start := fmt.Sprintf("%s and %s are one program, so that whatever differs is noise", v.name(r.c.Arm), v.name(r.c.Base))
	if r.control {
		start = fmt.Sprintf("%s against %s is a control (A/A)", v.name(r.c.Arm), v.name(r.c.Base))
	}
	var parts []string
	for _, g := range grouped(rs) {
		w := g[0].word()
		switch w {
		case includes, excludes:
			w = fmt.Sprintf("the interval of %s %s %g", v.name(r.metric.Unit), w, r.null())
		default:
			w = v.name(r.metric.Unit) + " is " + w
		}
		if len(rs) > 1 {
			w += fmt.Sprintf(" in %d of %d cases", len(g), len(rs))
		}
		_, numbers := details(g, len(rs) > 1, v)
		w += ", " + r.noun() + " " + numbers
		if l := g[0].c.Interval; g[0].word() == excludes && l != nil && l.Level > 0 && l.Level < 1 {
			w += fmt.Sprintf(", as nominally %s of such intervals do", level(1-g[0].c.Interval.Level))
		}
		parts = append(parts, w)
	}
	return start + ": " + strings.Join(parts, "; ")
}

// grouped splits the readings by what they say, in the order of groupOrder.
func grouped(rs []reading) [][]reading {
	var out [][]reading
	for _, w := range groupOrder {
		var g []reading
		for _, r := range rs {
			if r.word() == w {
				g = append(g, r)
			}
		}
		if len(g) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// details gives the numbers of a group: of its one or two cases, or of the lowest and the highest of more, and the
// verb that puts them into a sentence. A reason is said once.
func details(g []reading, named bool, v voice) (verb, numbers string) {
	g = slices.Clone(g)
	slices.SortStableFunc(g, func(a, b reading) int {
		x, y, ok := bothFinite(a.c.Estimate, b.c.Estimate)
		if !ok {
			return 0
		}
		return cmp.Compare(x, y)
	})
	estimated := !slices.ContainsFunc(g, func(r reading) bool { return !r.estimated() })
	if estimated && len(g) > 2 {
		g = []reading{g[0], g[len(g)-1]}
		verb = "goes"
	}
	words := make([]string, len(g))
	said := map[string]bool{}
	for i, r := range g {
		why := r.why()
		if said[why] {
			why = ""
		}
		said[why] = true
		words[i] = detail(r, named, why, v)
	}
	switch {
	case verb != "":
		return verb, "from " + words[0] + " to " + words[1]
	case !estimated:
		return "", few(words, 2)
	}
	return "is", list(words)
}

// why is the reason that belongs to the comparison's numbers, if they need one.
func (r reading) why() string {
	w := r.word()
	if w == noVerdict || w == analysis.Undefined || w == analysis.Unresolved && r.c.Interval == nil {
		return clip(r.reason(), longestReason)
	}
	return ""
}

// estimated reports whether the comparison has an estimate that says more than its verdict.
func (r reading) estimated() bool {
	_, ok := finite(r.c.Estimate)
	return ok && r.c.Verdict != analysis.Equal
}

// detail gives the numbers of one comparison: "0.337 [0.331, 0.343] in small (15.7 ms against 46.5 ms)".
func detail(r reading, named bool, why string, v voice) string {
	var words []string
	if r.estimated() {
		words = append(words, r.size(v))
		e := r.effect()
		switch {
		case named && e.interval != missing:
			words = append(words, e.interval)
		case !named && e.change != missing:
			words = append(words, "("+e.change+"), "+r.whole())
		case !named:
			words[0] += ", " + r.whole()
		}
	}
	if named {
		words = append(words, "in "+v.name(r.name))
	}
	inside := r.absolutes(v)
	if !r.measured() && why != "" {
		return strings.Join(append(words, "("+v.prose(why)+")"), " ")
	}
	if why != "" {
		inside += "; " + v.prose(why)
	}
	return strings.Join(append(words, "("+inside+")"), " ")
}

// whole writes the interval with its level and, where it does, that it includes no difference.
func (r reading) whole() string {
	if r.c.Interval == nil {
		return "no interval"
	}
	s := level(r.c.Interval.Level) + " interval " + r.effect().interval
	if r.word() == analysis.Unresolved {
		s += fmt.Sprintf(", which includes %g", r.null())
	}
	return s
}

// confounds adds what the matched blocks alone say where a confounding constant differed. It describes; the verdict
// is that of all blocks.
func confounds(rs []reading, v voice) string {
	var words []string
	for _, r := range rs {
		if r.confounded() && r.estimated() {
			s := r.matched(v)
			if len(rs) > 1 {
				s += " in " + v.name(r.name)
			}
			words = append(words, s)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; confounded: " + few(words, 3)
}

// inBrief says in a few words what a metric says over all cases: "lower in 3 and unresolved in 1 of 4".
func inBrief(rs []reading) string {
	var words []string
	for _, g := range grouped(rs) {
		w := g[0].verdictCell()
		if len(rs) > 1 {
			w += fmt.Sprintf(" in %d", len(g))
		}
		words = append(words, w)
	}
	s := list(words)
	if len(rs) > 1 {
		s += fmt.Sprintf(" of %d", len(rs))
	}
	return s
}

// clip shortens a text to n characters.
func clip(s string, n int) string {
	s = clean(s)
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:max(n-1, 0)])) + "…"
	}
	return s
}
