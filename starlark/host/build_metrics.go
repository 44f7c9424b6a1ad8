package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

var anyRole = []string{protocol.RoleMetric, protocol.RoleConstant, protocol.RoleDerived}

// buildMetrics fills metrics, constants and derived metrics, in that order.
func (b *builder) buildMetrics() {
	declared := append(b.distinct("metrics"), b.distinct("derived")...)
	seen := map[string]*record{}
	for _, role := range anyRole {
		for _, r := range declared {
			if r.kind.name != role {
				continue
			}
			if first := seen[r.nameOf()]; first != nil && role == protocol.RoleDerived && first.kind != r.kind && r.nameOf() != "" {
				r.report(r.arg(r.kind.params[0].name), "a %s of this name is declared at %s", first.kind.name, first.at())
			}
			seen[r.nameOf()] = r
			b.phase.Metrics = append(b.phase.Metrics, b.metric(r))
		}
	}
	if !slices.ContainsFunc(declared, func(r *record) bool { return r.kind.name == protocol.RoleMetric }) && len(declared) > 0 {
		b.r.report(b.r.arg("metrics"), "metrics: nothing is compared; declare a metric, metric(\"ns/op\", better = \"lower\") for instance")
	}
	for _, r := range declared {
		if r.kind.name == protocol.RoleDerived {
			b.knownUnit(r, r.arg("num"), "num", r.text("num"), protocol.RoleMetric, protocol.RoleConstant)
			b.knownUnit(r, r.arg("den"), "den", r.text("den"), protocol.RoleMetric, protocol.RoleConstant)
		}
	}
	if e := estimandOf(b.r.record("estimand")); e != nil {
		b.phase.Estimand = *e
	}
}

func (b *builder) metric(r *record) protocol.Metric {
	m := protocol.Metric{Unit: r.nameOf(), Role: r.kind.name, At: r.at()}
	switch r.kind.name {
	case protocol.RoleConstant:
		m.Confound = r.text("confound")
		m.Equals = b.equals(r)
		return m
	case protocol.RoleDerived:
		m.Num, m.Den = r.text("num"), r.text("den")
	}
	m.Better = r.text("better")
	m.Estimand = estimandOf(r.record("estimand"))
	return m
}

