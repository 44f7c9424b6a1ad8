package protocol

import (
	"slices"
	"strings"
)

// hosts checks the other machines, and that what names one names a declared one.
func (v *validator) hosts() {
	v.distinct("hosts", len(v.phase.Hosts), func(i int) (Place, string, string) {
		h := &v.phase.Hosts[i]
		return h.At, "host", h.Name
	})
	for i := range v.phase.Hosts {
		h := &v.phase.Hosts[i]
		what := "host " + quote(h.Name)
		if message := CheckSSH(h.SSH); message != "" {
			v.add(h.At, what, "ssh: %s", message)
		}
		if h.Port < 0 || h.Port > 65535 {
			v.add(h.At, what, "port: want 1 to 65535, got %d", h.Port)
		}
		if h.Dir != "" && !strings.HasPrefix(h.Dir, "/") {
			v.add(h.At, what, "dir: want an absolute folder of that machine, got %q", h.Dir)
		}
		v.ownCPUs(h.At, what, "housekeeping", h.Housekeeping)
	}
	v.knownHost(v.phase.At, "process", v.phase.Process.Host)
	v.knownNetwork(v.phase.At, "process", v.phase.Process.Netns)
}

func (v *validator) networks() {
	v.distinct("networks", len(v.phase.Networks), func(i int) (Place, string, string) {
		n := &v.phase.Networks[i]
		return n.At, "network", n.Name
	})
	owner := map[string]string{}
	for i := range v.phase.Networks {
		n := &v.phase.Networks[i]
		what := "network " + quote(n.Name)
		if n.Name == "." || n.Name == ".." || strings.Contains(n.Name, "/") {
			v.add(n.At, what, "name: want a name without slashes, got %q", n.Name)
		}
		if len(n.Addresses) == 0 {
			v.add(n.At, what, "addresses: is empty; want at least 1")
		}
		for _, a := range n.Addresses {
			if message := CheckPrefix(a); message != "" {
				v.add(n.At, what, "addresses: %s", message)
				continue
			}
			addr, _, _ := strings.Cut(a, "/")
			if other, taken := owner[addr]; taken {
				v.add(n.At, what, "addresses: %s is an address of network %q already", addr, other)
			}
			owner[addr] = n.Name
		}
		if n.Delay < 0 {
			v.add(n.At, what, "delay: want a positive duration, got %v", n.Delay)
		}
		v.knownHost(n.At, what, n.Host)
	}
}

func (v *validator) services() {
	v.distinct("services", len(v.phase.Services), func(i int) (Place, string, string) {
		s := &v.phase.Services[i]
		return s.At, "service", s.Name
	})
	for i := range v.phase.Services {
		s := &v.phase.Services[i]
		what := "service " + quote(s.Name)
		v.program(s.At, what, "command", &s.Program)
		v.positive(s.At, what, "grace", s.Grace)
		if r := s.Ready; r != nil {
			at := r.At
			if at.IsZero() {
				at = s.At
			}
			v.oneOf(at, what, "ready", r.Kind, ReadyTCP)
			if message := CheckAddress(r.Address); message != "" {
				v.add(at, what, "address: %s", message)
			}
			v.positive(at, what, "timeout", r.Timeout)
		}
	}
}

func (v *validator) samplers() {
	v.distinct("samplers", len(v.phase.Samplers), func(i int) (Place, string, string) {
		s := &v.phase.Samplers[i]
		return s.At, "sampler", s.Name
	})
	for i := range v.phase.Samplers {
		s := &v.phase.Samplers[i]
		what := "sampler " + quote(s.Name)
		if len(s.Reads) == 0 {
			v.add(s.At, what, "reads: is empty; want at least 1")
		}
		for j, r := range s.Reads {
			v.oneOf(s.At, what, "reads", r, Samples...)
			if slices.Contains(s.Reads[:j], r) {
				v.add(s.At, what, "reads: %q stands twice", r)
			}
		}
		v.positive(s.At, what, "every", s.Every)
		v.ownCPUs(s.At, what, "cpus", s.CPUs)
		v.knownHost(s.At, what, s.Host)
	}
}

