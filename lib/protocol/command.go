package protocol

import (
	"encoding/json"
	"fmt"
)

// Formats of a command's output.
const (
	FormatGobench = "gobench" // Go benchmark output on standard output
	FormatJSON    = "json"    // lines of {metric: number} on standard output, one a repeat
	FormatProcess = "process" // the whole process is the sample
	FormatNone    = "none"    // the same, and standard output is not read at all
)

// Command is what one arm of one case runs, and how its output is read.
type Command struct {
	Argv   []Arg             `json:"argv"` // argv[0] is a file of the phase, a path from the root, or a program of the fixed PATH
	Format string            `json:"format"`
	Names  []string          `json:"names,omitempty"` // the benchmark name that must come out; empty: one distinct name
	Env    map[string]string `json:"env,omitempty"`   // overrides the arm's and the process's
	Stdin  *Arg              `json:"stdin,omitempty"` // a file; nil is /dev/null
	Dir    string            `json:"dir,omitempty"`   // from the root; "" is the root, or the package's folder for a go_test binary
	At     Place             `json:"at,omitzero"`
}

// Arg is one element of an argv: literal text, or a file of the phase by its label.
// In JSON a text is a string and a file is {"file": label}.
type Arg struct {
	Text string
	File string
}

// String returns the text, or the label of the file.
func (a Arg) String() string {
	if a.File != "" {
		return a.File
	}
	return a.Text
}

// MarshalJSON writes a text as a string and a file as {"file": label}.
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.File != "" {
		return marshal(map[string]string{"file": a.File})
	}
	return marshal(a.Text)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Arg) UnmarshalJSON(b []byte) error {
	*a = Arg{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &a.Text)
	}
	var f struct{ File string }
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	if f.File == "" {
		return fmt.Errorf("argument %s: want a string or {\"file\": label}", b)
	}
	a.File = f.File
	return nil
}

// Process is how every process of a phase runs.
type Process struct {
	CPUs      string            `json:"cpus,omitempty"` // "8-15", "auto" (one allowed CPU away from the harness's) or "" (unpinned)
	Env       map[string]string `json:"env,omitempty"`
	Netns     string            `json:"netns,omitempty"`
	ASLR      *bool             `json:"aslr,omitempty"` // nil leaves it as it is; false turns it off
	Nice      *int              `json:"nice,omitempty"`
	Timeout   Duration          `json:"timeout"`             // of one run
	Limits    map[string]int64  `json:"limits,omitempty"`    // rlimits by name: "nofile", "as", "cpu", "core", "data", "fsize", "stack", "memlock", "nproc"
	Host      string            `json:"host,omitempty"`      // "" is this machine
	Pad       bool              `json:"pad"`                 // one total length of argv, environment and path in all arms of a case
	Calibrate Duration          `json:"calibrate,omitempty"` // a fixed spin before each run; 0 is off
}
