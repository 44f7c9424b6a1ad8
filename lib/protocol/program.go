package protocol

// Program is something that runs beside or between the measured processes, and is never measured itself.
type Program struct {
	Argv  []Arg             `json:"argv"` // argv[0] as in Command
	Env   map[string]string `json:"env,omitempty"`
	Dir   string            `json:"dir,omitempty"`   // from the root; "" is the root
	CPUs  string            `json:"cpus,omitempty"`  // "" are those of the harness
	Netns string            `json:"netns,omitempty"` // "" is that of the harness
	Host  string            `json:"host,omitempty"`  // "" is this machine
}

// files returns the labels of the files that the program is given.
func (p *Program) files() []string {
	var labels []string
	for _, a := range p.Argv {
		if a.File != "" {
			labels = append(labels, a.File)
		}
	}
	return labels
}
