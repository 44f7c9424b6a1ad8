// Package sample reads what a program printed into samples and holds them to the plan: names, counts, units,
// values and expectations are those declared, or the whole process is invalid, with the reason and its line.
package sample

import "github.com/phaselock/phaselock/lib/plan"

// Sample is one row of metrics.csv: one repeat of one process.
type Sample struct {
	Repeat     int                // from 1
	Iterations int64              // b.N; 0 where the format has none
	Values     map[string]float64 // by unit, verbatim; finite; whole-process figures on repeat 1 only
}

// Process is what one attempt at one run gave: its samples, or why it has none.
type Process struct {
	Run      plan.Run
	Attempt  int      // from 1
	Samples  []Sample // in order; nil if Failure is set
	Failure  *Failure // nil for a valid process
	Warnings []Warning
	Audits   map[string]AuditCount // by audit name, for every expect.audit of the phase
	Client   *Client               // what served it; nil where it does not say
	WallNS   int64
	Retained bool // false for an attempt that a later one replaced: shown, outside the estimate
}

// AuditCount is how many audit lines of a name a run should have written, and how many did as expected.
type AuditCount struct{ Expected, Passed int }

// Kinds of failures, from the outside in.
const (
	FailStep        = "step"        // a step around it failed, or the cluster changed during it
	FailStart       = "start"       // the process could not be started
	FailExit        = "exit"        // a non-zero exit status
	FailSignal      = "signal"      // ended by a signal
	FailTimeout     = "timeout"     // its deadline passed
	FailInterrupted = "interrupted" // the harness was stopped before it ended
	FailParse       = "parse"       // its output cannot be read
	FailRows        = "rows"        // other rows than those declared: names, number, units
	FailExpect      = "expect"      // an expectation does not hold
	FailClient      = "client"      // what served it is the double, or cannot be told
	FailMissing     = "missing"     // no record of the run at all
)

// Failure is why a process gives no sample.
type Failure struct {
	Kind    string
	Message string // one sentence: what, and where in the output ("runs/0007/stdout:3: …")
	At      string // the declaration's place in the script, if one is to blame
}

// Warning is something odd in an output that is valid all the same.
type Warning struct {
	ID      string // a finding's id: "implausible", "shadowed-unit", …
	Unit    string
	Message string
}
