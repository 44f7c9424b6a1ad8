package campaign

import (
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/spawn"
)

// placement is which CPUs are measured and which are left to the harness.
type placement struct {
	allowed []int
	specs   map[string][]int // what each spec of the plan came to; "" is nil
	harness []int            // nil: the harness is not pinned
	notes   []string
}

// place decides the CPUs of every run before the first of them. A CPU outside the allowed set is an error that names
// the allowed ones; there is no fall-back to unpinned.
func place(pl *plan.Plan, housekeeping string) (placement, error) {
	allowed, err := spawn.Allowed()
	if err != nil {
		return placeNowhere(append(cpuSpecs(pl), besideSpecs(pl)...), housekeeping, err)
	}
	return placeAmong(allowed, cpuSpecs(pl), besideSpecs(pl), housekeeping)
}

// placeNowhere is the placement on a machine that cannot pin, and why.
func placeNowhere(specs []string, housekeeping string, why error) (placement, error) {
	p := placement{specs: map[string][]int{"": nil}}
	if len(specs) > 0 {
		return p, &Error{ExitMachine, fmt.Errorf("cpus %q: this machine cannot pin processes: %w; run the phase unpinned (no cpus in process()) or on Linux", specs[0], why)}
	}
	if housekeeping != "" {
		return p, &Error{ExitMachine, fmt.Errorf("--housekeeping %q: this machine cannot pin the harness: %w; leave it out", housekeeping, why)}
	}
	p.notes = append(p.notes, fmt.Sprintf("processes are not pinned and neither is the harness: %v", why))
	return p, nil
}

// placeAmong shares the allowed CPUs out.
func placeAmong(allowed []int, specs, beside []string, housekeeping string) (placement, error) {
	p := placement{specs: map[string][]int{"": nil}, allowed: allowed}
	var measured []int
	for _, spec := range specs {
		if spec == "auto" {
			continue
		}
		cpus, err := spawn.Choose(spec, allowed, nil)
		if err != nil {
			return p, &Error{ExitMachine, fmt.Errorf("cpus %q: %w", spec, err)}
		}
		p.specs[spec] = cpus
		measured = append(measured, cpus...)
	}
	var taken []int // by services and steps, which are not measured
	for _, spec := range beside {
		cpus, err := spawn.Choose(spec, allowed, nil)
		if err != nil {
			return p, &Error{ExitMachine, fmt.Errorf("cpus %q: %w", spec, err)}
		}
		if shared := intersect(cpus, measured); len(shared) > 0 {
			return p, &Error{ExitMachine, fmt.Errorf("cpus %q of a service or a step: CPUs %s are measured", spec, protocol.FormatCPUs(shared))}
		}
		p.specs[spec] = cpus
		taken = append(taken, cpus...)
	}
	free := minus(minus(allowed, measured), taken)
	var err error
	if p.harness, err = housekeepingCPUs(housekeeping, allowed, measured, free); err != nil {
		return p, err
	}
	if slices.Contains(specs, "auto") {
		auto, err := spawn.Choose("auto", free, p.harness)
		if err != nil {
			return p, &Error{ExitMachine, fmt.Errorf("cpus \"auto\": %w; other runs are pinned to %s, all that are allowed", err, protocol.FormatCPUs(allowed))}
		}
		if housekeeping != "" && len(intersect(auto, p.harness)) > 0 {
			return p, usage("--housekeeping %q: no CPU is left for cpus \"auto\"; the allowed CPUs are %s", housekeeping, protocol.FormatCPUs(allowed))
		}
		p.specs["auto"] = auto
		measured = append(measured, auto...)
	}
	if housekeeping == "" {
		p.harness = minus(minus(allowed, measured), taken)
	}
	if len(p.harness) == 0 && len(taken) > 0 {
		p.harness = taken
		p.notes = append(p.notes, fmt.Sprintf("no CPU is left for the harness alone: it shares %s with services and steps", protocol.FormatCPUs(taken)))
	}
	if len(p.harness) == 0 {
		p.notes = append(p.notes, fmt.Sprintf("no CPU is left for the harness: it shares %s with the measured processes", protocol.FormatCPUs(allowed)))
	}
	return p, nil
}

// housekeepingCPUs returns the CPUs asked for, or the first that is not measured: what else is free is shared out later.
func housekeepingCPUs(spec string, allowed, measured, free []int) ([]int, error) {
	if spec == "" {
		return free[:min(1, len(free))], nil
	}
	cpus, err := spawn.Choose(spec, allowed, nil)
	if err != nil {
		return nil, usage("--housekeeping %q: %w", spec, err)
	}
	if shared := intersect(cpus, measured); len(shared) > 0 {
		return nil, usage("--housekeeping %q: CPUs %s are measured", spec, protocol.FormatCPUs(shared))
	}
	return cpus, nil
}

// cpuSpecs returns the distinct non-empty CPU specs of a plan, in order of appearance.
func cpuSpecs(pl *plan.Plan) []string {
	var out []string
	for i := range pl.Runs {
		if s := pl.Runs[i].CPUs; s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// besideSpecs returns the distinct non-empty CPU specs of services and steps on this machine.
func besideSpecs(pl *plan.Plan) []string {
	var out []string
	for _, b := range beside(pl.Phase) {
		if s := b.program.CPUs; s != "" && b.program.Host == "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func minus(a, b []int) []int {
	var out []int
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

func intersect(a, b []int) []int {
	var out []int
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}
