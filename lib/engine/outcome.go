package engine

import (
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/sample"
)

// OutcomeOf returns how a process ended, as the samples' reader wants it, from the ledger's event: the same when the
// run has just ended and when its folder is read years later.
func OutcomeOf(e *ledger.RunFinished) sample.Outcome {
	o := sample.Outcome{
		Exit: e.Exit, TimedOut: e.TimedOut, WallNS: e.WallNS, UserNS: e.UserNS, SysNS: e.SysNS, MaxRSSBytes: e.MaxRSSBytes,
		MinorFaults: e.MinorFaults, MajorFaults: e.MajorFaults,
		VoluntarySwitches: e.VoluntarySwitches, InvoluntarySwitches: e.InvoluntarySwitches, CPUs: countCPUs(e.CPUs),
	}
	if e.Signal != nil {
		o.Signal = *e.Signal
	}
	if e.StartError != nil {
		o.StartError = *e.StartError
	}
	return o
}
