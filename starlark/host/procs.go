package host

import (
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
)

const procs = "GOMAXPROCS"

// checkProcs reports a GOMAXPROCS that is not the number of CPUs of the process, unless a limit of the phase speaks
// of it: a reviewer would take the one for the other.
func (b *builder) checkProcs(a, cmd *record) {
	process := b.r.record("process")
	for _, limit := range b.phase.Limits {
		if strings.Contains(limit, procs) {
			return
		}
	}
	cpus := a.text("cpus")
	if cpus == "" && process != nil {
		cpus = process.text("cpus")
	}
	n := countCPUs(cpus)
	if n == 0 {
		return
	}
	for _, owner := range []*record{cmd, a, process} {
		if owner == nil {
			continue
		}
		set, ok := owner.env("env")[procs]
		if !ok {
			continue
		}
		if set != strconv.Itoa(n) {
			owner.report(owner.arg("env"), "env: %s is %s, and %s has %s (%q); make them equal, or say why in a sentence of limits that names %s",
				procs, set, a.title(), plural(n, "CPU"), cpus, procs)
		}
		return
	}
}

// countCPUs returns the number of CPUs of a list; 1 for "auto" and 0 for none.
func countCPUs(cpus string) int {
	switch cpus {
	case "":
		return 0
	case "auto":
		return 1
	}
	list, err := protocol.ParseCPUs(cpus)
	if err != nil {
		return 0
	}
	return len(list)
}
