package check

import (
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// Input is all that the checks look at.
type Input struct {
	Grid        *Grid
	Facts       Facts
	Comparisons []Comparison
	Gates       []Gate
}

func (in *Input) phase() *plan.Phase { return in.Grid.Plan.Phase }

// Check is one check: an id, the severity of its findings, and the function that finds them. The findings that it
// returns need neither: Run fills both in. A check whose findings differ in kind is two checks.
type Check struct {
	ID       string
	Severity string
	Find     func(*Input) []Finding
}

// All is every check of this package. A new one is a file and a line here, and a section in docs/findings.md.
var All = []Check{
	{"complete", plan.Invalid, complete},
	{"case-status", plan.Invalid, caseStatus},
	{"constant", plan.Invalid, constant},
	{"pins", plan.Invalid, pins},
	{"affinity", plan.Invalid, affinity},
	{"client", plan.Invalid, client},
	{"prefix-confound", plan.Warning, prefixConfound},
	{"layout", plan.Warning, layout},
	{"implausible", plan.Warning, implausible},
	{"shadowed-unit", plan.Warning, shadowedUnit},
	{"duplicate-name", plan.Warning, duplicateName},
	{"output", plan.Warning, output},
	{"gate-narrow", plan.Warning, gateNarrow},
	{"gate-unmatched", plan.Warning, gateUnmatched},
	{"not-comparable", plan.Note, notComparable},
	{"undefined", plan.Note, undefined},
	{"derived-omitted", plan.Note, derivedOmitted},
	{"block-rerun", plan.Note, blockRerun},
	{"identical-arms", plan.Note, identicalArms},
	{"control", plan.Note, control},
	{"single-block", plan.Note, singleBlock},
	{"zero-variance", plan.Note, zeroVariance},
	{"narrow-interval", plan.Note, narrowInterval},
	{"no-interval", plan.Note, noInterval},
	{"family-unreachable", plan.Note, familyUnreachable},
	{"unbalanced", plan.Note, unbalanced},
	{"order", plan.Note, order},
	{"drift", plan.Note, drift},
	{"warm-up", plan.Note, warmUp},
	{"machine-speed", plan.Note, machineSpeed},
	{"noise", plan.Note, noise},
	{"leftover", plan.Note, leftover},
	{"harness", plan.Note, harness},
}

// Run returns the findings of every check, the most severe first, and within a severity in the order of All.
// A check that the phase declares raises the severity of its findings; none is lowered.
func Run(in *Input) []Finding {
	findings := []Finding{}
	for _, c := range All {
		for _, f := range c.Find(in) {
			f.ID, f.Severity = c.ID, c.Severity
			raise(in.phase(), &f)
			findings = append(findings, f)
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int { return rank(b.Severity) - rank(a.Severity) })
	return findings
}

var severities = []string{plan.Note, plan.Warning, plan.Invalid}

func rank(severity string) int { return slices.Index(severities, severity) }

// raise applies the declared checks: the highest severity holds, and the place of the declaration is that of the
// finding unless it knows a closer one.
func raise(p *plan.Phase, f *Finding) {
	for i := range p.Checks {
		c := &p.Checks[i]
		if ID(c.Kind) != f.ID || (c.Metric != "" && c.Metric != f.Metric) {
			continue
		}
		if rank(c.On) > rank(f.Severity) {
			f.Severity = c.On
		}
		if f.At == "" {
			f.At = c.At.String()
		}
	}
}

// ID returns the finding id of a check as scripts name it: prefix_confound finds prefix-confound.
func ID(kind string) string { return strings.ReplaceAll(kind, "_", "-") }

// Worst returns the highest severity among findings, or "" if there are none.
func Worst(findings []Finding) string {
	worst := -1
	for i := range findings {
		worst = max(worst, rank(findings[i].Severity))
	}
	if worst < 0 {
		return ""
	}
	return severities[worst]
}
