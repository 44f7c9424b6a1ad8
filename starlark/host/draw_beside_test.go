package host_test

import (
	"fmt"
	"time"

	"github.com/phaselock/phaselock/lib/protocol"
	"pgregory.net/rapid"
)

// drawBeside gives a phase what stands around its measured processes. CPUs from 16 on are measured nowhere.
func drawBeside(t *rapid.T, p *protocol.Phase) {
	for i, n := range distinctWords(t, "hosts", 0, 2) {
		p.Hosts = append(p.Hosts, protocol.Host{
			Name: n, SSH: fmt.Sprintf("root@10.0.0.%d", i+1), Port: rapid.SampledFrom([]int{0, 2222}).Draw(t, "port"),
			Dir: rapid.SampledFrom([]string{"", "/srv/bench"}).Draw(t, "dir"), Housekeeping: rapid.SampledFrom([]string{"", "16"}).Draw(t, "housekeeping"),
		})
	}
	p.Process.Host = drawHost(t, p)
	for i, n := range distinctWords(t, "networks", 0, 2) {
		p.Networks = append(p.Networks, protocol.Network{
			Name: n, Addresses: []string{fmt.Sprintf("10.1.0.%d/24", i+1), fmt.Sprintf("fd00::%d/64", i+1)}[:rapid.IntRange(1, 2).Draw(t, "addresses")],
			Delay: drawDuration(t, 0), Host: drawHost(t, p),
		})
	}
	p.Process.Netns = drawNetns(t, p)
	for _, n := range distinctWords(t, "services", 0, 2) {
		s := protocol.Service{Name: n, Program: *drawProgram(t, p), Grace: drawDuration(t, 1)}
		if rapid.Bool().Draw(t, "ready") {
			s.Ready = &protocol.Ready{
				Kind: protocol.ReadyTCP, Address: rapid.SampledFrom([]string{"localhost:1", "[::1]:4500"}).Draw(t, "address"), Timeout: drawDuration(t, 1),
			}
		}
		p.Services = append(p.Services, s)
	}
	for _, n := range distinctWords(t, "samplers", 0, 2) {
		p.Samplers = append(p.Samplers, protocol.Sampler{
			Name: n, Reads: append(some(t, "reads", protocol.Samples[1:]...), protocol.Samples[0]), Every: drawDuration(t, 1),
			CPUs: drawOwnCPUs(t), Host: drawHost(t, p),
		})
	}
	p.BeforePhase, p.BeforeEach, p.AfterEach, p.AfterPhase = drawSteps(t, p), drawSteps(t, p), drawSteps(t, p), drawSteps(t, p)
	var programs []*protocol.Program
	for i := range p.Services {
		programs = append(programs, &p.Services[i].Program)
	}
	for _, s := range p.Steps() {
		programs = append(programs, s.Program)
	}
	for _, x := range programs {
		if x != nil && x.Argv[0].File != "" {
			p.AddFile(protocol.File{Label: x.Argv[0].File, Kind: protocol.KindBinary})
		}
	}
}

func drawDuration(t *rapid.T, least int64) protocol.Duration {
	return protocol.Duration(rapid.Int64Range(least, int64(2*time.Hour)).Draw(t, "duration"))
}

func drawOwnCPUs(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "16-18,20"}).Draw(t, "cpus")
}

// drawHost draws one of the declared hosts, or this machine.
func drawHost(t *rapid.T, p *protocol.Phase) string {
	names := []string{""}
	for _, h := range p.Hosts {
		names = append(names, h.Name)
	}
	return rapid.SampledFrom(names).Draw(t, "host")
}

// drawNetns draws one of the declared networks or none, and any name where none is declared.
func drawNetns(t *rapid.T, p *protocol.Phase) string {
	names := []string{"", "client"}
	if len(p.Networks) > 0 {
		names = []string{""}
	}
	for _, n := range p.Networks {
		names = append(names, n.Name)
	}
	return rapid.SampledFrom(names).Draw(t, "netns")
}

func drawProgram(t *rapid.T, p *protocol.Phase) *protocol.Program {
	x := protocol.Program{
		Env: drawEnv(t), Dir: rapid.SampledFrom([]string{"", "servers"}).Draw(t, "dir"), CPUs: drawOwnCPUs(t), Netns: drawNetns(t, p), Host: drawHost(t, p),
		Argv: []protocol.Arg{{Text: "server"}, {Text: word.Draw(t, "argument")}},
	}
	if rapid.Bool().Draw(t, "file") {
		x.Argv[0] = protocol.Arg{File: "bin/server"}
	}
	return &x
}

func drawSteps(t *rapid.T, p *protocol.Phase) []protocol.Step {
	most := finite.Draw(t, "max")
	cluster := rapid.SampledFrom([]string{"", "etc/fdb.cluster"})
	count := rapid.IntRange(0, 9)
	roles := map[string]int{}
	for _, role := range some(t, "roles", protocol.Roles...) {
		roles[role] = count.Draw(t, "count")
	}
	steps := some(t, "steps",
		protocol.Step{Kind: protocol.StepProgram, Name: "load", Program: drawProgram(t, p)},
		protocol.Step{Kind: protocol.StepProgram, Name: "warm", Program: drawProgram(t, p)},
		protocol.Step{Kind: protocol.StepCeiling, Name: "heat", Program: drawProgram(t, p), Max: &most},
		protocol.Step{Kind: protocol.StepFDBClear, FDB: &protocol.FDB{Cluster: cluster.Draw(t, "cluster"), Settle: rapid.Int64Range(0, protocol.MaxSeed).Draw(t, "settle")}},
		protocol.Step{Kind: protocol.StepFDBCeiling, Max: &most, FDB: &protocol.FDB{Cluster: cluster.Draw(t, "cluster"), Path: "cluster.qos.worst_queue_bytes_log_server"}},
		protocol.Step{Kind: protocol.StepFDBPlacement, Name: "cells", FDB: &protocol.FDB{
			Cluster: cluster.Draw(t, "cluster"), Index: "15", Records: "152a", Colocated: maybe(t, "colocated", rapid.Float64Range(0, 1).Draw(t, "fraction")),
		}},
		protocol.Step{Kind: protocol.StepFDBRequire, FDB: &protocol.FDB{
			Cluster: cluster.Draw(t, "cluster"), Redundancy: rapid.SampledFrom(protocol.Redundancies).Draw(t, "redundancy"), Roles: roles,
			Engine: rapid.SampledFrom([]string{"", "ssd-2"}).Draw(t, "engine"), Version: rapid.SampledFrom([]string{"", "7.3.63"}).Draw(t, "version"),
			Machines: count.Draw(t, "machines"), Storage: count.Draw(t, "storage"),
		}},
		protocol.Step{Kind: protocol.StepFDBStatus, FDB: &protocol.FDB{Cluster: cluster.Draw(t, "cluster")}},
	)
	for i := range steps {
		steps[i].Timeout = drawDuration(t, 1)
	}
	return steps
}
