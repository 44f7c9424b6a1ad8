// Package ledger keeps the result folder: an append-only, hash-chained, fsynced journal of everything that
// happened, with one writer, and its events read back.
package ledger

import "time"

// Header is what every line of ledger.jsonl starts with.
type Header struct {
	Seq         int       `json:"seq"` // from 1
	Time        time.Time `json:"time"`
	MonotonicNS int64     `json:"monotonic_ns"` // since the writer opened the folder
	Event       string    `json:"event"`
	Prev        string    `json:"prev"` // SHA-256 (hex) of the line before, without its newline; 64 zeros on the first
}

// Entry is one line read back.
type Entry struct {
	Header
	Line    int      // in ledger.jsonl, from 1
	Body    Body     // a pointer to one of the event structs of this package
	Unknown []string // fields of the line that a newer phaselock wrote and this one passes over
}

// Body is the event's own fields.
type Body interface{ Kind() string }

// Opened is the first event: what is about to be run, by what, on what.
type Opened struct {
	Phase          string            `json:"phase"`
	Tool           string            `json:"tool"` // "phaselock v0.1.0 go1.26.8 …"
	ProtocolDigest string            `json:"protocol_digest"`
	PlanDigest     string            `json:"plan_digest"`
	Seal           *string           `json:"seal"`
	Anchor         string            `json:"anchor,omitempty"` // where the seal was published before, by the word of whoever runs it
	Host           map[string]string `json:"host"`             // what machine this is; "unknown" where it cannot be read
	HarnessCPUs    string            `json:"harness_cpus"`
	AllowedCPUs    string            `json:"allowed_cpus"`
	MaxRSSFloor    int64             `json:"max_rss_floor_bytes"` // smaller ru_maxrss values of children are unknown
	Files          []PinnedFile      `json:"files"`
	Notes          []string          `json:"notes,omitempty"`  // what the harness could not do: pin itself, for one
	Root           string            `json:"root,omitempty"`   // the phase's root, from which commands and inputs count
	Stored         map[string]string `json:"stored,omitempty"` // SHA-256 of what was written before: plan.json, protocol.star, phase/…
}

// PinnedFile is a file of the phase as it was found: by its digest, with a Go binary's build information.
type PinnedFile struct {
	Label  string            `json:"label"`
	Kind   string            `json:"kind"` // binary, input, go_test, go_build, program (found in the PATH), interpreter
	Path   string            `json:"path"` // the private copy under bin/, or where an input lies
	Source string            `json:"source,omitempty"`
	SHA256 string            `json:"sha256"`
	Size   int64             `json:"size"`
	Build  map[string]string `json:"build,omitempty"` // go, path, revision, modified, settings; ref, commit, tree, flags of a build

	Dir     string `json:"dir,omitempty"`     // where it must run; "" is where the command says
	Pattern string `json:"pattern,omitempty"` // the input's label, where that is a pattern that this file matched
	User    string `json:"user,omitempty"`    // of an interpreter: the script that it runs
}

// PinVerified says that files were found as pinned; PinBroken names one that was not.
type (
	PinVerified struct {
		When  string   `json:"when"` // "opening", "after run 7", "closing"
		Files int      `json:"files"`
		Moved []string `json:"moved,omitempty"` // labels: written, replaced or touched during the run, and as pinned again
	}
	PinBroken struct {
		When  string `json:"when"`
		Run   int    `json:"run,omitempty"`
		Label string `json:"label"`
		Want  string `json:"want"`
		Got   string `json:"got"` // a digest, or what went wrong
	}
)

// RunStarted is journalled and fsynced before the process starts.
type RunStarted struct {
	Run      int               `json:"run"`
	Attempt  int               `json:"attempt"`
	Case     string            `json:"case"`
	Arm      string            `json:"arm"`
	Block    int               `json:"block"`
	Position int               `json:"position"`
	Exec     string            `json:"exec"` // the file that is executed
	Argv     []string          `json:"argv"`
	Env      map[string]string `json:"env"` // whole, PHASELOCK_PAD included
	Dir      string            `json:"dir"`
	CPUs     string            `json:"cpus"`        // "" is unpinned
	Total    int               `json:"total_bytes"` // of argv, environment and path, each with its terminating NUL
	SpinNS   int64             `json:"spin_ns,omitempty"`
}

