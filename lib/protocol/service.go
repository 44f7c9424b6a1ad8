package protocol

// Service is a program that runs beside the measured processes, from before the first run to after the last.
type Service struct {
	Name    string   `json:"name"`
	Program Program  `json:"program"`
	Ready   *Ready   `json:"ready,omitempty"` // nil: as soon as it has started
	Grace   Duration `json:"grace"`           // from the signal that asks it to end to the one that ends it
	At      Place    `json:"at,omitzero"`
}

// ReadyTCP is the kind of a Ready that waits for an address to accept a connection.
const ReadyTCP = "tcp"

// Ready says when a service can be used.
type Ready struct {
	Kind    string   `json:"kind"`
	Address string   `json:"address"` // host:port
	Timeout Duration `json:"timeout"`
	At      Place    `json:"at,omitzero"`
}
