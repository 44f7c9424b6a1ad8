// Package plan turns a declared phase into every run, in order. A plan is symbolic where machines differ
// (files by label, CPUs as declared, run folders as {run}), so that its digest is the same everywhere.
package plan

import (
	"github.com/phaselock/phaselock/lib/protocol"
)

// Version of plan.json.
const Version = 1

// RunFolder stands in a plan's environment for the folder of the run, which has one length for all runs.
const RunFolder = "{run}"

// Plan is the protocol and every run in order: all that an analysis needs. It is what plan.json holds.
type Plan struct {
	Version        int             `json:"version"`
	Digest         string          `json:"digest"`          // SHA-256 over the runs (Digest)
	ProtocolDigest string          `json:"protocol_digest"` // SHA-256 of the phase's flat form; "" where no script declared it
	Phase          *protocol.Phase `json:"protocol"`
	Runs           []Run           `json:"runs"`
}

// Run is one fresh process for one arm in one block of one case.
type Run struct {
	Number   int               `json:"run"` // from 1, in the order of execution
	Case     string            `json:"case"`
	Arm      string            `json:"arm"`
	Block    int               `json:"block"`    // from 1
	Position int               `json:"position"` // within the block, from 1
	Argv     []protocol.Arg    `json:"argv"`
	Env      map[string]string `json:"env"` // the whole environment, PHASELOCK_PAD excepted
	CPUs     string            `json:"cpus,omitempty"`
	Stdin    *protocol.Arg     `json:"stdin,omitempty"`
	Dir      string            `json:"dir,omitempty"`
	Format   string            `json:"format"`
	Names    []string          `json:"names,omitempty"`
	Repeats  int               `json:"repeats"`
	Timeout  protocol.Duration `json:"timeout"`
}

// Samples returns the number of samples that the plan asks for.
func (p *Plan) Samples() int {
	n := 0
	for i := range p.Runs {
		n += p.Runs[i].Repeats
	}
	return n
}
