package main

import (
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
)

// planned plans a phase for plan_of(): the host of scripts knows nothing of plans.
func planned(s *host.Script, p *protocol.Phase) (*host.Planned, error) {
	sc, err := (&evaluated{script: s}).plan(p)
	if err != nil {
		return nil, err
	}
	runs := make([]any, len(sc.Plan.Runs))
	for i := range runs {
		runs[i] = &sc.Plan.Runs[i]
	}
	return &host.Planned{Digest: sc.Plan.Digest, Runs: runs}, nil
}
