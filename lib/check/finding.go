// Package check says what may be wrong with the numbers: each check looks at the plan, the processes and their
// samples, and returns findings with a severity.
package check

// Finding is one thing that a reader must know before believing a number.
// The ids are those of docs/findings.md; severities those of lib/protocol (note, warning, invalid).
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Case     string `json:"case,omitempty"`
	Metric   string `json:"metric,omitempty"`
	Arm      string `json:"arm,omitempty"`
	Blocks   []int  `json:"blocks,omitempty"`
	Message  string `json:"message"`
	At       string `json:"at,omitempty"` // file:line:col of the declaration
}