// program checks what a service or a step runs. param is the parameter of its argv.
func (v *validator) program(at Place, what, param string, p *Program) {
	if len(p.Argv) == 0 || p.Argv[0].String() == "" {
		v.add(at, what, "%s: is empty; its first item is what is run", param)
	}
	for _, label := range p.files() {
		if v.phase.File(label) == nil {
			v.add(at, what, "%s: no file labelled %q", param, label)
		}
	}
	for _, a := range p.Argv {
		if strings.Contains(a.Text, "\x00") {
			v.add(at, what, "%s: an argument has a NUL byte", param)
		}
	}
	v.env(at, what, p.Env)
	v.ownCPUs(at, what, "cpus", p.CPUs)
	v.knownHost(at, what, p.Host)
	v.knownNetwork(at, what, p.Netns)
}

// ownCPUs checks CPUs that are not measured; "auto" speaks of those that are.
func (v *validator) ownCPUs(at Place, what, param, spec string) {
	if spec == "" {
		return
	}
	if _, err := ParseCPUs(spec); err != nil {
		v.add(at, what, "%s: %v", param, err)
	}
}

func (v *validator) positive(at Place, what, param string, d Duration) {
	if d <= 0 {
		v.add(at, what, "%s: want a positive duration, \"10s\" for instance, got %v", param, d)
	}
}

func (v *validator) knownHost(at Place, what, name string) {
	if name != "" && !slices.ContainsFunc(v.phase.Hosts, func(h Host) bool { return h.Name == name }) {
		v.add(at, what, "host: no host named %q", name)
	}
}

// knownNetwork holds a namespace to the declared networks. Where a phase declares none, the machine has it.
func (v *validator) knownNetwork(at Place, what, name string) {
	if name == "" || len(v.phase.Networks) == 0 {
		return
	}
	if !slices.ContainsFunc(v.phase.Networks, func(n Network) bool { return n.Name == name }) {
		v.add(at, what, "netns: no network named %q", name)
	}
}

// distinct checks the names of a list, and refuses two of one name.
func (v *validator) distinct(list string, n int, at func(i int) (place Place, noun, name string)) {
	seen := map[string]bool{}
	for i := range n {
		place, noun, name := at(i)
		what := noun + " " + quote(name)
		v.name(place, what, name)
		if seen[name] {
			v.add(place, what, "two %s have this name", list)
		}
		seen[name] = true
	}
}

// measuredCPUs refuses CPUs of services, samplers and the harness that measured processes have too, on the machine
// where those run.
func (v *validator) measuredCPUs() {
	p := v.phase
	specs := []string{p.Process.CPUs}
	for i := range p.Arms {
		specs = append(specs, p.Arms[i].CPUs)
	}
	var measured []int
	for _, spec := range specs {
		if cpus, err := ParseCPUs(spec); err == nil {
			measured = append(measured, cpus...)
		}
	}
	slices.Sort(measured)
	measured = slices.Compact(measured)
	overlap := func(at Place, what, param, spec, host string) {
		cpus, err := ParseCPUs(spec)
		if err != nil || host != p.Process.Host {
			return
		}
		shared := slices.DeleteFunc(cpus, func(c int) bool { return !slices.Contains(measured, c) })
		if len(shared) > 0 {
			v.add(at, what, "%s: %s of %q are measured; give it CPUs on which no process is measured", param, FormatCPUs(shared), spec)
		}
	}
	for i := range p.Services {
		s := &p.Services[i]
		overlap(s.At, "service "+quote(s.Name), "cpus", s.Program.CPUs, s.Program.Host)
	}
	for i := range p.Samplers {
		s := &p.Samplers[i]
		overlap(s.At, "sampler "+quote(s.Name), "cpus", s.CPUs, s.Host)
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		overlap(h.At, "host "+quote(h.Name), "housekeeping", h.Housekeeping, h.Name)
	}
}
