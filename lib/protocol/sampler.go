package protocol

// What a sampler can read.
const (
	SampleCPU     = "cpu"     // time by state, of every CPU
	SampleLoad    = "load"    // runnable tasks, pressure of CPU, memory and input and output
	SampleMemory  = "memory"  // of the machine
	SampleDisk    = "disk"    // operations, bytes and time of every device
	SampleNetwork = "network" // packets, bytes, drops of every interface
	SampleFreq    = "freq"    // frequency of every CPU
)

// Samples are all of them, in the order of the reference.
var Samples = []string{SampleCPU, SampleLoad, SampleMemory, SampleDisk, SampleNetwork, SampleFreq}

// Sampler reads what a machine does, at a steady pace through the whole phase.
type Sampler struct {
	Name  string   `json:"name"`
	Reads []string `json:"reads"` // of Samples
	Every Duration `json:"every"`
	CPUs  string   `json:"cpus,omitempty"` // "" are those of the harness
	Host  string   `json:"host,omitempty"`
	At    Place    `json:"at,omitzero"`
}
