package protocol

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// MaxSeed is the largest seed: the largest integer that every double holds exactly.
const MaxSeed = 1<<53 - 1

var phaseName = regexp.MustCompile(`^[a-z0-9._-]+$`)

// Validate returns every independent problem of a phase that data alone can show. A phase without problems can be
// planned, run and analysed.
func Validate(p *Phase) Problems {
	v := &validator{phase: p}
	v.header()
	v.arms()
	v.cases()
	v.design()
	v.metrics()
	v.estimand("phase "+quote(p.Name), &p.Estimand, p.At)
	v.contrasts()
	v.process()
	v.hosts()
	v.networks()
	v.services()
	v.samplers()
	v.steps()
	v.measuredCPUs()
	v.expects()
	v.checks()
	v.gates()
	return v.problems
}

type validator struct {
	phase    *Phase
	problems Problems
}

func (v *validator) add(at Place, what, format string, args ...any) {
	if at.IsZero() {
		at = v.phase.At
	}
	v.problems = append(v.problems, Problem{at, what, fmt.Sprintf(format, args...)})
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func (v *validator) header() {
	p := v.phase
	what := "phase " + quote(p.Name)
	if !phaseName.MatchString(p.Name) || p.Name == "." || p.Name == ".." {
		v.add(p.At, what, "a name has lower-case letters, digits, dots, underscores and hyphens only")
	}
	if strings.TrimSpace(p.Question) == "" {
		v.add(p.At, what, "the question is empty; the report answers it, so it needs one sentence")
	}
	if p.Repeats < 1 {
		v.add(p.At, what, "repeats is %d; each process must give at least one sample", p.Repeats)
	}
	v.oneOf(p.At, what, "on_failure", p.OnFailure, "continue", "stop-case", "stop-phase")
	v.oneOf(p.At, what, "on_ceiling", p.OnCeiling, "stop-phase", "continue")
	v.oneOf(p.At, what, "interrupted", p.Interrupted, "rerun-block", "retain")
	v.oneOf(p.At, what, "family", p.Family, "", "holm", "bh")
}

func (v *validator) oneOf(at Place, what, name, got string, valid ...string) {
	if slices.Contains(valid, got) {
		return
	}
	quoted := make([]string, len(valid))
	for i, s := range valid {
		quoted[i] = quote(s)
	}
	v.add(at, what, "%s: want %s, got %q", name, strings.Join(quoted, " or "), got)
}

func (v *validator) arms() {
	p := v.phase
	if len(p.Arms) == 0 {
		v.add(p.At, "phase "+quote(p.Name), "no arms; a comparison needs at least two (one is measured alone)")
	}
	v.distinct("arms", len(p.Arms), func(i int) (Place, string, string) { return p.Arms[i].At, "arm", p.Arms[i].Name })
	for i := range p.Arms {
		a := &p.Arms[i]
		what := "arm " + quote(a.Name)
		v.cpus(a.At, what, a.CPUs)
		v.env(a.At, what, a.Env)
	}
	if len(p.Arms) > 0 && p.Arm(p.Baseline) == nil {
		v.add(p.At, "phase "+quote(p.Name), "baseline: no arm named %q", p.Baseline)
	}
}

// name refuses names that would break files, tables and CSV columns that carry them.
func (v *validator) name(at Place, what, name string) {
	if strings.TrimSpace(name) == "" || name != strings.TrimSpace(name) {
		v.add(at, what, "a name is not empty and has no space at its ends")
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			v.add(at, what, "a name has no control characters")
			return
		}
	}
}

func (v *validator) cpus(at Place, what, spec string) {
	if spec == "" || spec == "auto" {
		return
	}
	if _, err := ParseCPUs(spec); err != nil {
		v.add(at, what, "cpus: %v", err)
	}
}

// reserved are variables that the harness sets itself, so that they are the same in all arms.
var reserved = []string{"PHASELOCK_PAD", "PHASELOCK_AUDIT", "HOME", "TMPDIR"}

func (v *validator) env(at Place, what string, env map[string]string) {
	for _, name := range sortedKeys(env) {
		switch {
		case slices.Contains(reserved, name):
			v.add(at, what, "env: %s is set by the harness, to the same length in every run", name)
		case name == "" || strings.ContainsAny(name, "=\x00"):
			v.add(at, what, "env: %q is no variable's name", name)
		case strings.Contains(env[name], "\x00"):
			v.add(at, what, "env: the value of %s has a NUL byte", name)
		}
	}
}

func (v *validator) cases() {
	p := v.phase
	if len(p.Cases) == 0 {
		v.add(p.At, "phase "+quote(p.Name), "no cases; declare at least one")
	}
	v.distinct("cases", len(p.Cases), func(i int) (Place, string, string) { return p.Cases[i].At, "case", p.Cases[i].Name })
	for i := range p.Cases {
		c := &p.Cases[i]
		what := "case " + quote(c.Name)
		if len(c.Arms) == 0 {
			v.add(c.At, what, "no arm is asked this")
		}
		for _, name := range c.Arms {
			if p.Arm(name) == nil {
				v.add(c.At, what, "no arm named %q", name)
				continue
			}
			cmd, ok := c.Commands[name]
			if !ok {
				v.add(c.At, what, "no command for arm %q", name)
				continue
			}
			v.command(c, name, &cmd)
		}
	}
	v.asked()
}