// RunFinished is journalled and fsynced before the next run starts.
type RunFinished struct {
	Run                 int     `json:"run"`
	Attempt             int     `json:"attempt"`
	Exit                *int    `json:"exit"`   // null if it did not exit
	Signal              *string `json:"signal"` // "SIGSEGV"; null if none
	TimedOut            bool    `json:"timed_out"`
	StartError          *string `json:"start_error"`
	Step                string  `json:"step,omitempty"` // the step around it that failed, or what changed around it
	WallNS              int64   `json:"wall_ns"`
	UserNS              int64   `json:"user_ns"`
	SysNS               int64   `json:"sys_ns"`
	MaxRSSBytes         *int64  `json:"max_rss_bytes"` // null: not above the floor, so unknown
	MinorFaults         int64   `json:"minor_faults"`
	MajorFaults         int64   `json:"major_faults"`
	VoluntarySwitches   int64   `json:"voluntary_switches"`
	InvoluntarySwitches int64   `json:"involuntary_switches"`
	CPUs                string  `json:"cpus"` // as read back from the child; "" where it could not be
	Stdout              Output  `json:"stdout"`
	Stderr              Output  `json:"stderr"`
	Audit               *Output `json:"audit,omitempty"`
	Samples             int     `json:"samples"`
	Failure             string  `json:"failure,omitempty"` // the kind, as lib/sample judged it when it ran
	Message             string  `json:"message,omitempty"`
	Leftover            int     `json:"leftover,omitempty"` // processes of its tree that were still there, and were ended
}

// Output is a file that a run wrote.
type Output struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// RunInterrupted is a run that the harness's own end cut short.
type RunInterrupted struct {
	Run     int    `json:"run"`
	Attempt int    `json:"attempt"`
	Why     string `json:"why"`
}

// BlockRerun says that a case's block is run again whole.
type BlockRerun struct {
	Case    string `json:"case"`
	Block   int    `json:"block"`
	Attempt int    `json:"attempt"`
	Why     string `json:"why"`
}

// CaseStatus is a status that the runs gave to a case (contaminated, unexecuted, …).
type CaseStatus struct {
	Case   string `json:"case"`
	Status string `json:"status"`
	Why    string `json:"why"`
}

// ServiceStarted says that a service can be used from now on.
type ServiceStarted struct {
	Service string            `json:"service"`
	Output  string            `json:"output"` // the folder of what it writes, in the result folder: services/01
	PID     int               `json:"pid"`    // 0: it ended before it was seen to run
	Exec    string            `json:"exec"`
	Argv    []string          `json:"argv"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"dir"`
	CPUs    string            `json:"cpus"` // as read back from it; "" where they could not be
	ReadyNS int64             `json:"ready_ns"`
}

// ServiceEnded is how a service ended.
type ServiceEnded struct {
	Service     string  `json:"service"`
	Asked       bool    `json:"asked"` // false: it ended by itself
	Exit        *int    `json:"exit"`
	Signal      *string `json:"signal"`
	StartError  *string `json:"start_error"`
	WallNS      int64   `json:"wall_ns"`
	UserNS      int64   `json:"user_ns"`
	SysNS       int64   `json:"sys_ns"`
	MaxRSSBytes *int64  `json:"max_rss_bytes"`
	Stdout      Output  `json:"stdout"`
	Stderr      Output  `json:"stderr"`
	Leftover    int     `json:"leftover,omitempty"` // processes of its tree that did not end by themselves
}

