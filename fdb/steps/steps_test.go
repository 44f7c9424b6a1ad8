package steps_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/steps"
	"github.com/phaselock/phaselock/fdb/tuple"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/plan"
)

var ctx = context.Background()

// named is a database whose client has another name. It stays open for the next step.
type named struct {
	fdb.Database
	client string
}

func (n named) Client() string { return n.client }
func (n named) Close() error   { return nil }

func over(db fdb.Database, client string) *steps.Clusters {
	return &steps.Clusters{
		Default: "fdb.cluster",
		Open:    func(context.Context, string) (fdb.Database, error) { return named{db, client}, nil },
		Sleep:   func(context.Context, time.Duration) error { return errors.New("slept") },
	}
}

func do(c *steps.Clusters, kind string, f plan.FDB) (engine.StepResult, error) {
	return c.Step(ctx, "/root", &plan.Step{Kind: kind, FDB: &f})
}

func put(t *testing.T, db fdb.Database, keys ...[]byte) {
	t.Helper()
	err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
		for _, k := range keys {
			tr.Set(k, nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db fdb.Database) int {
	t.Helper()
	pairs, _, err := fdb.All(ctx, db.Begin(), fdb.Keys(nil, []byte{0xff}))
	if err != nil {
		t.Fatal(err)
	}
	return len(pairs)
}

// Clearing waits until queues and movement have fallen to the bytes of settle.
func TestClear(t *testing.T) {
	db := embedded.New(embedded.Options{})
	put(t, db, []byte("a"), []byte("\x00"), []byte("\xfe\xff"))
	queue, looks := 3000, 0
	db.SetStatus("cluster.data.moving_data.in_queue_bytes", 900)
	db.SetStatus("cluster.qos.worst_queue_bytes_log_server", queue)
	c := over(db, "embedded")
	c.Sleep = func(context.Context, time.Duration) error {
		looks++
		queue -= 1000
		db.SetStatus("cluster.qos.worst_queue_bytes_log_server", queue)
		return nil
	}
	if _, err := do(c, plan.StepFDBClear, plan.FDB{Settle: 1000}); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db); n != 0 || looks != 2 {
		t.Errorf("%d keys left; settled after %d waits, want 2", n, looks)
	}
}

func TestClearThatDoesNotSettle(t *testing.T) {
	db := embedded.New(embedded.Options{})
	c := over(db, "embedded")
	c.Sleep = nil
	late, cancel := context.WithCancel(ctx)
	db.SetStatus("cluster.qos.worst_queue_bytes_storage_server", 5000)
	cancel()
	_, err := c.Step(late, "/root", &plan.Step{Kind: plan.StepFDBClear, FDB: &plan.FDB{Settle: 1}})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "worst storage queue: 5000 bytes, want at most 1") {
		t.Error(err)
	}
	db.SetStatus("cluster.qos.worst_queue_bytes_storage_server", nil)
	if _, err = do(over(db, "embedded"), plan.StepFDBClear, plan.FDB{Settle: 1}); err == nil || !strings.Contains(err.Error(), "worst storage queue is unknown") {
		t.Errorf("an unknown queue: %v", err)
	}
}

// A cluster of FoundationDB is cleared only where the caller said so.
func TestClearIsRefused(t *testing.T) {
	db := embedded.New(embedded.Options{})
	put(t, db, []byte("a"))
	c := over(db, "fdb-7.3.63")
	if _, err := do(c, plan.StepFDBClear, plan.FDB{}); err == nil || !strings.Contains(err.Error(), "--destroy-user-keys") || count(t, db) != 1 {
		t.Errorf("%v; %d keys left", err, count(t, db))
	}
	c.Destroy = true
	if _, err := do(c, plan.StepFDBClear, plan.FDB{}); err != nil || count(t, db) != 0 {
		t.Errorf("%v; %d keys left", err, count(t, db))
	}
	for _, client := range []string{"kvserve-grpc", "kvserve-frame", "double"} {
		put(t, db, []byte("a"))
		if _, err := do(over(db, client), plan.StepFDBClear, plan.FDB{}); err != nil || count(t, db) != 0 {
			t.Errorf("%s: %v; %d keys left", client, err, count(t, db))
		}
	}
}

func TestCeiling(t *testing.T) {
	db := embedded.New(embedded.Options{})
	const path = "cluster.qos.worst_queue_bytes_log_server"
	for _, c := range []struct {
		value any
		want  *float64
		fails string
	}{
		{104857601, to(104857601.0), ""},
		{0, to(0.0), ""},
		{nil, nil, ""},
		{"many", nil, `want a number, got "many"`},
	} {
		db.SetStatus(path, c.value)
		r, err := do(over(db, "embedded"), plan.StepFDBCeiling, plan.FDB{Path: path})
		if diff := cmp.Diff(engine.StepResult{Value: c.want}, r); diff != "" || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%v: %v %s", c.value, err, diff)
		}
	}
}

func to[T any](v T) *T { return &v }

