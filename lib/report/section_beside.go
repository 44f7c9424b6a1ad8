package report

import (
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// beside says what stands and runs beside the measured processes, a sentence each.
func beside(ph *plan.Phase) []string {
	var out []string
	for i := range ph.Hosts {
		h := &ph.Hosts[i]
		s := "Host " + code(h.Name) + ": over SSH at " + code(h.SSH)
		if h.Port > 0 {
			s += fmt.Sprintf(", port %d", h.Port)
		}
		if h.Dir != "" {
			s += ", in " + code(h.Dir)
		}
		if h.Housekeeping != "" {
			s += "; the harness has CPUs " + escape(h.Housekeeping)
		}
		out = append(out, s+".")
	}
	for i := range ph.Networks {
		n := &ph.Networks[i]
		words := make([]string, len(n.Addresses))
		for j, a := range n.Addresses {
			words[j] = code(a)
		}
		s := "Network " + code(n.Name) + on(n.Host) + ": " + list(words)
		if n.Delay > 0 {
			s += "; packets that leave it are delayed by " + n.Delay.String()
		}
		out = append(out, s+".")
	}
	for i := range ph.Services {
		v := &ph.Services[i]
		s := "Service " + code(v.Name) + ": " + programText(&v.Program)
		if v.Ready != nil {
			s += fmt.Sprintf("; ready once %s accepts a connection, within %s", code(v.Ready.Address), v.Ready.Timeout)
		}
		out = append(out, s+"; it has "+v.Grace.String()+" to end.")
	}
	for i := range ph.Samplers {
		v := &ph.Samplers[i]
		s := fmt.Sprintf("Sampler %s%s: reads %s every %s", code(v.Name), on(v.Host), escape(list(v.Reads)), v.Every)
		if v.CPUs != "" {
			s += " on CPUs " + escape(v.CPUs)
		}
		out = append(out, s+".")
	}
	return out
}

// on names the machine where something is; nothing for this one.
func on(host string) string {
	if host == "" {
		return ""
	}
	return " on host " + code(host)
}

func programText(p *plan.Program) string {
	s := codes(argv(p.Argv)) + on(p.Host)
	if p.CPUs != "" {
		s += " on CPUs " + escape(p.CPUs)
	}
	if p.Netns != "" {
		s += " in network namespace " + code(p.Netns)
	}
	if p.Dir != "" {
		s += " in " + code(p.Dir)
	}
	if len(p.Env) > 0 {
		s += " with " + environment(p.Env)
	}
	return s
}

// between says what happens while nothing is measured, a sentence a step.
func between(ph *plan.Phase) []string {
	var out []string
	for _, l := range []struct {
		when  string
		steps []plan.Step
	}{
		{"Before the first run", ph.BeforePhase},
		{"Before each run", ph.BeforeEach},
		{"After each run", ph.AfterEach},
		{"After the last run", ph.AfterPhase},
	} {
		for i := range l.steps {
			s := &l.steps[i]
			out = append(out, l.when+": "+stepText(s)+", within "+s.Timeout.String()+".")
		}
	}
	for _, s := range ph.Steps() {
		if s.Ceiling() {
			return append(out, onCeiling(ph.OnCeiling))
		}
	}
	return out
}

func onCeiling(what string) string {
	if what == "continue" {
		return "A case in which a ceiling is passed is contaminated, and the phase goes on."
	}
	return "A case in which a ceiling is passed is contaminated, and the phase stops."
}

func stepText(s *plan.Step) string {
	what := code(s.Kind)
	if s.Name != "" {
		what += " " + code(s.Name)
	}
	var words []string
	if s.Program != nil {
		words = append(words, programText(s.Program))
	}
	if s.FDB != nil {
		words = append(words, fdbWords(s)...)
	}
	if s.Max != nil {
		words = append(words, "at most "+exact(*s.Max))
	}
	if len(words) == 0 {
		return what
	}
	return what + ": " + strings.Join(words, "; ")
}

// fdbWords says what a step asks of a cluster.
func fdbWords(s *plan.Step) []string {
	f := s.FDB
	var words []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(f.Cluster != "", "cluster %s", code(f.Cluster))
	add(s.Kind == plan.StepFDBClear, "until at most %s are queued or in movement", count(int(f.Settle), "byte"))
	add(f.Path != "", "%s", code(f.Path))
	add(f.Redundancy != "", "redundancy %s", code(f.Redundancy))
	add(f.Engine != "", "engine %s", code(f.Engine))
	add(f.Version != "", "version %s", code(f.Version))
	for _, role := range sortedKeys(f.Roles) {
		add(true, "%d of role %s", f.Roles[role], code(role))
	}
	add(f.Machines > 0, "%s", count(f.Machines, "machine"))
	add(f.Storage > 0, "%s", count(f.Storage, "storage server"))
	add(f.Index != "", "index below %s, records below %s", code(f.Index), code(f.Records))
	if f.Colocated != nil {
		words = append(words, "colocated at least "+exact(*f.Colocated))
	}
	return words
}
