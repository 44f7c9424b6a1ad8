package protocol

// Host is another machine, reached over SSH.
type Host struct {
	Name         string `json:"name"`
	SSH          string `json:"ssh"`                    // user@address, as ssh takes it
	Port         int    `json:"port,omitempty"`         // 0 is that of ssh's own configuration
	Dir          string `json:"dir,omitempty"`          // where files are put there, absolute; "" is a new temporary folder
	Housekeeping string `json:"housekeeping,omitempty"` // CPUs of the harness there; "" is chosen
	At           Place  `json:"at,omitzero"`
}