// StepFinished is what came of a step.
type StepFinished struct {
	When       string     `json:"when"`              // before_phase, before_each, after_each, after_phase
	Run        int        `json:"run,omitempty"`     // around which it happened
	Attempt    int        `json:"attempt,omitempty"` // likewise
	Step       string     `json:"step"`              // its kind: step, ceiling, fdb.status
	Name       string     `json:"name,omitempty"`
	WallNS     int64      `json:"wall_ns"`
	Failure    string     `json:"failure,omitempty"` // "" if it did what it should
	Value      *float64   `json:"value,omitempty"`   // of a ceiling; missing is unknown
	Max        *float64   `json:"max,omitempty"`     // of a ceiling: a value above is a breach
	Placement  *Placement `json:"placement,omitempty"`
	Output     string     `json:"output,omitempty"` // the folder of what it wrote, in the result folder: steps/0001
	Document   *Output    `json:"document,omitempty"`
	Stdout     *Output    `json:"stdout,omitempty"`
	Stderr     *Output    `json:"stderr,omitempty"`
	Exit       *int       `json:"exit,omitempty"`
	Signal     *string    `json:"signal,omitempty"`
	StartError *string    `json:"start_error,omitempty"`
	TimedOut   bool       `json:"timed_out,omitempty"`
}

// Placement is on which storage servers an index and its records lie.
type Placement struct {
	Rows      int     `json:"rows"`
	Colocated float64 `json:"colocated"` // the mean over rows of the fraction of the row's servers that have its record
	All       float64 `json:"all"`       // the fraction of rows all of whose servers have the record
	Teams     string  `json:"teams"`     // SHA-256 of the shards and their servers
}

// LabelSealed is what can only be known once the fixture is loaded, sealed before it is measured.
type LabelSealed struct {
	Name      string    `json:"name"`
	Placement Placement `json:"placement"`
	Why       string    `json:"why,omitempty"` // it takes the place of an earlier one
}

// PhaseStopped says why no more runs follow.
type PhaseStopped struct {
	Why  string `json:"why"`
	Exit int    `json:"exit"`
}

// Note is a hypothesis, a limit or an erratum, written after the results.
type Note struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Analysis says that an analysis was made from the folder.
type Analysis struct {
	Path        string   `json:"path"`
	SHA256      string   `json:"sha256"`
	Registered  bool     `json:"registered"`
	Command     []string `json:"command,omitempty"`
	ExitVerdict int      `json:"exit"`
}

// Resumed says that a later process goes on with the folder.
type Resumed struct {
	Tool string            `json:"tool"`
	Host map[string]string `json:"host"`
	Torn int               `json:"torn_bytes"` // of a last line that was never finished

	TornSHA256     string   `json:"torn_sha256,omitempty"`     // of these bytes, which are kept in ledger.torn-N
	GapNS          int64    `json:"gap_ns,omitempty"`          // since the last whole line, by the wall clock; 0 where that went backwards
	LeftIncomplete []string `json:"left_incomplete,omitempty"` // blocks that stay incomplete, as interrupted = "retain" declares
}

// Closed is the last event of a finished phase.
type Closed struct {
	Finished int               `json:"finished"`
	Failed   int               `json:"failed"`
	Host     map[string]string `json:"host"`
}

func (*Opened) Kind() string         { return "opened" }
func (*PinVerified) Kind() string    { return "pin-verified" }
func (*PinBroken) Kind() string      { return "pin-broken" }
func (*RunStarted) Kind() string     { return "run-started" }
func (*RunFinished) Kind() string    { return "run-finished" }
func (*RunInterrupted) Kind() string { return "run-interrupted" }
func (*BlockRerun) Kind() string     { return "block-rerun" }
func (*CaseStatus) Kind() string     { return "case-status" }
func (*ServiceStarted) Kind() string { return "service-started" }
func (*ServiceEnded) Kind() string   { return "service-ended" }
func (*StepFinished) Kind() string   { return "step-finished" }
func (*LabelSealed) Kind() string    { return "label-sealed" }
func (*PhaseStopped) Kind() string   { return "phase-stopped" }
func (*Note) Kind() string           { return "note" }
func (*Analysis) Kind() string       { return "analysis" }
func (*Resumed) Kind() string        { return "resumed" }
func (*Closed) Kind() string         { return "closed" }
