package host

import (
	"github.com/phaselock/phaselock/lib/protocol"
)

func intOrNone(n int) expr {
	if n == 0 {
		return leaf("None")
	}
	return intExpr(n)
}

func (f *flat) host(h *protocol.Host) expr {
	return f.call("host", values{
		"name": quoted(h.Name), "ssh": quoted(h.SSH), "port": intOrNone(h.Port), "dir": textOrNone(h.Dir),
		"housekeeping": textOrNone(h.Housekeeping),
	})
}

func (f *flat) network(n *protocol.Network) expr {
	return f.call("network", values{
		"name": quoted(n.Name), "addresses": quotedList(n.Addresses), "delay": durationOrNone(n.Delay), "host": textOrNone(n.Host),
	})
}

func (f *flat) service(s *protocol.Service) expr {
	ready := leaf("None")
	if r := s.Ready; r != nil {
		ready = f.call(r.Kind, values{"address": quoted(r.Address), "timeout": quoted(r.Timeout.String())})
	}
	vs := f.program(&s.Program)
	vs["name"], vs["ready"], vs["grace"] = quoted(s.Name), ready, quoted(s.Grace.String())
	return f.call("service", vs)
}

// program prints what a service or a step runs, by the parameters that all of them have.
func (f *flat) program(p *protocol.Program) values {
	argv := make([]item, len(p.Argv))
	for i, a := range p.Argv {
		argv[i].val = f.arg(a)
	}
	return values{
		"command": list(argv), "env": envExpr(p.Env), "dir": textOrNone(p.Dir), "cpus": textOrNone(p.CPUs),
		"netns": textOrNone(p.Netns), "host": textOrNone(p.Host),
	}
}

func (f *flat) sampler(s *protocol.Sampler) expr {
	return f.call("sampler", values{
		"name": quoted(s.Name), "reads": quotedList(s.Reads), "every": quoted(s.Every.String()),
		"cpus": textOrNone(s.CPUs), "host": textOrNone(s.Host),
	})
}

func (f *flat) step(s *protocol.Step) expr {
	vs := values{}
	if s.Program != nil {
		vs = f.program(s.Program)
	}
	if s.Name != "" {
		vs["name"] = quoted(s.Name)
	}
	if s.Ceiling() {
		vs["max"] = floatOrNone(s.Max)
	}
	vs["timeout"] = quoted(s.Timeout.String())
	if s.FDB != nil {
		f.fdb(s, vs)
	}
	return f.call(s.Kind, vs)
}

func (f *flat) fdb(s *protocol.Step, vs values) {
	c := s.FDB
	vs["cluster"] = textOrNone(c.Cluster)
	switch s.Kind {
	case protocol.StepFDBClear:
		vs["settle"] = intExpr(c.Settle)
	case protocol.StepFDBCeiling:
		vs["path"] = quoted(c.Path)
	case protocol.StepFDBPlacement:
		vs["index"], vs["records"], vs["colocated"] = quoted(c.Index), quoted(c.Records), floatOrNone(c.Colocated)
	case protocol.StepFDBRequire:
		vs["redundancy"], vs["engine"], vs["version"] = textOrNone(c.Redundancy), textOrNone(c.Engine), textOrNone(c.Version)
		vs["roles"] = sortedDict(c.Roles, intExpr[int])
		vs["machines"], vs["storage"] = intOrNone(c.Machines), intOrNone(c.Storage)
	}
}
