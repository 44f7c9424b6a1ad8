package protocol

// Network is a network namespace that is made before the phase and removed after it. Those of one host are joined.
type Network struct {
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`       // of its interface, with the length of the prefix: "10.0.0.2/24"
	Delay     Duration `json:"delay,omitempty"` // of every packet that leaves it; 0 adds none
	Host      string   `json:"host,omitempty"`
	At        Place    `json:"at,omitzero"`
}
