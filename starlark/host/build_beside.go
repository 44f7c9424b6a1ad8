package host

import (
	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// buildBeside fills what stands around the measured processes: machines, networks, services and samplers.
func (b *builder) buildBeside() {
	p := b.phase
	for _, r := range b.distinct("hosts") {
		p.Hosts = append(p.Hosts, protocol.Host{
			Name: r.nameOf(), SSH: r.text("ssh"), Port: int(r.int("port")), Dir: r.text("dir"),
			Housekeeping: r.text("housekeeping"), At: r.at(),
		})
	}
	networks := b.distinct("networks")
	for _, r := range networks {
		p.Networks = append(p.Networks, protocol.Network{
			Name: r.nameOf(), Addresses: r.texts("addresses"), Delay: durationOf(r.text("delay")), Host: b.host(r), At: r.at(),
		})
	}
	for _, r := range b.distinct("services") {
		p.Services = append(p.Services, protocol.Service{
			Name: r.nameOf(), Program: b.program(r), Ready: readyOf(r.record("ready")), Grace: durationOf(r.text("grace")), At: r.at(),
		})
	}
	for _, r := range b.distinct("samplers") {
		p.Samplers = append(p.Samplers, protocol.Sampler{
			Name: r.nameOf(), Reads: b.once(r, "reads"), Every: durationOf(r.text("every")), CPUs: r.text("cpus"), Host: b.host(r), At: r.at(),
		})
	}
}

// program reads what a service or a step runs.
func (b *builder) program(r *record) protocol.Program {
	p := protocol.Program{Env: r.env("env"), Dir: r.text("dir"), CPUs: r.text("cpus"), Netns: b.netns(r), Host: b.host(r)}
	for _, v := range r.list("command") {
		p.Argv = append(p.Argv, b.argOf(v))
	}
	if p.Dir == "." {
		p.Dir = ""
	}
	return p
}

func readyOf(r *record) *protocol.Ready {
	if r == nil {
		return nil
	}
	return &protocol.Ready{Kind: r.kind.name, Address: r.text("address"), Timeout: durationOf(r.text("timeout")), At: r.at()}
}

// once returns the words of a list, and reports one that stands there twice.
func (b *builder) once(r *record, list string) []string {
	words := r.texts(list)
	seen := map[string]bool{}
	for i, w := range words {
		if seen[w] {
			r.report(r.arg(list).elem(i), "%s: %q stands twice", list, w)
		}
		seen[w] = true
	}
	return words
}

// host returns the host that a record names, and reports one that the phase does not declare.
func (b *builder) host(r *record) string {
	n := r.text("host")
	if n == "" {
		return ""
	}
	hosts := b.r.records("hosts")
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.nameOf()
	}
	b.declared(r, "host", "host", n, names)
	return n
}

// netns returns the namespace that a record names, and reports one that is none of the phase's networks, where it
// declares some.
func (b *builder) netns(r *record) string {
	n := r.text("netns")
	networks := b.r.records("networks")
	if n == "" || len(networks) == 0 {
		return n
	}
	names := make([]string, len(networks))
	for i, w := range networks {
		names[i] = w.nameOf()
	}
	b.declared(r, "netns", "network", n, names)
	return n
}

// declared reports a name that is none of those declared, of which there may be none.
func (b *builder) declared(r *record, param, noun, name string, names []string) {
	if len(names) == 0 {
		if b.r.get(noun+"s") != nil {
			r.report(r.arg(param), "%s: no %s named %q; declare it in the phase's %ss", param, noun, name, noun)
		}
		return
	}
	b.known(r, r.arg(param), param, noun, name, names)
}

// buildSteps fills the four lists of steps.
func (b *builder) buildSteps() {
	p := b.phase
	p.BeforePhase, p.BeforeEach = b.steps("before_phase"), b.steps("before_each")
	p.AfterEach, p.AfterPhase = b.steps("after_each"), b.steps("after_phase")
}

func (b *builder) steps(list string) []protocol.Step {
	var all []protocol.Step
	seen := map[string]*record{}
	for i, r := range b.r.records(list) {
		s := b.step(r)
		key := s.Title()
		if s.FDB != nil {
			key += " " + s.FDB.Cluster
		}
		switch first := seen[key]; {
		case first == r:
			b.r.report(b.r.arg(list).elem(i), "%s: %s stands twice", list, r.title())
		case first != nil:
			r.call.report(r.call.whole(), r.title(), "stands twice in "+list+"; the other is at "+first.at().String())
		}
		seen[key] = r
		all = append(all, s)
	}
	return all
}

func (b *builder) step(r *record) protocol.Step {
	s := protocol.Step{Kind: r.kind.name, Timeout: durationOf(r.text("timeout")), At: r.at()}
	has := func(param string) bool { return r.kind.index(param) >= 0 }
	if has("name") {
		s.Name = r.nameOf()
	}
	if has("max") {
		s.Max = r.float("max")
	}
	if has("command") {
		p := b.program(r)
		s.Program = &p
	}
	if has("cluster") {
		s.FDB = fdbOf(r)
	}
	return s
}

// fdbOf reads what a step asks of a cluster.
func fdbOf(r *record) *protocol.FDB {
	f := &protocol.FDB{Cluster: r.text("cluster")}
	switch r.kind.name {
	case protocol.StepFDBClear:
		f.Settle = r.int("settle")
	case protocol.StepFDBCeiling:
		f.Path = r.text("path")
	case protocol.StepFDBPlacement:
		f.Index, f.Records, f.Colocated = r.text("index"), r.text("records"), r.float("colocated")
	case protocol.StepFDBRequire:
		f.Redundancy, f.Engine, f.Version = r.text("redundancy"), r.text("engine"), r.text("version")
		f.Machines, f.Storage = int(r.int("machines")), int(r.int("storage"))
		if d, ok := r.get("roles").(*starlark.Dict); ok && d.Len() > 0 {
			f.Roles = map[string]int{}
			for _, item := range d.Items() {
				role, _ := starlark.AsString(item[0])
				n, _ := item[1].(starlark.Int).Int64()
				f.Roles[role] = int(n)
			}
		}
	}
	return f
}
