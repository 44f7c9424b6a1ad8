package protocol_test

import (
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
)

// besides returns a valid phase with something of all that stands beside the measured processes, which run on CPUs 8 to 15.
func besides() *protocol.Phase {
	minute := protocol.Duration(time.Minute)
	most := 5.0
	program := protocol.Program{Argv: []protocol.Arg{{Text: "server"}}, CPUs: "2-7"}
	p := valid()
	p.Process.CPUs = "8-15"
	p.Hosts = []protocol.Host{{Name: "far", SSH: "root@10.0.0.2", Housekeeping: "8"}}
	p.Networks = []protocol.Network{{Name: "net", Addresses: []string{"10.0.0.2/24"}}}
	p.Services = []protocol.Service{{Name: "kv", Program: program, Grace: minute, Ready: &protocol.Ready{Kind: "tcp", Address: "10.0.0.2:1", Timeout: minute}}}
	p.Samplers = []protocol.Sampler{{Name: "vm", Reads: []string{"cpu"}, Every: minute, CPUs: "1"}}
	p.BeforeEach = []protocol.Step{
		{Kind: protocol.StepProgram, Name: "load", Program: &program, Timeout: minute},
		{Kind: protocol.StepCeiling, Name: "heat", Program: &program, Max: &most, Timeout: minute},
	}
	p.AfterEach = []protocol.Step{
		{Kind: protocol.StepFDBClear, FDB: &protocol.FDB{}, Timeout: minute},
		{Kind: protocol.StepFDBCeiling, FDB: &protocol.FDB{Path: "cluster.qos.x"}, Max: &most, Timeout: minute},
		{Kind: protocol.StepFDBPlacement, Name: "cells", FDB: &protocol.FDB{Index: "15", Records: "16"}, Timeout: minute},
		{Kind: protocol.StepFDBRequire, FDB: &protocol.FDB{Machines: 1}, Timeout: minute},
		{Kind: protocol.StepFDBStatus, FDB: &protocol.FDB{}, Timeout: minute},
	}
	return p
}

