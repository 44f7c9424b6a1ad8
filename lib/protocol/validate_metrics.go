package protocol

import (
	"regexp"
	"slices"
	"strings"
)

// columns of metrics.csv that a metric's unit cannot take.
var columns = []string{"run", "case", "arm", "block", "attempt", "position", "repeat", "iterations"}

func (v *validator) metrics() {
	p := v.phase
	seen := map[string]bool{}
	measured := 0
	for i := range p.Metrics {
		m := &p.Metrics[i]
		what := m.Role + " " + quote(m.Unit)
		v.unit(m, what)
		if seen[m.Unit] {
			v.add(m.At, what, "declared twice")
		}
		seen[m.Unit] = true
		switch m.Role {
		case RoleMetric:
			measured++
			v.oneOf(m.At, what, "better", m.Better, "lower", "higher")
		case RoleConstant:
			v.constant(m, what)
		case RoleDerived:
			v.derived(m, what)
		default:
			v.oneOf(m.At, what, "role", m.Role, RoleMetric, RoleConstant, RoleDerived)
		}
		if m.Estimand != nil {
			v.estimand(what, m.Estimand, m.At)
		}
	}
	if measured == 0 {
		v.add(p.At, "phase "+quote(p.Name), "no metric; declare what is compared, metric(\"ns/op\", better = \"lower\") for instance")
	}
	v.processUnits()
}

func (v *validator) unit(m *Metric, what string) {
	if m.Unit == "" || strings.ContainsAny(m.Unit, " \t\r\n\x00") {
		v.add(m.At, what, "a unit is one word, as the program prints it")
	}
	if slices.Contains(columns, m.Unit) {
		v.add(m.At, what, "a column of metrics.csv has this name already")
	}
}

func (v *validator) constant(m *Metric, what string) {
	for _, name := range sortedKeys(m.Equals) {
		if v.phase.Case(name) == nil {
			v.add(m.At, what, "equals: no case named %q", name)
		}
		if !finite(m.Equals[name]) {
			v.add(m.At, what, "equals: %v is no number that a program can print", m.Equals[name])
		}
	}
}

func (v *validator) derived(m *Metric, what string) {
	v.oneOf(m.At, what, "better", m.Better, "lower", "higher")
	for _, unit := range []string{m.Num, m.Den} {
		if d := v.phase.Metric(unit); d == nil || d.Role == RoleDerived {
			v.add(m.At, what, "no metric or constant %q is declared to derive it from", unit)
		}
	}
}

// processUnits refuses phases whose formats cannot give any of their metrics.
func (v *validator) processUnits() {
	p := v.phase
	for i := range p.Cases {
		c := &p.Cases[i]
		for _, arm := range c.Arms {
			cmd := c.Commands[arm]
			if cmd.Format != FormatProcess && cmd.Format != FormatNone {
				continue
			}
			for j := range p.Metrics {
				m := &p.Metrics[j]
				if m.Role != RoleDerived && !IsProcessUnit(m.Unit) {
					v.add(m.At, m.Role+" "+quote(m.Unit), "format %q of case %q gives whole-process figures only: %s",
						cmd.Format, c.Name, strings.Join(ProcessUnits, ", "))
				}
			}
			return
		}
	}
}

func (v *validator) expects() {
	for _, e := range v.phase.Expect {
		what := "expect." + e.Kind
		switch e.Kind {
		case ExpectExit:
			if e.Code < 0 || e.Code > 255 {
				v.add(e.At, what, "code %d: want 0 to 255", e.Code)
			}
		case ExpectStdout:
			if (e.Matches == "") == (e.SHA256 == "") {
				v.add(e.At, what, "want either matches or sha256")
			}
			if _, err := regexp.Compile(e.Matches); err != nil {
				v.add(e.At, what, "matches: %v", err)
			}
			v.sha256(e.At, what, e.SHA256)
		case ExpectMetric:
			if v.phase.Metric(e.Unit) == nil {
				v.add(e.At, what, "no metric or constant %q is declared", e.Unit)
			}
			if e.Equals == nil || !finite(*e.Equals) {
				v.add(e.At, what, "equals: want a number")
			}
		case ExpectAudit:
			if e.Name == "" {
				v.add(e.At, what, "the name is empty")
			}
			if e.PerRepeat < 1 {
				v.add(e.At, what, "per_repeat %d: want at least 1", e.PerRepeat)
			}
		default:
			v.oneOf(e.At, "expect", "kind", e.Kind, ExpectExit, ExpectStdout, ExpectMetric, ExpectAudit)
		}
	}
	for i := range v.phase.Files {
		f := &v.phase.Files[i]
		v.oneOf(f.At, "file "+quote(f.Label), "kind", f.Kind, KindBinary, KindInput, KindGoTest, KindGoBuild)
		v.sha256(f.At, f.Kind+" "+quote(f.Label), f.SHA256)
	}
}

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (v *validator) sha256(at Place, what, digest string) {
	if digest != "" && !hexDigest.MatchString(digest) {
		v.add(at, what, "sha256: want 64 lower-case hexadecimal digits, got %q", digest)
	}
}

func (v *validator) checks() {
	for _, c := range v.phase.Checks {
		v.oneOf(c.At, c.Kind, "on", c.On, Note, Warning, Invalid)
		if c.Kind == "prefix_confound" {
			if m := v.phase.Metric(c.Metric); m == nil || m.Role != RoleConstant {
				v.add(c.At, c.Kind, "no constant %q is declared; declare constant(%q)", c.Metric, c.Metric)
			}
		}
	}
}

func (v *validator) gates() {
	for _, g := range v.phase.Gates {
		what := "gate " + quote(g.Metric)
		m := v.phase.Metric(g.Metric)
		if m == nil || m.Role == RoleConstant {
			v.add(g.At, what, "no metric %q is declared", g.Metric)
			continue
		}
		kind := v.phase.EstimandOf(m).Kind
		bounds := 0
		for _, b := range []struct {
			limit *float64
			kind  string
			name  string
		}{{g.MaxRatio, BlockRatio, "max_ratio"}, {g.MinRatio, BlockRatio, "min_ratio"}, {g.MaxDifference, BlockDifference, "max_difference"}} {
			if b.limit == nil {
				continue
			}
			bounds++
			if !finite(*b.limit) || (b.kind == BlockRatio && *b.limit <= 0) {
				v.add(g.At, what, "%s %v: want a finite number, above 0 for a ratio", b.name, *b.limit)
			}
			if b.kind != kind {
				v.add(g.At, what, "%s needs a %s; the estimand of %q is %s", b.name, b.kind, g.Metric, kind)
			}
		}
		if bounds != 1 {
			v.add(g.At, what, "want exactly one of max_ratio, min_ratio and max_difference, got %d", bounds)
		}
		for _, name := range g.Cases {
			if v.phase.Case(name) == nil {
				v.add(g.At, what, "cases: no case named %q", name)
			}
		}
	}
}
