package records_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/kvserve"
	"github.com/phaselock/phaselock/fdb/tuple"
	"github.com/phaselock/phaselock/workloads/records"
)

func pack(t *testing.T, elements ...any) []byte {
	t.Helper()
	b, err := tuple.Append(nil, elements)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func loaded(t *testing.T, prefix []byte, n int, size records.Size) (fdb.Database, *records.Store, []records.Record) {
	t.Helper()
	db := embedded.New(embedded.Options{})
	s, fixture := load(t, db, prefix, n, size)
	return db, s, fixture
}

// served is a client of a kvserve.
func served(t *testing.T) fdb.Database {
	t.Helper()
	engine := embedded.New(embedded.Options{})
	s := kvserve.NewServer(engine, 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.ServeGRPC(l)
	c, err := kvserve.Dial(context.Background(), kvserve.GRPC, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), s.Shutdown(context.Background()), engine.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func load(t *testing.T, db fdb.Database, prefix []byte, n int, size records.Size) (*records.Store, []records.Record) {
	t.Helper()
	s, err := records.Open(db, prefix)
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := records.Fixture(n, size, 7)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Load(context.Background(), fixture); err != nil {
		t.Fatal(err)
	}
	return s, fixture
}

// Both methods give the same records, whatever the prefix, the direction, the limit, the skip and the size.
func TestMethodsGiveTheSame(t *testing.T) {
	for name, prefix := range map[string][]byte{
		"three ints":          pack(t, 42, 43, 44),
		"an int that ends ff": pack(t, 255),
		"text with braces":    pack(t, "a{K[0]}", []byte{0, 255}),
	} {
		for _, size := range []records.Size{records.Small, records.SplitSized} {
			n := 300
			if size == records.SplitSized {
				n = 23
			}
			_, s, fixture := loaded(t, prefix, n, size)
			for _, q := range []records.Query{
				{High: int64(n)},
				{High: int64(n), Limit: 1},
				{Low: 5, High: 15},
				{Low: 5, High: 15, Limit: 10},
				{Low: 5, High: 15, Limit: 11},
				{High: int64(n), Skip: 3, Limit: 10},
				{High: int64(n), Skip: 3},
				{High: int64(n), Skip: n},
				{High: int64(n), Skip: n + 5},
				{Low: 9, High: 9},
			} {
				for _, q.Reverse = range []bool{false, true} {
					for _, q.Method = range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
						got, reason, err := s.Fetch(context.Background(), q, nil, nil)
						if err == nil {
							err = records.Check(fixture, q, got, reason)
						}
						if err != nil {
							t.Errorf("%s, %s, %+v: %v", name, size, q, err)
						}
					}
				}
			}
		}
	}
}

// What each method does to give ten records behind three that are skipped: one scan and a load for each record, or one opening and
// no load; entries have the skipped three, loads do not.
func TestTrace(t *testing.T) {
	_, s, _ := loaded(t, pack(t, 42), 100, records.Small)
	for method, want := range map[records.Method]records.Trace{
		records.ScanAndFetch:   {Scans: 1, Loads: 10, Entries: 13, Pages: 1},
		records.UseRemoteFetch: {Openings: 1, Entries: 13, Pages: 1},
	} {
		for _, reverse := range []bool{false, true} {
			var got records.Trace
			if _, _, err := s.Fetch(context.Background(), records.Query{High: 100, Skip: 3, Limit: 10, Reverse: reverse, Method: method}, nil, &got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, reverse %v: %s", method, reverse, d)
			}
		}
	}
}

// What the store counts is what the trace says, in this process and in a server: of skipped rows nothing is read.
func TestStoreCountsTheSame(t *testing.T) {
	for _, db := range []fdb.Database{embedded.New(embedded.Options{}), served(t)} {
		s, _ := load(t, db, pack(t, 42), 100, records.Small)
		countsTheSame(t, db, s)
	}
}

func countsTheSame(t *testing.T, db fdb.Database, s *records.Store) {
	t.Helper()
	counts := func() fdb.Counters {
		c, err := db.(fdb.Counting).Counters(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for method, want := range map[records.Method][3]int64{ // ranges, mapped ranges, loads
		records.ScanAndFetch:   {1 + 10, 0, 0},
		records.UseRemoteFetch: {0, 1, 10},
	} {
		before := counts()
		if _, _, err := s.Fetch(context.Background(), records.Query{High: 100, Skip: 3, Limit: 10, Method: method}, nil, nil); err != nil {
			t.Fatal(err)
		}
		now := counts()
		got := [3]int64{now.Ranges - before.Ranges, now.MappedRanges - before.MappedRanges, now.Loads - before.Loads}
		if got != want {
			t.Errorf("%s, %s: %v, want %v", db.Client(), method, got, want)
		}
		if bytes := now.BytesRead - before.BytesRead; bytes < 10*100 {
			t.Errorf("%s, %s: %d bytes were read, less than those of ten records", db.Client(), method, bytes)
		}
	}
}

// A record of 100,000 bytes lies in two pieces, a small one in one.
func TestPieces(t *testing.T) {
	for size, want := range map[records.Size]int{records.Small: 1, records.SplitSized: 2} {
		db, s, _ := loaded(t, pack(t, 42), 2, size)
		begin := append(slices.Clone(s.Prefix()), pack(t, 1)...)
		end, err := tuple.Strinc(begin)
		if err != nil {
			t.Fatal(err)
		}
		pairs, _, err := fdb.All(context.Background(), db.Begin(), fdb.Keys(begin, end))
		if err != nil {
			r := fdb.Keys(begin, end)
			r.Mode = fdb.StreamingWantAll
			pairs, _, err = fdb.All(context.Background(), db.Begin(), r)
		}
		if err != nil || len(pairs) != 2*want {
			t.Errorf("%s: %d pieces of two records, %v", size, len(pairs), err)
		}
	}
}

// A record that is gone, or lacks a piece, is an error that names it, not a row less.
func TestDamage(t *testing.T) {
	for name, c := range map[string]struct {
		piece int
		want  string
	}{
		"first of two": {1, "record"}, "second of two": {2, "record"},
	} {
		db, s, _ := loaded(t, pack(t, 42), 5, records.SplitSized)
		err := fdb.Transact(context.Background(), db, func(tr fdb.Transaction) error {
			tr.Clear(append(slices.Clone(s.Prefix()), pack(t, 1, 3, c.piece)...))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
			_, _, err := s.Fetch(context.Background(), records.Query{High: 5, Method: m}, nil, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", name, m, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	db := embedded.New(embedded.Options{})
	for _, prefix := range [][]byte{nil, {0xfe}, {0x15}} {
		if _, err := records.Open(db, prefix); err == nil || !strings.Contains(err.Error(), "is not a tuple") {
			t.Errorf("%x: %v", prefix, err)
		}
	}
	_, s, _ := loaded(t, pack(t, 42), 5, records.Small)
	for _, q := range []records.Query{{Method: "FAST"}, {Low: 2, High: 1, Method: records.ScanAndFetch}, {Limit: -1, Method: records.ScanAndFetch}} {
		if _, _, err := s.Fetch(context.Background(), q, nil, nil); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
	if _, err := records.Fixture(3, "huge", 1); err == nil {
		t.Error("a size that is none: no error")
	}
	if _, err := records.Fixture(7919, records.Small, 1); err == nil {
		t.Error("too many: no error")
	}
}

// Drop leaves nothing below the prefix and touches nothing beside it.
func TestDrop(t *testing.T) {
	db, s, _ := loaded(t, pack(t, 42), 50, records.Small)
	beside, err := records.Open(db, pack(t, 43))
	if err != nil {
		t.Fatal(err)
	}
	fixture, _ := records.Fixture(3, records.Small, 1)
	if err := beside.Load(context.Background(), fixture); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		s    *records.Store
		want int
	}{{s, 0}, {beside, 3}} {
		got, _, err := c.s.Fetch(context.Background(), records.Query{High: 50, Method: records.ScanAndFetch}, nil, nil)
		if err != nil || len(got) != c.want {
			t.Errorf("store %d: %d records, %v", i, len(got), err)
		}
	}
}

// Check finds every kind of difference.
func TestCheck(t *testing.T) {
	fixture, err := records.Fixture(20, records.Small, 1)
	if err != nil {
		t.Fatal(err)
	}
	q := records.Query{High: 20, Limit: 5, Method: records.ScanAndFetch}
	for name, change := range map[string]func([]records.Record) ([]records.Record, records.Reason){
		"one less": func(r []records.Record) ([]records.Record, records.Reason) { return r[:4], records.AtLimit },
		"order": func(r []records.Record) ([]records.Record, records.Reason) {
			r[0], r[1] = r[1], r[0]
			return r, records.AtLimit
		},
		"field": func(r []records.Record) ([]records.Record, records.Reason) { r[3].C = "x"; return r, records.AtLimit },
		"payload": func(r []records.Record) ([]records.Record, records.Reason) {
			r[3].Payload = r[2].Payload
			return r, records.AtLimit
		},
		"reason":       func(r []records.Record) ([]records.Record, records.Reason) { return r, records.Exhausted },
		"wrong record": func(r []records.Record) ([]records.Record, records.Reason) { r[4].ID++; return r, records.AtLimit },
	} {
		want, _ := records.Expected(fixture, q)
		got, reason := change(slices.Clone(want))
		if records.Check(fixture, q, got, reason) == nil {
			t.Errorf("%s: not found", name)
		}
	}
	got, reason := records.Expected(fixture, q)
	if err := records.Check(fixture, q, got, reason); err != nil {
		t.Error(err)
	}
	if fmt.Sprint(fixture[1].ID) == fmt.Sprint(fixture[1].A) {
		t.Error("ids come in the index's order")
	}
}