func TestValidateBeside(t *testing.T) {
	if ps := protocol.Validate(besides()); len(ps) > 0 {
		t.Fatal(ps)
	}
	two := 2.0
	for _, tc := range []struct {
		name  string
		alter func(p *protocol.Phase)
		want  string // a part of the only problem's text
	}{
		{"two services of a name", func(p *protocol.Phase) { p.Services = append(p.Services, p.Services[0]) }, `service "kv": two services have this name`},
		{"service without a program", func(p *protocol.Phase) { p.Services[0].Program.Argv = nil }, `service "kv": command: is empty`},
		{"service of an unknown file", func(p *protocol.Phase) { p.Services[0].Program.Argv = []protocol.Arg{{File: "x"}} }, `command: no file labelled "x"`},
		{"service on measured CPUs", func(p *protocol.Phase) { p.Services[0].Program.CPUs = "6-9" }, `service "kv": cpus: 8-9 of "6-9" are measured`},
		{"service on an arm's CPUs", func(p *protocol.Phase) { p.Arms[1].CPUs = "2" }, `service "kv": cpus: 2 of "2-7" are measured`},
		{"service on no CPUs", func(p *protocol.Phase) { p.Services[0].Program.CPUs = "auto" }, `cpus: "auto" is no list of CPUs`},
		{"service of the harness's environment", func(p *protocol.Phase) { p.Services[0].Program.Env = map[string]string{"HOME": "/"} }, `env: HOME is set by the harness`},
		{"ready nowhere", func(p *protocol.Phase) { p.Services[0].Ready.Address = "10.0.0.2" }, `service "kv": address: want host:port`},
		{"ready never", func(p *protocol.Phase) { p.Services[0].Ready.Timeout = 0 }, `timeout: want a positive duration`},
		{"ready somehow", func(p *protocol.Phase) { p.Services[0].Ready.Kind = "udp" }, `ready: want "tcp"`},
		{"no grace", func(p *protocol.Phase) { p.Services[0].Grace = 0 }, `grace: want a positive duration`},
		{"service on an unknown host", func(p *protocol.Phase) { p.Services[0].Program.Host = "near" }, `host: no host named "near"`},
		{"service in an unknown network", func(p *protocol.Phase) { p.Services[0].Program.Netns = "other" }, `netns: no network named "other"`},
		{"sampler on measured CPUs", func(p *protocol.Phase) { p.Samplers[0].CPUs = "15" }, `sampler "vm": cpus: 15 of "15" are measured`},
		{"sampler of nothing", func(p *protocol.Phase) { p.Samplers[0].Reads = nil }, `reads: is empty`},
		{"sampler of something else", func(p *protocol.Phase) { p.Samplers[0].Reads = []string{"gpu"} }, `reads: want "cpu"`},
		{"sampler of one thing twice", func(p *protocol.Phase) { p.Samplers[0].Reads = []string{"cpu", "cpu"} }, `"cpu" stands twice`},
		{"sampler that never reads", func(p *protocol.Phase) { p.Samplers[0].Every = -1 }, `every: want a positive duration`},
		{"host that is an option", func(p *protocol.Phase) { p.Hosts[0].SSH = "-oProxyCommand=x" }, `host "far": ssh: want a destination`},
		{"host's port", func(p *protocol.Phase) { p.Hosts[0].Port = 1 << 16 }, `port: want 1 to 65535`},
		{"host's folder", func(p *protocol.Phase) { p.Hosts[0].Dir = "srv" }, `dir: want an absolute folder`},
		{"harness on measured CPUs of a host", func(p *protocol.Phase) { p.Process.Host = "far" }, `host "far": housekeeping: 8 of "8" are measured`},
		{"process on an unknown host", func(p *protocol.Phase) { p.Process.Host = "fra" }, `process: host: no host named "fra"`},
		{"process in an unknown network", func(p *protocol.Phase) { p.Process.Netns = "nte" }, `process: netns: no network named "nte"`},
		{"network without an address", func(p *protocol.Phase) { p.Networks[0].Addresses = nil }, `network "net": addresses: is empty`},
		{"network's address", func(p *protocol.Phase) { p.Networks[0].Addresses = []string{"10.0.0.2"} }, `addresses: want an address`},
		{"an address twice", func(p *protocol.Phase) {
			p.Networks = append(p.Networks, protocol.Network{Name: "b", Addresses: []string{"10.0.0.2/16"}})
		}, `network "b": addresses: 10.0.0.2 is an address of network "net" already`},
		{"network of the past", func(p *protocol.Phase) { p.Networks[0].Delay = -1 }, `delay: want a positive duration`},
		{"network that is a path", func(p *protocol.Phase) { p.Networks[0].Name = "a/b" }, `name: want a name without slashes`},
		{"step twice", func(p *protocol.Phase) { p.BeforeEach = append(p.BeforeEach, p.BeforeEach[0]) }, `step "load": stands twice in before_each`},
		{"step of an unknown kind", func(p *protocol.Phase) { p.AfterEach[0].Kind = "fdb.wipe" }, `there is no step of the kind "fdb.wipe"`},
		{"step without a program", func(p *protocol.Phase) { p.BeforeEach[0].Program = nil }, `step "load": command: is missing`},
		{"step without an end", func(p *protocol.Phase) { p.BeforeEach[0].Timeout = 0 }, `timeout: want a positive duration`},
		{"ceiling of nothing", func(p *protocol.Phase) { p.BeforeEach[1].Max = nil }, `ceiling "heat": max: want a finite number`},
		{"step of no cluster", func(p *protocol.Phase) { p.AfterEach[0].FDB = nil }, `says nothing of a cluster`},
		{"settled below nothing", func(p *protocol.Phase) { p.AfterEach[0].FDB = &protocol.FDB{Settle: -1} }, `settle: want 0 bytes or more`},
		{"ceiling of no path", func(p *protocol.Phase) { p.AfterEach[1].FDB = &protocol.FDB{Path: "qos"} }, `path: want a path in the status document`},
		{"placement of no index", func(p *protocol.Phase) { p.AfterEach[2].FDB = &protocol.FDB{Index: "1", Records: "16"} }, `index: want a prefix of keys`},
		{"placement of no records", func(p *protocol.Phase) { p.AfterEach[2].FDB = &protocol.FDB{Index: "15", Records: "1A"} }, `records: want a prefix of keys`},
		{"more than all", func(p *protocol.Phase) {
			p.AfterEach[2].FDB = &protocol.FDB{Index: "15", Records: "16", Colocated: &two}
		}, `colocated: want a number from 0 to 1`},
		{"nothing is required", func(p *protocol.Phase) { p.AfterEach[3].FDB = &protocol.FDB{} }, `requires nothing`},
		{"redundancy", func(p *protocol.Phase) { p.AfterEach[3].FDB = &protocol.FDB{Redundancy: "raid"} }, `redundancy: want "single"`},
		{"role", func(p *protocol.Phase) { p.AfterEach[3].FDB = &protocol.FDB{Roles: map[string]int{"logs": 1}} }, `roles: want cluster_controller`},
		{"fewer than no machines", func(p *protocol.Phase) { p.AfterEach[3].FDB = &protocol.FDB{Machines: -1} }, `machines and storage: want counts above 0`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := besides()
			tc.alter(p)
			ps := protocol.Validate(p)
			if len(ps) != 1 || !strings.Contains(ps.Error(), tc.want) {
				t.Errorf("got %d problems, want one with %q:\n%v", len(ps), tc.want, ps)
			}
		})
	}
}
