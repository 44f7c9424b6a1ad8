package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/connect"
)

// startStore starts phaselock kvserve, and returns the file that names it once it listens.
func startStore(t *testing.T, args ...string) (c *exec.Cmd, cluster string, out *strings.Builder) {
	t.Helper()
	cluster = filepath.Join(t.TempDir(), "kv.cluster")
	c = exec.Command("phaselock", append([]string{"kvserve", "--cluster-file", cluster}, args...)...)
	out = &strings.Builder{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	eventually(t, "it does not listen", func() bool {
		text, err := os.ReadFile(cluster)
		return err == nil && strings.HasSuffix(string(text), "\n")
	})
	return c, cluster, out
}

// It serves until it is told to stop, and says then what it has served.
func TestKvserve(t *testing.T) {
	for _, transport := range []string{"--listen", "--frame"} {
		c, cluster, out := startStore(t, transport, "127.0.0.1:0")
		db, err := connect.Open(context.Background(), cluster)
		if err != nil {
			t.Fatal(err)
		}
		err = fdb.Transact(context.Background(), db, func(tr fdb.Transaction) error {
			tr.Set([]byte("k"), []byte("v"))
			return nil
		})
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil || !strings.Contains(out.String(), `"commits":1`) {
			t.Errorf("%s: %v\n%s", transport, err, out)
		}
	}
}

func TestKvserveRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"--listen " + l.Addr().String():         {4, "address already in use"},
		"":                                      {2, "say where to listen"},
		"--listen 127.0.0.1:0 --latency -1s":    {2, "it is not negative"},
		"--listen 127.0.0.1:0 --split xyz":      {2, `--split "xyz"`},
		"--listen 127.0.0.1:0 --team somewhere": {2, "want host:port"},
		"--listen 127.0.0.1:0 more":             {2, `argument "more"`},
	} {
		code, out := phaselock(t, t.TempDir(), append([]string{"kvserve"}, strings.Fields(args)...)...)
		if code != want.code || !strings.Contains(out, want.text) {
			t.Errorf("%s: exit code %d\n%s", args, code, out)
		}
	}
}

// Steps of a cluster are done on a kvserve that is a service of the phase: it is required, cleared, watched and kept.
func TestStepsOfACluster(t *testing.T) {
	address := freeAddress(t)
	const script = `
step_max = param("max", default = 100)
phase(
    "stepped",
    question = "Is the cluster as declared?",
    arms = [arm("a"), arm("b")],
    cases = [case("c")],
    command = lambda arm, case: command(["./stub", "replay", "good.txt", "0"], format = "gobench", names = ["BenchmarkStub"]),
    design = counterbalanced(blocks = 2, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(timeout = "1m"),
    services = [service("kv", command = ["PHASELOCK", "kvserve", "--listen", "ADDRESS", "--split", "15", "--team", "10.0.0.1:4500"], ready = tcp("ADDRESS"))],
    before_phase = [fdb.require(redundancy = param("redundancy", default = "single"), storage = 1, cluster = "kv.cluster")],
    before_each = [fdb.clear_user_keys(cluster = "kv.cluster"), fdb.ceiling("cluster.qos.worst_queue_bytes_log_server", max = step_max, cluster = "kv.cluster")],
    after_each = [fdb.ceiling(param("path", default = "cluster.qos.worst_queue_bytes_log_server"), max = step_max, cluster = "kv.cluster")],
    after_phase = [fdb.status(cluster = "kv.cluster")],
)
`
	self, err := exec.LookPath("phaselock")
	if err != nil {
		t.Fatal(err)
	}
	dir := inFolder(t, strings.NewReplacer("PHASELOCK", self, "ADDRESS", address).Replace(script))
	for name, text := range map[string]string{"good.txt": "BenchmarkStub 100 5 ns/op\n", "kv.cluster": "kvserve:grpc@" + address + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"as declared":  {nil, 0, "4 of 4 processes"},
		"another mode": {[]string{"--set", "redundancy=triple"}, 3, "redundancy: want triple, is single"},
		"above":        {[]string{"--set", "max=-1"}, 3, `"cluster.qos.worst_queue_bytes_log_server": 0 is above -1, and on_ceiling is "stop-phase"`},
		"unknown":      {[]string{"--set", "path=cluster.none"}, 3, `"cluster.none": its value is unknown`},
	} {
		out := strings.ReplaceAll(name, " ", "-")
		code, text := phaselock(t, dir, append([]string{"run", "p.star", "--out", out, "-q"}, c.args...)...)
		report, err := os.ReadFile(filepath.Join(dir, out, "report.md"))
		if said := strings.Join(strings.Fields(text+string(report)), " "); code != c.code || err != nil || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit code %d, %v\n%s", name, code, err, text)
		}
		if code, text := phaselock(t, dir, "audit", out); code != 0 {
			t.Errorf("%s: the audit: exit code %d\n%s", name, code, text)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "as-declared", "steps", "*", "status.json")); err != nil || len(files) != 1 {
		t.Errorf("%d status documents were kept, %v", len(files), err)
	}
}
