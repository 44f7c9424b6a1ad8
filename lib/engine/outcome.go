package engine

import (
	"path"
	"path/filepath"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/sample"
	"github.com/phaselock/phaselock/lib/spawn"
)

// OutcomeOf returns how a process ended, as the samples' reader wants it, from the ledger's event: the same when the
// run has just ended and when its folder is read years later.
func OutcomeOf(e *ledger.RunFinished) sample.Outcome {
	o := sample.Outcome{
		Step: e.Step, Exit: e.Exit, TimedOut: e.TimedOut, WallNS: e.WallNS, UserNS: e.UserNS, SysNS: e.SysNS, MaxRSSBytes: e.MaxRSSBytes,
		MinorFaults: e.MinorFaults, MajorFaults: e.MajorFaults,
		VoluntarySwitches: e.VoluntarySwitches, InvoluntarySwitches: e.InvoluntarySwitches,
	}
	if cpus, err := spawn.ParseCPUs(e.CPUs); err == nil {
		o.CPUs = len(cpus)
	}
	if e.Signal != nil {
		o.Signal = *e.Signal
	}
	if e.StartError != nil {
		o.StartError = *e.StartError
	}
	return o
}

// OutputOf returns what a run of a folder wrote. Messages name files as they lie in the folder, whatever it is called.
func OutputOf(folder string, runs int, e *ledger.RunFinished) sample.Files {
	name := path.Join("runs", RunName(runs, e.Run, e.Attempt))
	at := func(file string) sample.File {
		return sample.FileAt(filepath.Join(folder, filepath.FromSlash(name), file), path.Join(name, file))
	}
	return sample.Files{Stdout: at("stdout"), Stderr: at("stderr"), Audit: at("audit")}
}
