package host

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// build turns the recorded phases into plain data. Top levels have ended, and their globals are frozen.
func (e *evaluation) build() bool {
	seen := map[string]*record{}
	count := 0
	for _, m := range e.made {
		if m.kind.name != "phase" {
			continue
		}
		count++
		b := &builder{eval: e, phase: &protocol.Phase{}, r: m.record, files: map[string]*record{}}
		b.build()
		if first := seen[b.phase.Name]; first != nil && b.phase.Name != "" {
			m.report(m.arg("name"), "two phases have this name; the other is at %s", first.at())
		}
		seen[b.phase.Name] = m.record
		e.phases = append(e.phases, b.phase)
		if e.stopped {
			return false
		}
	}
	if len(e.diags) > 0 {
		return false
	}
	if count == 0 {
		e.add(Diagnostic{File: e.entry.name, Message: "the script declares no phase; call phase(...)"})
		return false
	}
	e.checkUnused()
	return len(e.diags) == 0
}

// builder fills one phase from its record. It goes on after an error, where what follows does not depend on it.
type builder struct {
	eval  *evaluation
	r     *record
	phase *protocol.Phase
	arms  []*record
	cases []*record
	files map[string]*record // by label
}

func (b *builder) build() {
	r, p := b.r, b.phase
	p.At = r.at()
	p.Name, p.Campaign, p.Question = r.text("name"), r.text("campaign"), r.text("question")
	p.Params = b.eval.params.used
	p.Repeats = int(r.int("repeats"))
	p.Family = r.text("family")
	p.OnFailure, p.OnCeiling, p.Interrupted = r.text("on_failure"), r.text("on_ceiling"), r.text("interrupted")
	p.Predictions, p.Limits = r.texts("predictions"), r.texts("limits")
	b.arms, b.cases = b.distinct("arms"), b.distinct("cases")
	b.buildArms()
	b.buildCases()
	b.buildContrasts()
	b.buildBeside()
	b.buildProcess()
	b.buildSteps()
	b.buildDesign()
	b.buildMetrics()
	b.buildCommands()
	b.buildCorrectness()
	b.buildReferences()
	b.checkSize()
}

// distinct returns the records of a list, and reports two of one name at the second.
func (b *builder) distinct(list string) []*record {
	all := b.r.records(list)
	seen := map[string]*record{}
	for i, r := range all {
		n := r.nameOf()
		if n == "" {
			continue
		}
		switch first := seen[n]; {
		case first == r:
			b.r.report(b.r.arg(list).elem(i), "%s: %s stands twice", list, r.title())
		case first != nil:
			r.report(r.arg(r.kind.params[0].name), "two %s of phase %q have this name; the other is at %s", list, b.phase.Name, first.at())
		}
		seen[n] = r
	}
	return all
}

// nameOf returns the leading name; "" where it was refused.
func (r *record) nameOf() string {
	s, _ := starlark.AsString(r.fields[0])
	return s
}

func (b *builder) buildArms() {
	for _, r := range b.arms {
		b.phase.Arms = append(b.phase.Arms, protocol.Arm{
			Name: r.nameOf(), Control: r.bool("control"), CPUs: r.text("cpus"), Env: r.env("env"),
			Params: b.ownParams(r), At: r.at(),
		})
	}
}

func (b *builder) buildCases() {
	for _, r := range b.cases {
		c := protocol.Case{Name: r.nameOf(), Params: b.ownParams(r), Commands: map[string]protocol.Command{}, At: r.at()}
		asked := map[string]bool{}
		for i, n := range r.texts("arms") {
			if b.knownArm(r, r.arg("arms").elem(i), "arms", n) && asked[n] {
				r.report(r.arg("arms").elem(i), "arms: arm %q stands twice", n)
			}
			asked[n] = true
		}
		for _, a := range b.arms {
			if n := a.nameOf(); n != "" && (asked[n] || r.get("arms") == starlark.None) {
				c.Arms = append(c.Arms, n)
			}
		}
		b.phase.Cases = append(b.phase.Cases, c)
	}
	for _, a := range b.arms {
		asked := func(c protocol.Case) bool { return slices.Contains(c.Arms, a.nameOf()) }
		if a.nameOf() != "" && len(b.cases) > 0 && !slices.ContainsFunc(b.phase.Cases, asked) {
			a.call.report(a.call.whole(), a.title(), fmt.Sprintf("no case of phase %q asks this arm; leave it out of the phase's arms, or name it in a case's", b.phase.Name))
		}
	}
}