func TestGeneration(t *testing.T) {
	db := embedded.New(embedded.Options{})
	c := over(db, "embedded")
	before, err := c.Generation(ctx, "/root", "")
	if err != nil || before == nil {
		t.Fatal(before, err)
	}
	db.Recover()
	after, err := c.Generation(ctx, "/root", "")
	if err != nil || after == nil || *after != *before+1 {
		t.Error(after, err)
	}
	db.SetStatus("cluster.generation", nil)
	if n, err := c.Generation(ctx, "/root", ""); err != nil || n != nil {
		t.Error(n, err)
	}
}

func TestRequire(t *testing.T) {
	db := embedded.New(embedded.Options{
		Splits: [][]byte{[]byte("m")},
		Teams:  [][]string{{"10.0.0.1:4500", "10.0.0.2:4500"}, {"10.0.0.2:4500", "10.0.0.3:4500"}},
	})
	as := plan.FDB{Redundancy: "double", Engine: "memory", Version: "embedded", Machines: 3, Storage: 3, Roles: map[string]int{"log": 1, "storage": 3}}
	if r, err := do(over(db, "embedded"), plan.StepFDBRequire, as); err != nil || r.Failure != "" {
		t.Errorf("as it is: %q, %v", r.Failure, err)
	}
	other := as
	other.Storage, other.Redundancy = 4, "triple"
	r, err := do(over(db, "embedded"), plan.StepFDBRequire, other)
	if want := "redundancy: want triple, is double; storage servers: want 4, are 3"; err != nil || r.Failure != want {
		t.Errorf("%q, %v; want %q", r.Failure, err, want)
	}
	for value, want := range map[any]string{"accepting_commits": "recovery: want fully recovered, is not", nil: "recovery: want fully recovered, unknown"} {
		db.SetStatus("cluster.recovery_state.name", value)
		if r, err := do(over(db, "embedded"), plan.StepFDBRequire, as); err != nil || r.Failure != want {
			t.Errorf("%v: %q, %v", value, r.Failure, err)
		}
	}
}

func TestPlacement(t *testing.T) {
	key := func(elements ...any) []byte { return tuple.Tuple(elements).Pack() }
	index, records := key(42, 2), key(42, 1)
	db := embedded.New(embedded.Options{Splits: [][]byte{index}, Teams: [][]string{{"10.0.0.1:4500"}, {"10.0.0.2:4500"}}})
	for id := range 4 {
		put(t, db, key(42, 2, id+10, id), key(42, 1, id, 0))
	}
	f := plan.FDB{Index: hex.EncodeToString(index), Records: hex.EncodeToString(records)}
	r, err := do(over(db, "embedded"), plan.StepFDBPlacement, f)
	if err != nil || r.Failure != "" || r.Placement == nil || r.Placement.Rows != 4 || r.Placement.Colocated != 0 || r.Placement.All != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	teams := r.Placement.Teams
	db.MoveShard(index, []string{"10.0.0.1:4500"})
	f.Colocated = to(1.0)
	r, err = do(over(db, "embedded"), plan.StepFDBPlacement, f)
	if err != nil || r.Failure != "" || r.Placement.Colocated != 1 || r.Placement.All != 1 || r.Placement.Teams == teams {
		t.Errorf("after the move: %+v, %v", r, err)
	}
	db.MoveShard(index, []string{"10.0.0.3:4500", "10.0.0.1:4500"})
	r, err = do(over(db, "embedded"), plan.StepFDBPlacement, f)
	if want := "the colocated fraction is 0.5; want at least 1"; err != nil || r.Failure != want {
		t.Errorf("too little: %q, %v", r.Failure, err)
	}
	f.Index = hex.EncodeToString(key("nothing"))
	if _, err = do(over(db, "embedded"), plan.StepFDBPlacement, f); err == nil || !strings.Contains(err.Error(), "the index has no rows") {
		t.Errorf("no rows: %v", err)
	}
}

func TestStatusIsKept(t *testing.T) {
	r, err := do(over(embedded.New(embedded.Options{}), "embedded"), plan.StepFDBStatus, plan.FDB{})
	if err != nil || !json.Valid(r.Document) {
		t.Errorf("%q, %v", r.Document, err)
	}
}

func TestWhichCluster(t *testing.T) {
	var opened []string
	c := &steps.Clusters{Open: func(_ context.Context, name string) (fdb.Database, error) {
		opened = append(opened, name)
		return embedded.New(embedded.Options{}), nil
	}}
	if _, err := c.Generation(ctx, "/root", ""); err == nil || !strings.Contains(err.Error(), "FDB_CLUSTER_FILE") {
		t.Errorf("no cluster: %v", err)
	}
	c.Default = "/etc/foundationdb/fdb.cluster"
	for _, name := range []string{"", "clusters/one.cluster"} {
		if _, err := c.Generation(ctx, "/root", name); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"/etc/foundationdb/fdb.cluster", filepath.Join("/root", "clusters", "one.cluster")}; !cmp.Equal(opened, want) {
		t.Errorf("opened %q, want %q", opened, want)
	}
}
