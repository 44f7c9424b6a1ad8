package campaign_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/protocol"
)

// beside is a phase that needs all that is declared beside the measured processes.
func beside() *protocol.Phase {
	five, half := 5.0, 0.5
	minute := protocol.Duration(time.Minute)
	p := phase(1, prints, prints)
	p.At = protocol.Place{File: "b.star", Line: 1, Col: 1}
	program := protocol.Program{Argv: texts("server", "-v"), Env: map[string]string{"S": "1"}, Dir: "d", CPUs: "2-3", Netns: "net", Host: "far"}
	p.Hosts = []protocol.Host{{Name: "far", SSH: "root@10.0.0.2", Port: 22, Dir: "/srv", Housekeeping: "0"}}
	p.Networks = []protocol.Network{{Name: "net", Addresses: []string{"10.0.0.2/24"}, Delay: protocol.Duration(time.Millisecond), Host: "far"}}
	p.Services = []protocol.Service{{
		Name: "kv", Program: program, Grace: minute, At: protocol.Place{File: "b.star", Line: 9, Col: 3},
		Ready: &protocol.Ready{Kind: protocol.ReadyTCP, Address: "10.0.0.2:4500", Timeout: minute},
	}}
	p.Samplers = []protocol.Sampler{{Name: "vm", Reads: protocol.Samples, Every: protocol.Duration(time.Second), CPUs: "4", Host: "far"}}
	p.BeforePhase = []protocol.Step{
		{Kind: protocol.StepProgram, Name: "load", Program: &program, Timeout: minute},
		{Kind: protocol.StepFDBRequire, Timeout: minute, FDB: &protocol.FDB{Redundancy: "single", Engine: "ssd-2", Version: "7.3.63", Roles: map[string]int{"log": 1}, Machines: 1, Storage: 2}},
	}
	p.BeforeEach = []protocol.Step{{Kind: protocol.StepFDBClear, Timeout: minute, FDB: &protocol.FDB{Cluster: "fdb.cluster", Settle: 9}}}
	p.AfterEach = []protocol.Step{
		{Kind: protocol.StepCeiling, Name: "heat", Program: &program, Max: &five, Timeout: minute},
		{Kind: protocol.StepFDBCeiling, Max: &five, Timeout: minute, FDB: &protocol.FDB{Path: "cluster.qos.worst_queue_bytes_log_server"}},
		{Kind: protocol.StepFDBPlacement, Name: "cells", Timeout: minute, FDB: &protocol.FDB{Index: "15", Records: "16", Colocated: &half}},
	}
	p.AfterPhase = []protocol.Step{{Kind: protocol.StepFDBStatus, Timeout: minute, FDB: &protocol.FDB{}}}
	return p
}

// TestRunRefusesWhatItCannotExecute holds that a phase which needs services and the like is refused by name, all at
// once, with the code of a usage error, and that nothing is written.
func TestRunRefusesWhatItCannotExecute(t *testing.T) {
	s := script(t, beside())
	out := filepath.Join(t.TempDir(), "out")
	_, err := campaign.Run(context.Background(), s, campaign.Options{Out: out})
	if campaign.Code(err) != campaign.ExitUsage {
		t.Fatalf("code %d, want %d: %v", campaign.Code(err), campaign.ExitUsage, err)
	}
	var problems protocol.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%T: %v", err, err)
	}
	want := []string{
		`b.star:1:1: host "far": other hosts are not executed`,
		`b.star:1:1: network "net": networks are not executed`,
		`b.star:9:3: service "kv": services in another network namespace that are waited for are not executed by this version`,
		`b.star:1:1: sampler "vm": samplers are not executed`,
		`fdb.require: steps of FoundationDB are not executed`,
		`fdb.clear_user_keys: steps of FoundationDB are not executed`,
		`fdb.ceiling "cluster.qos.worst_queue_bytes_log_server": steps of FoundationDB are not executed`,
		`fdb.placement "cells": steps of FoundationDB are not executed`,
		`fdb.status: steps of FoundationDB are not executed`,
	}
	if len(problems) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(problems), len(want), err)
	}
	for i, w := range want {
		if !strings.Contains(problems[i].Error(), w) {
			t.Errorf("problem %d is %q, want %q", i, problems[i].Error(), w)
		}
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the result folder was made: %v", err)
	}
}
