package cluster_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb/cluster"
	"github.com/phaselock/phaselock/lib/protocol"
)

const healthy = `{
  "client": {"database_status": {"available": true, "healthy": true}},
  "cluster": {
    "generation": 7,
    "recovery_state": {"name": "fully_recovered"},
    "configuration": {"redundancy_mode": "double", "storage_engine": "ssd-2"},
    "qos": {
      "worst_queue_bytes_log_server": 4096, "worst_queue_bytes_storage_server": 0,
      "performance_limited_by": {"name": "workload"}
    },
    "data": {"moving_data": {"in_flight_bytes": 10, "in_queue_bytes": 32}},
    "machines": {"a": {"excluded": false}, "b": {}, "c": {"excluded": true}},
    "processes": {
      "p1": {"version": "7.3.63", "roles": [{"role": "log"}, {"role": "storage"}]},
      "p2": {"version": "7.3.63", "roles": [{"role": "storage"}, {"role": "storage"}]}
    }
  }
}`

func parse(t *testing.T, text string) *cluster.Document {
	t.Helper()
	d, err := cluster.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func to[T any](v T) *T { return &v }

func TestFacts(t *testing.T) {
	want := cluster.Facts{
		Generation: to(int64(7)), Recovered: to(true), Redundancy: "double", Engine: "ssd-2", Versions: []string{"7.3.63"},
		Roles: map[string]int{"log": 1, "storage": 3}, Storage: to(3), Machines: to(2),
		WorstLogQueue: to(4096.0), WorstStorageQueue: to(0.0), Moving: to(42.0), LimitedBy: "workload",
	}
	if diff := cmp.Diff(want, parse(t, healthy).Facts()); diff != "" {
		t.Error(diff)
	}
}

// A field that is missing, null or of another kind is unknown, not 0.
func TestUnknown(t *testing.T) {
	for name, text := range map[string]string{
		"empty":   `{}`,
		"null":    `{"cluster": null}`,
		"strange": `{"cluster": {"generation": "7", "qos": [], "machines": 3, "processes": {"p": {"roles": 1}}, "data": {"moving_data": {"in_flight_bytes": 0}}}}`,
	} {
		if diff := cmp.Diff(cluster.Facts{}, parse(t, text).Facts()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// One process that does not say its roles makes the counts unknown: it may have any of them.
func TestRolesOfAnUnknownProcess(t *testing.T) {
	f := parse(t, `{"cluster": {"processes": {"p1": {"roles": [{"role": "storage"}]}, "p2": {}}}}`).Facts()
	if f.Roles != nil || f.Storage != nil {
		t.Errorf("roles %v, storage %v", f.Roles, f.Storage)
	}
}

func TestNumber(t *testing.T) {
	d := parse(t, `{"a": {"b": 1.5, "c": "x", "d": null, "l": [{"n": 3}], "big": 1e999}}`)
	for path, want := range map[string]*float64{
		"a.b": to(1.5), "a.l.0.n": to(3.0), "a.d": nil, "a.e": nil, "a.b.c": nil, "a.l.1.n": nil, "a.l.-1": nil, "x": nil, "": nil,
	} {
		got, err := d.Number(path)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", path, got, err, want)
		}
	}
	for path, want := range map[string]string{
		"a.c": `a.c: want a number, got "x"`, "a": "a: want a number, got an object", "a.l": "got a list", "a.big": "beyond a float64",
	} {
		if got, err := d.Number(path); err == nil || got != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", path, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "null", "[]", "3", `{"a": 1`, `{} {}`, `{"a": 1}x`} {
		if _, err := cluster.Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "status document: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(healthy), "cluster.processes.p1.roles.0.role")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		d, err := cluster.Parse(text)
		if err != nil {
			return
		}
		d.Facts()
		_, _ = d.Number(path)
	})
}

func TestDifferences(t *testing.T) {
	f := parse(t, healthy).Facts()
	same := protocol.FDB{
		Redundancy: "double", Engine: "ssd-2", Version: "7.3.63", Roles: map[string]int{"log": 1, "resolver": 0}, Machines: 2, Storage: 3,
	}
	if d := f.Differences(&same); d != nil {
		t.Errorf("a cluster as required differs: %q", d)
	}
	other := protocol.FDB{
		Redundancy: "triple", Engine: "ssd-redwood-1", Version: "7.3.64", Roles: map[string]int{"resolver": 1, "log": 3}, Machines: 3, Storage: 4,
	}
	want := []string{
		"redundancy: want triple, is double",
		"storage engine: want ssd-redwood-1, is ssd-2",
		"version: want 7.3.64 in every process, are [7.3.63]",
		"processes with role log: want 3, are 1",
		"processes with role resolver: want 1, are 0",
		"machines: want 3, are 2",
		"storage servers: want 4, are 3",
	}
	if diff := cmp.Diff(want, f.Differences(&other)); diff != "" {
		t.Error(diff)
	}
	unknown := cluster.Facts{}
	if d := unknown.Differences(&other); len(d) != len(want) || !strings.HasSuffix(d[0], "unknown") || !strings.HasSuffix(d[6], "unknown") {
		t.Errorf("of an unknown cluster: %q", d)
	}
}

func TestSettled(t *testing.T) {
	f := parse(t, healthy).Facts()
	for _, c := range []struct {
		bytes float64
		left  string
	}{
		{4096, ""},
		{4095, "the worst log queue: 4096 bytes, want at most 4095"},
	} {
		if settled, left := f.Settled(c.bytes); settled != (c.left == "") || left != c.left {
			t.Errorf("at %v: %v, %q", c.bytes, settled, left)
		}
	}
	f.Moving = nil
	if settled, left := f.Settled(1e9); settled || left != "data in movement is unknown" {
		t.Errorf("with an unknown: %v, %q", settled, left)
	}
}
