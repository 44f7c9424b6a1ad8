//go:build unix

package spawn

import (
	"errors"
	"fmt"
	"slices"
)

// Choose returns the CPUs that a declaration means on this machine: "" is nil (unpinned), "auto" is one allowed CPU
// away from the harness's and, where there is one, not an SMT sibling of theirs; "2-4,7" is just that. A CPU outside
// the allowed set is an error that lists the allowed ones. Where the harness has all allowed CPUs, "auto" shares one.
func Choose(spec string, allowed, harness []int) ([]int, error) {
	return choose(spec, allowed, harness, Siblings)
}

func choose(spec string, allowed, harness []int, siblings func(cpu int) []int) ([]int, error) {
	switch spec {
	case "":
		return nil, nil
	case "auto":
		return chooseOne(allowed, harness, siblings)
	}
	cpus, err := ParseCPUs(spec)
	if err != nil {
		return nil, err
	}
	if len(cpus) == 0 {
		return nil, fmt.Errorf("CPUs %q name no CPU; the allowed CPUs are %s", spec, FormatCPUs(allowed))
	}
	var outside []int
	for _, cpu := range cpus {
		if !slices.Contains(allowed, cpu) {
			outside = append(outside, cpu)
		}
	}
	switch len(outside) {
	case 0:
		return cpus, nil
	case 1:
		return nil, fmt.Errorf("CPU %d is not allowed here; the allowed CPUs are %s", outside[0], FormatCPUs(allowed))
	}
	return nil, fmt.Errorf("CPUs %s are not allowed here; the allowed CPUs are %s", FormatCPUs(outside), FormatCPUs(allowed))
}

// chooseOne prefers high numbers: CPU 0 takes more of the kernel's own work on most machines.
func chooseOne(allowed, harness []int, siblings func(cpu int) []int) ([]int, error) {
	if len(allowed) == 0 {
		return nil, errors.New("no CPU is left to choose from")
	}
	var near []int
	for _, cpu := range harness {
		near = append(append(near, cpu), siblings(cpu)...)
	}
	best, bestRank := -1, -1
	for _, cpu := range slices.Sorted(slices.Values(allowed)) {
		rank := 2
		switch {
		case slices.Contains(harness, cpu):
			rank = 0
		case slices.Contains(near, cpu):
			rank = 1
		}
		if rank >= bestRank {
			best, bestRank = cpu, rank
		}
	}
	return []int{best}, nil
}
