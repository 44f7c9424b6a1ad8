package host_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
)

// okWith evaluates okScript with a head, and arguments of phase() instead of its arms.
func okWith(t *testing.T, head, arguments string) *protocol.Phase {
	t.Helper()
	s, err := evalText(t, fmt.Sprintf(strings.Replace(okScript, `command = run,`, "command = run, "+arguments+",", 1), head), host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Phases[0]
}

func TestPairs(t *testing.T) {
	for _, tt := range []struct {
		arms, contrasts string
		want            []protocol.Contrast
	}{
		{`[arm("a"), arm("b"), arm("c")]`, `against("b", arms)`, []protocol.Contrast{{Arm: "a", Base: "b"}, {Arm: "c", Base: "b"}}},
		{`[arm("a"), arm("b"), arm("c")]`, `against(arms[0], ["c"])`, []protocol.Contrast{{Arm: "c", Base: "a"}}},
		{`[arm("a"), arm("b"), arm("c")]`, `all_pairs(arms)`, []protocol.Contrast{{Arm: "b", Base: "a"}, {Arm: "c", Base: "a"}, {Arm: "c", Base: "b"}}},
		{`[arm("a"), arm("b"), arm("c")]`, `all_pairs(["c", arms[1]])`, []protocol.Contrast{{Arm: "b", Base: "c"}}},
	} {
		script := fmt.Sprintf(strings.NewReplacer(`arms = [arm("a"), arm("b")]`, "arms = arms", "command = run,", "command = run, contrasts = "+tt.contrasts+",").Replace(okScript),
			"load(\"@std//pairs.star\", \"against\", \"all_pairs\")\narms = "+tt.arms)
		s, err := evalText(t, script, host.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.contrasts, err)
			continue
		}
		if d := cmp.Diff(tt.want, s.Phases[0].Contrasts); d != "" {
			t.Errorf("%s: %s", tt.contrasts, d)
		}
	}
}

func TestPairsRefuse(t *testing.T) {
	for call, want := range map[string]string{
		`against("a", ["a"])`: `against: no arm is left to compare with "a"`,
		`all_pairs(["a"])`:    `all_pairs: want at least two arms, got 1`,
	} {
		_, err := evalText(t, "load(\"@std//pairs.star\", \"against\", \"all_pairs\")\nx = "+call+"\n", host.Options{})
		if ds := diagnostics(t, err); !strings.HasPrefix(ds[0].Message, want) {
			t.Errorf("%s: %v", call, ds)
		}
	}
}

func TestFDB(t *testing.T) {
	p := okWith(t, `load("@std//fdb.star", "fdbserver", "no_movement", "one_process", "queue_ceilings")
q = queue_ceilings()`, `
    hosts = [host("far", ssh = "root@10.0.0.2")],
    services = [
        fdbserver("10.0.0.1:4500"),
        fdbserver("10.0.0.2:4501", name = "second", cluster = "c/fdb.cluster", data = "/srv/fdb", args = ["-c", "log"], cpus = "2-3", netns = "server", host = "far"),
    ],
    before_phase = [one_process("ssd-2", version = "7.3.63")],
    before_each = [fdb.clear_user_keys()] + q + no_movement(cluster = "c/fdb.cluster"),
    after_each = q`)
	minute, half := protocol.Duration(time.Minute), protocol.Duration(30*time.Second)
	text := func(words ...string) []protocol.Arg {
		var argv []protocol.Arg
		for _, w := range words {
			argv = append(argv, protocol.Arg{Text: w})
		}
		return argv
	}
	services := []protocol.Service{{
		Name: "fdbserver", Program: protocol.Program{Argv: text("fdbserver", "-C", "fdb.cluster", "-p", "10.0.0.1:4500")},
		Ready: &protocol.Ready{Kind: "tcp", Address: "10.0.0.1:4500", Timeout: half}, Grace: protocol.Duration(10 * time.Second),
	}, {
		Name: "second", Program: protocol.Program{
			Argv: text("fdbserver", "-C", "c/fdb.cluster", "-p", "10.0.0.2:4501", "-d", "/srv/fdb", "-c", "log"), CPUs: "2-3", Netns: "server", Host: "far",
		},
		Ready: &protocol.Ready{Kind: "tcp", Address: "10.0.0.2:4501", Timeout: half}, Grace: protocol.Duration(10 * time.Second),
	}}
	if d := cmp.Diff(services, p.Services, ignorePlaces); d != "" {
		t.Error(d)
	}
	ceiling := func(path, cluster string, most float64) protocol.Step {
		return protocol.Step{Kind: "fdb.ceiling", Max: &most, Timeout: minute, FDB: &protocol.FDB{Cluster: cluster, Path: path}}
	}
	queues := []protocol.Step{ceiling("cluster.qos.worst_queue_bytes_log_server", "", 1e8), ceiling("cluster.qos.worst_queue_bytes_storage_server", "", 1e8)}
	if d := cmp.Diff(queues, p.AfterEach, ignorePlaces); d != "" {
		t.Error(d)
	}
	before := append([]protocol.Step{{Kind: "fdb.clear_user_keys", Timeout: 10 * minute, FDB: &protocol.FDB{Settle: 1_000_000}}}, queues...)
	before = append(before, ceiling("cluster.data.moving_data.in_flight_bytes", "c/fdb.cluster", 0), ceiling("cluster.data.moving_data.in_queue_bytes", "c/fdb.cluster", 0))
	if d := cmp.Diff(before, p.BeforeEach, ignorePlaces); d != "" {
		t.Error(d)
	}
	require := []protocol.Step{{Kind: "fdb.require", Timeout: minute, FDB: &protocol.FDB{Redundancy: "single", Engine: "ssd-2", Version: "7.3.63", Machines: 1, Storage: 1}}}
	if d := cmp.Diff(require, p.BeforePhase, ignorePlaces); d != "" {
		t.Error(d)
	}
}