func (b *builder) ownParams(r *record) []protocol.Parameter {
	var all []protocol.Parameter
	for _, p := range r.own {
		if p.value == nil {
			continue
		}
		b.addFilesOf(p.value)
		all = append(all, protocol.Parameter{Name: p.name, Value: protocolValue(p.value)})
	}
	return all
}

func (b *builder) armNames() []string {
	names := make([]string, len(b.arms))
	for i, a := range b.arms {
		names[i] = a.nameOf()
	}
	return names
}

func (b *builder) caseNames() []string {
	names := make([]string, len(b.cases))
	for i, c := range b.cases {
		names[i] = c.nameOf()
	}
	return names
}

// knownArm reports a name that no arm of the phase has, at the argument of r that says it.
func (b *builder) knownArm(r *record, a arg, param, name string) bool {
	return b.known(r, a, param, "arm", name, b.armNames())
}

func (b *builder) knownCase(r *record, a arg, param, name string) bool {
	return b.known(r, a, param, "case", name, b.caseNames())
}

func (b *builder) known(r *record, a arg, param, noun, name string, names []string) bool {
	if len(names) == 0 {
		return false // the list itself was refused
	}
	for _, n := range names {
		if n == name {
			return true
		}
	}
	r.report(a, "%s: no %s named %q%s", param, noun, name, hintOrList(name, names))
	return false
}

func (b *builder) buildContrasts() {
	r, p := b.r, b.phase
	p.Baseline = r.text("baseline")
	if p.Baseline != "" {
		b.knownArm(r, r.arg("baseline"), "baseline", p.Baseline)
	} else if len(b.arms) > 0 {
		p.Baseline = b.arms[0].nameOf()
	}
	p.Contrasts = []protocol.Contrast{}
	if r.get("contrasts") == starlark.None {
		for _, a := range b.arms {
			if n := a.nameOf(); n != p.Baseline {
				p.Contrasts = append(p.Contrasts, protocol.Contrast{Arm: n, Base: p.Baseline})
			}
		}
		return
	}
	seen := map[protocol.Contrast]bool{}
	for i, v := range r.list("contrasts") {
		pair, at := v.(starlark.Tuple), r.arg("contrasts").elem(i)
		var c protocol.Contrast
		c.Arm, _ = starlark.AsString(pair[0])
		c.Base, _ = starlark.AsString(pair[1])
		known := b.knownArm(r, at.elem(0), "contrasts", c.Arm)
		known = b.knownArm(r, at.elem(1), "contrasts", c.Base) && known
		switch {
		case !known:
		case c.Arm == c.Base:
			r.report(at, "contrasts: an arm cannot be compared with itself; declare it twice, with control = True, for an A/A check")
		case seen[c]:
			r.report(at, "contrasts: the pair (%q, %q) stands twice", c.Arm, c.Base)
		}
		seen[c] = true
		p.Contrasts = append(p.Contrasts, c)
	}
}

// checkSize bounds the runs of a phase.
func (b *builder) checkSize() {
	runs := 0
	for _, c := range b.phase.Cases {
		runs += len(c.Arms) * b.phase.Design.Blocks
	}
	if runs > maxRuns {
		b.r.report(b.r.arg("cases"), "cases: %d processes; want at most %d", runs, maxRuns)
	}
}

func (b *builder) buildReferences() {
	for _, r := range b.r.records("references") {
		ref := protocol.Reference{
			Label: r.text("label"), Metric: r.text("metric"), Case: r.text("case"),
			Low: r.float("low"), High: r.float("high"), Source: r.text("source"), At: r.at(),
		}
		if v := r.float("value"); v != nil {
			ref.Value = *v
		}
		if ref.Metric != "" {
			b.knownUnit(r, r.arg("metric"), "metric", ref.Metric, anyRole...)
		}
		if ref.Case != "" {
			b.knownCase(r, r.arg("case"), "case", ref.Case)
		}
		b.phase.References = append(b.phase.References, ref)
	}
}

func checkReference(r *record) {
	if lo, hi := r.float("low"), r.float("high"); lo != nil && hi != nil && *lo > *hi {
		r.report(r.arg("high"), "high: %v is below low, %v", *hi, *lo)
	}
}

func checkCase(r *record) {
	if r.get("command") != starlark.None && r.get("commands") != starlark.None {
		r.report(r.arg("commands"), "commands: the case has a command too; want one of them")
	}
	if d, ok := r.get("commands").(*starlark.Dict); ok && d.Len() == 0 {
		r.report(r.arg("commands"), "commands: is empty")
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
