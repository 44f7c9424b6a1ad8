package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/plan"
)

// TestBesideIsExplained holds that everything that is declared beside the measured processes stands on the page before
// results, and in the report.
func TestBesideIsExplained(t *testing.T) {
	page := lowerLab().page(t)
	ph := *page.Plan.Phase
	pl := *page.Plan
	pl.Phase, page.Plan = &ph, &pl
	limit, half := 1e8, 0.5
	minute := plan.Duration(time.Minute)
	ph.Hosts = []plan.Host{{Name: "far", SSH: "root@10.0.0.2", Port: 22, Dir: "/srv", Housekeeping: "0"}}
	ph.Networks = []plan.Network{{Name: "net", Addresses: []string{"10.0.0.2/24", "fd00::2/64"}, Delay: plan.Duration(time.Millisecond), Host: "far"}}
	ph.Services = []plan.Service{{
		Name: "kv", Program: plan.Program{Argv: []plan.Arg{{Text: "server"}, {Text: "-v"}}, CPUs: "2-7", Netns: "net", Dir: "d", Env: map[string]string{"S": "1"}, Host: "far"},
		Ready: &plan.Ready{Kind: "tcp", Address: "10.0.0.2:4500", Timeout: minute}, Grace: minute,
	}}
	ph.Samplers = []plan.Sampler{{Name: "vm", Reads: []string{"cpu", "disk"}, Every: minute, CPUs: "1"}}
	ph.BeforePhase = []plan.Step{
		{Kind: plan.StepProgram, Name: "load", Program: &plan.Program{Argv: []plan.Arg{{Text: "fill"}}}, Timeout: minute},
		{Kind: plan.StepFDBRequire, Timeout: minute, FDB: &plan.FDB{Redundancy: "double", Engine: "ssd-2", Version: "7.3.63", Roles: map[string]int{"log": 3}, Machines: 4, Storage: 1}},
	}
	ph.BeforeEach = []plan.Step{{Kind: plan.StepFDBClear, Timeout: minute, FDB: &plan.FDB{Cluster: "fdb.cluster", Settle: 1000}}}
	ph.AfterEach = []plan.Step{
		{Kind: plan.StepFDBCeiling, Max: &limit, Timeout: minute, FDB: &plan.FDB{Path: "cluster.qos.worst_queue_bytes_log_server"}},
		{Kind: plan.StepFDBPlacement, Name: "cells", Timeout: minute, FDB: &plan.FDB{Index: "15", Records: "16", Colocated: &half}},
	}
	ph.AfterPhase = []plan.Step{{Kind: plan.StepFDBStatus, Timeout: minute, FDB: &plan.FDB{}}}
	for name, text := range map[string]string{"explain": explain(t, page), "report": markdown(t, page)} {
		for _, want := range []string{
			"- Host `far`: over SSH at `root@10.0.0.2`, port 22, in `/srv`; the harness has CPUs 0.\n",
			"- Network `net` on host `far`: `10.0.0.2/24` and `fd00::2/64`; packets that leave it are delayed by 1ms.\n",
			"- Service `kv`: `server -v` on host `far` on CPUs 2-7 in network namespace `net` in `d` with `S=1`; ready once `10.0.0.2:4500` accepts a connection, within 1m0s; it has 1m0s to end.\n",
			"- Sampler `vm`: reads cpu and disk every 1m0s on CPUs 1.\n",
			"- Before the first run: `step` `load`: `fill`, within 1m0s.\n",
			"- Before the first run: `fdb.require`: redundancy `double`; engine `ssd-2`; version `7.3.63`; 3 of role `log`; 4 machines; 1 storage server, within 1m0s.\n",
			"- Before each run: `fdb.clear_user_keys`: cluster `fdb.cluster`; until at most 1000 bytes are queued or in movement, within 1m0s.\n",
			"- After each run: `fdb.ceiling`: `cluster.qos.worst_queue_bytes_log_server`; at most 1e+08, within 1m0s.\n",
			"- After each run: `fdb.placement` `cells`: index below `15`, records below `16`; colocated at least 0.5, within 1m0s.\n",
			"- After the last run: `fdb.status`, within 1m0s.\n",
			"- A case in which a ceiling is passed is contaminated, and the phase stops.\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if strings.Contains(text, "One host: nothing here") {
			t.Errorf("%s says that there is one host", name)
		}
	}
	ph.OnCeiling = "continue"
	if text := explain(t, page); !strings.Contains(text, "contaminated, and the phase goes on.") {
		t.Error("a phase that goes on says that it stops")
	}
}
