package check

import "github.com/phaselock/phaselock/lib/ledger"

// Facts are what the ledger says beyond the processes and their samples. The zero value is a phase without a
// ledger, as a CSV file gives one: whatever needs a ledger finds nothing.
type Facts struct {
	Digests    map[string]string            // SHA-256 (hex) by file label, programs of the PATH included
	Notes      []string                     // what the harness could not do
	Runs       []RunFacts                   // in the order in which they started
	Statuses   map[string]ledger.CaseStatus // by case: the last one
	PinsBroken []ledger.PinBroken
	Reruns     []ledger.BlockRerun
	Stopped    string // why no more runs followed; "" if none was held back
}

// RunFacts is what the ledger says of one attempt at one run.
type RunFacts struct {
	Run, Attempt  int
	Total         int    // bytes of argv, environment and path
	SpinNS        int64  // before the run; 0 where calibrate is off
	CPUs          string // as asked; "" is unpinned
	CPUsRead      string // as read back; "" where they could not be
	Finished      bool
	Involuntary   int64 // context switches
	LeftProcesses int   // of its tree, still there at its end
}

// FactsOf reads the facts from a ledger's entries. Notes, analyses and the closing event have no part in them, so
// that a folder analysed again gives the same result.
func FactsOf(entries []ledger.Entry) Facts {
	f := Facts{Digests: map[string]string{}, Statuses: map[string]ledger.CaseStatus{}}
	at := map[[2]int]int{} // run and attempt to the index in f.Runs
	for i := range entries {
		switch e := entries[i].Body.(type) {
		case *ledger.Opened:
			for _, file := range e.Files {
				f.Digests[file.Label] = file.SHA256
			}
			f.Notes = append(f.Notes, e.Notes...)
		case *ledger.RunStarted:
			at[[2]int{e.Run, e.Attempt}] = len(f.Runs)
			f.Runs = append(f.Runs, RunFacts{Run: e.Run, Attempt: e.Attempt, Total: e.Total, SpinNS: e.SpinNS, CPUs: e.CPUs})
		case *ledger.RunFinished:
			if j, ok := at[[2]int{e.Run, e.Attempt}]; ok {
				r := &f.Runs[j]
				r.Finished, r.CPUsRead = true, e.CPUs
				r.Involuntary, r.LeftProcesses = e.InvoluntarySwitches, e.Leftover
			}
		case *ledger.CaseStatus:
			f.Statuses[e.Case] = *e
		case *ledger.PinBroken:
			f.PinsBroken = append(f.PinsBroken, *e)
		case *ledger.BlockRerun:
			f.Reruns = append(f.Reruns, *e)
		case *ledger.PhaseStopped:
			f.Stopped = e.Why
		case *ledger.Resumed:
			f.Stopped = "" // what was held back then is run now
		}
	}
	return f
}