// equals evaluates what a constant must equal in each case.
func (b *builder) equals(r *record) map[string]float64 {
	values := map[string]float64{}
	switch v := r.get("equals").(type) {
	case starlark.Float:
		for i := range b.phase.Cases {
			values[b.phase.Cases[i].Name] = float64(v)
		}
	case *starlark.Dict:
		for i, item := range v.Items() {
			n, _ := starlark.AsString(item[0])
			if key, _ := r.arg("equals").entry(i); b.knownCase(r, key, "equals", n) {
				values[n] = float64(item[1].(starlark.Float))
			}
		}
	case *starlark.Function:
		for _, c := range b.cases {
			if c.nameOf() == "" || c.failed {
				continue
			}
			if f, ok := b.equalsIn(r, v, c); ok {
				values[c.nameOf()] = f
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return values
}

func (b *builder) equalsIn(r *record, fn *starlark.Function, c *record) (float64, bool) {
	what := subject{r, c, " in "}
	v, ok := b.eval.call(fn, what, c)
	if !ok {
		return 0, false
	}
	f, ok := finiteNumber(v)
	if !ok {
		b.eval.returned(fn, what.String(), fmt.Sprintf("equals: want a finite number, got %s", describe(v)))
	}
	return f, ok
}

// knownUnit reports a unit that no metric of the roles has.
func (b *builder) knownUnit(r *record, a arg, param, unit string, roles ...string) bool {
	var units []string
	for _, m := range b.phase.Metrics {
		if slices.Contains(roles, m.Role) {
			units = append(units, m.Unit)
		}
	}
	if unit == "" || slices.Contains(units, unit) {
		return unit != ""
	}
	what := strings.Join(roles, " or ")
	if len(roles) == len(anyRole) {
		what = "metric"
	}
	there := didYouMean(unit, units)
	if there == "" {
		there = "; declare it in the phase's metrics"
	}
	r.report(a, "%s: no %s %q%s", param, what, unit, there)
	return false
}

func (b *builder) buildCorrectness() {
	p := b.phase
	for _, r := range b.r.records("expect") {
		x := protocol.Expect{Kind: strings.TrimPrefix(r.kind.name, "expect."), At: r.at()}
		switch x.Kind {
		case protocol.ExpectExit:
			x.Code = int(r.int("code"))
		case protocol.ExpectStdout:
			x.Matches, x.SHA256 = r.text("matches"), r.text("sha256")
		case protocol.ExpectMetric:
			x.Unit, x.Equals = r.text("unit"), r.float("equals")
			b.knownUnit(r, r.arg("unit"), "unit", x.Unit, protocol.RoleMetric, protocol.RoleConstant)
		case protocol.ExpectAudit:
			x.Name, x.PerRepeat, x.Where = r.text("name"), int(r.int("per_repeat")), b.where(r)
		}
		p.Expect = append(p.Expect, x)
	}
	for _, r := range b.r.records("checks") {
		c := protocol.Check{Kind: r.kind.name, On: r.text("on"), At: r.at()}
		if r.kind.name == "prefix_confound" {
			c.Metric = r.text("metric")
			b.knownUnit(r, r.arg("metric"), "metric", c.Metric, protocol.RoleConstant)
		}
		p.Checks = append(p.Checks, c)
	}
	for _, r := range b.r.records("gates") {
		p.Gates = append(p.Gates, b.gate(r))
	}
}

func (b *builder) where(r *record) []protocol.Parameter {
	d, ok := r.get("where").(*starlark.Dict)
	if !ok {
		return nil
	}
	var all []protocol.Parameter
	for _, item := range d.Items() {
		n, _ := starlark.AsString(item[0])
		b.addFilesOf(item[1])
		all = append(all, protocol.Parameter{Name: n, Value: protocolValue(item[1])})
	}
	return all
}

func (b *builder) gate(r *record) protocol.Gate {
	g := protocol.Gate{
		Metric: r.text("metric"), MaxRatio: r.float("max_ratio"), MinRatio: r.float("min_ratio"),
		MaxDifference: r.float("max_difference"), Cases: r.texts("cases"), AcceptNarrow: r.bool("accept_narrow"), At: r.at(),
	}
	for i, n := range g.Cases {
		b.knownCase(r, r.arg("cases").elem(i), "cases", n)
	}
	if !b.knownUnit(r, r.arg("metric"), "metric", g.Metric, protocol.RoleMetric, protocol.RoleDerived) {
		return g
	}
	estimand := b.phase.EstimandOf(b.phase.Metric(g.Metric)).Kind
	for _, bound := range gateBounds {
		if r.float(bound) == nil || estimand == "" {
			continue
		}
		if difference := bound == "max_difference"; difference != (estimand == protocol.BlockDifference) {
			r.report(r.arg(bound), "%s: the estimand of %q is %s; want %s", bound, g.Metric, estimand, gateBoundFor(estimand))
		}
	}
	return g
}

var gateBounds = []string{"max_ratio", "min_ratio", "max_difference"}

func gateBoundFor(estimand string) string {
	if estimand == protocol.BlockDifference {
		return "max_difference"
	}
	return "max_ratio or min_ratio"
}

func checkGate(r *record) {
	var given []string
	for _, bound := range gateBounds {
		if r.float(bound) != nil {
			given = append(given, bound)
		}
	}
	switch len(given) {
	case 0:
		r.call.report(r.call.whole(), r.title(), "want one of "+strings.Join(gateBounds, ", "))
	case 1:
	default:
		r.report(r.arg(given[1]), "%s: %s is given too; want exactly one bound, a gate each", given[1], given[0])
	}
}

func checkStdout(r *record) {
	if m, s := r.get("matches") != starlark.None, r.get("sha256") != starlark.None; m == s {
		r.call.report(r.call.whole(), r.title(), "want either matches or sha256")
	}
}
