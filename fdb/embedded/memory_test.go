package embedded

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
)

// What nobody can read any more is given up: commits and snapshots older than five seconds.
func TestOldCommitsAreForgotten(t *testing.T) {
	now := time.Unix(1000, 0)
	s := New(Options{Now: func() time.Time { return now }})
	var version int64
	for range 10 {
		tr := s.Start()
		tr.Set([]byte("a"), make([]byte, 1000))
		if err := tr.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		old := s.Start()
		old.SetReadVersion(max(version, 1))
		if version != 0 {
			if _, err := old.Get([]byte("a"), true).Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		version, _ = tr.CommittedVersion()
		now = now.Add(time.Second)
	}
	if len(s.log) != 6 { // at 4 to 9 seconds, of which the last was written at 9
		t.Errorf("%d commits are kept", len(s.log))
	}
	if len(s.past.trees) != 6 || len(s.past.order) != 6 {
		t.Errorf("%d and %d snapshots are kept", len(s.past.trees), len(s.past.order))
	}
}

// However many versions are read, some hundred snapshots are kept; the others are made again.
func TestSnapshotsAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	s := New(Options{Now: func() time.Time { return now }})
	var versions []int64
	for i := range 3 * pasts {
		reader := s.Start()
		v, err := reader.ReadVersion(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, v)
		tr := s.Start()
		tr.Set([]byte("a"), []byte{byte(i), byte(i >> 8)})
		if err := tr.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.past.trees) != pasts || len(s.past.order) != pasts {
		t.Errorf("%d and %d snapshots are kept", len(s.past.trees), len(s.past.order))
	}
	for i, v := range versions {
		tr := s.Start()
		tr.SetReadVersion(v)
		got, err := tr.Get([]byte("a"), true).Wait(context.Background())
		if err != nil || got.Present != (i > 0) || i > 0 && (int(got.Bytes[0])|int(got.Bytes[1])<<8) != i-1 {
			t.Fatalf("at version %d: %v, %v; want what commit %d wrote", v, got, err, i-1)
		}
	}
}

// Overwritten values are kept up to a number of bytes. What is older can be read by who holds it, and by nobody else; conflicts
// are found as before.
func TestOverwrittenValuesAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	s := New(Options{Now: func() time.Time { return now }})
	ctx := context.Background()
	write := func() {
		tr := s.Start()
		for i := range 90 {
			tr.Set([]byte{byte(i)}, make([]byte, 100_000))
		}
		if err := tr.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	write()
	holder := s.Start()
	first, err := holder.ReadVersion(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // 9 million bytes each, of 134 million
		write()
	}
	if s.held > mostHeld || s.held < mostHeld-9_100_000 {
		t.Errorf("%d bytes are held", s.held)
	}
	recent := s.log[s.without].version - 1
	for version, readable := range map[int64]bool{first: false, recent - 1: false, recent: true, s.version: true} {
		tr := s.Start()
		tr.SetReadVersion(version)
		v, err := tr.Get([]byte{1}, true).Wait(ctx)
		if old := errors.Is(err, fdb.Error{Code: fdb.TransactionTooOld}); old == readable || readable && (err != nil || len(v.Bytes) != 100_000) {
			t.Errorf("version %d: %d bytes, %v; want readable %v", version, len(v.Bytes), err, readable)
		}
	}
	if v, err := holder.Get([]byte{1}, false).Wait(ctx); err != nil || len(v.Bytes) != 100_000 {
		t.Errorf("who holds the snapshot: %d bytes, %v", len(v.Bytes), err)
	}
	holder.Set([]byte("x"), nil)
	if err := holder.Commit(ctx); !errors.Is(err, fdb.Error{Code: fdb.NotCommitted}) {
		t.Errorf("its commit: %v", err)
	}
	now = now.Add(time.Minute)
	write()
	if s.held > 9_100_000 || s.without != 0 || len(s.log) != 1 {
		t.Errorf("a minute later: %d bytes held, %d of %d commits without", s.held, s.without, len(s.log))
	}
}