// asked refuses an arm that no case is asked of: it would stand in the report and never run.
func (v *validator) asked() {
	for i := range v.phase.Arms {
		a := &v.phase.Arms[i]
		if len(v.phase.Cases) > 0 && !slices.ContainsFunc(v.phase.Cases, func(c Case) bool { return slices.Contains(c.Arms, a.Name) }) {
			v.add(a.At, "arm "+quote(a.Name), "no case asks this arm; leave it out of the phase's arms, or name it in a case's")
		}
	}
}

func (v *validator) command(c *Case, arm string, cmd *Command) {
	at := cmd.At
	if at.IsZero() {
		at = c.At
	}
	what := fmt.Sprintf("command of arm %q in case %q", arm, c.Name)
	if len(cmd.Argv) == 0 || cmd.Argv[0].String() == "" {
		v.add(at, what, "argv is empty; its first item is what is run")
	}
	args := cmd.Argv
	if cmd.Stdin != nil {
		args = append(slices.Clone(args), *cmd.Stdin)
	}
	for _, a := range args {
		if a.File != "" && v.phase.File(a.File) == nil {
			v.add(at, what, "no file labelled %q", a.File)
		}
		if strings.Contains(a.Text, "\x00") {
			v.add(at, what, "an argument has a NUL byte")
		}
	}
	v.oneOf(at, what, "format", cmd.Format, FormatGobench, FormatJSON, FormatProcess, FormatNone)
	if v.phase.Repeats > 1 && (cmd.Format == FormatProcess || cmd.Format == FormatNone) {
		v.add(at, what, "format %q gives one sample a process, repeats is %d; use more blocks instead", cmd.Format, v.phase.Repeats)
	}
	if len(cmd.Names) > 1 {
		v.add(at, what, "names has %d benchmarks; samples of different benchmarks are never pooled: give each a case", len(cmd.Names))
	}
	v.env(at, what, cmd.Env)
}

func (v *validator) design() {
	d := &v.phase.Design
	at, what := d.At, d.Kind
	v.oneOf(at, "design", "kind", d.Kind, DesignCounterbalanced, DesignWilliams, DesignRandomized, DesignFixed)
	if d.Blocks < 1 {
		v.add(at, what, "blocks is %d; at least one is needed, six or more for an interval worth having", d.Blocks)
	}
	if d.Seed < 0 || d.Seed > MaxSeed {
		v.add(at, what, "seed %d: want 0 to 2^53-1", d.Seed)
	}
	v.oneOf(at, what, "nesting", d.Nesting, NestBlocks, NestCases)
	v.oneOf(at, what, "order", d.Order, OrderCase, OrderShared)
	if d.Order == OrderShared && d.Kind != DesignFixed {
		v.sameArms(at, what)
	}
}

// sameArms refuses one shared sequence where cases have different arms.
func (v *validator) sameArms(at Place, what string) {
	for i := range v.phase.Cases {
		if !slices.Equal(v.phase.Cases[i].Arms, v.phase.Cases[0].Arms) {
			v.add(at, what, "order = \"shared\" needs the same arms in all cases; case %q has others", v.phase.Cases[i].Name)
			return
		}
	}
}

func (v *validator) estimand(what string, e *Estimand, at Place) {
	if !e.At.IsZero() {
		at = e.At
	}
	v.oneOf(at, what, "estimand", e.Kind, BlockRatio, BlockDifference)
	for _, i := range append([]Interval{e.Interval}, e.Also...) {
		iat := at
		if !i.At.IsZero() {
			iat = i.At
		}
		v.oneOf(iat, what, "interval", i.Kind, StudentT, Percentile, SignFlip)
		if !(i.Level > 0 && i.Level < 1) {
			v.add(iat, i.Kind, "level %v: want a number between 0 and 1, 0.95 for instance", i.Level)
		}
		if i.Kind != Percentile {
			continue
		}
		if i.Resamples < 100 || i.Resamples > 10_000_000 {
			v.add(iat, i.Kind, "resamples %d: want 100 to 10000000, 20000 for instance", i.Resamples)
		}
		if i.Seed < 0 || i.Seed > MaxSeed {
			v.add(iat, i.Kind, "seed %d: want 0 to 2^53-1", i.Seed)
		}
	}
}

func (v *validator) contrasts() {
	p := v.phase
	seen := map[Contrast]bool{}
	for _, c := range p.Contrasts {
		what := fmt.Sprintf("contrast (%q, %q)", c.Arm, c.Base)
		for _, name := range []string{c.Arm, c.Base} {
			if p.Arm(name) == nil {
				v.add(p.At, what, "no arm named %q", name)
			}
		}
		if c.Arm == c.Base {
			v.add(p.At, what, "an arm cannot be compared with itself; declare it twice with control = True for an A/A check")
		}
		if seen[c] {
			v.add(p.At, what, "declared twice")
		}
		seen[c] = true
	}
}

func (v *validator) process() {
	p := &v.phase.Process
	at, what := v.phase.At, "process"
	v.cpus(at, what, p.CPUs)
	v.env(at, what, p.Env)
	if p.Timeout <= 0 {
		v.add(at, what, "timeout %v: want a positive duration, \"10m\" for instance", p.Timeout)
	}
	if p.Calibrate < 0 {
		v.add(at, what, "calibrate %v: want a positive duration, \"20ms\" for instance", p.Calibrate)
	}
	if p.Nice != nil && (*p.Nice < -20 || *p.Nice > 19) {
		v.add(at, what, "nice %d: want -20 to 19", *p.Nice)
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
