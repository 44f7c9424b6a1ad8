package placement_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/placement"
	"github.com/phaselock/phaselock/fdb/tuple"
)

var (
	ctx     = context.Background()
	index   = tuple.Tuple{"i"}.Pack()
	records = tuple.Tuple{"r"}.Pack()
)

func key(elements ...any) []byte { return tuple.Tuple(elements).Pack() }

// store has 10 rows (ids 0 to 9), the index in one shard on servers 1 and 2, the records in three: 0-3, 4-5 and 6-9.
func store(t *testing.T, teams [][]string) *embedded.Store {
	t.Helper()
	db := embedded.New(embedded.Options{
		Splits: [][]byte{index, records, key("r", 4), key("r", 6), key("s")},
		Teams:  append([][]string{{"9.9.9.9:1"}}, append(teams, []string{"9.9.9.9:1"})...),
	})
	err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
		for id := range 10 {
			tr.Set(key("i", id*7%10, id), nil)
			tr.Set(key("r", id, 0), nil)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

const a, b, c = "10.0.0.1:4500", "10.0.0.2:4500", "10.0.0.3:4500"

// Worked out by hand: 4 rows have both servers, 2 have one of two, 4 have none.
func TestColocated(t *testing.T) {
	for _, x := range []struct {
		what   string
		teams  [][]string // of the index, and of the three shards of records
		f, all float64
	}{
		{"all on the same", [][]string{{a, b}, {a, b}, {b, a}, {a, b}}, 1, 1},
		{"some", [][]string{{a, b}, {a, b}, {b, c}, {c}}, (4*1 + 2*0.5) / 10, 0.4},
		{"more servers of records", [][]string{{a}, {a, b, c}, {b, c}, {c, a}}, 0.8, 0.8},
		{"none", [][]string{{a}, {b}, {c}, {b, c}}, 0, 0},
	} {
		p, err := placement.Read(ctx, store(t, x.teams), index, records)
		if err != nil || p.Rows != 10 || p.Colocated != x.f || p.All != x.all || len(p.Teams) != 64 {
			t.Errorf("%s: %+v, %v; want f %v, all %v", x.what, p, err, x.f, x.all)
		}
	}
}

// Teams changes where a shard of the index or of the records moves, and nowhere else.
func TestTeams(t *testing.T) {
	db := store(t, [][]string{{a, b}, {a, b}, {b, c}, {c}})
	read := func() string {
		p, err := placement.Read(ctx, db, index, records)
		if err != nil {
			t.Fatal(err)
		}
		return p.Teams
	}
	first := read()
	db.MoveShard(key("a"), []string{c})
	db.MoveShard(key("t"), []string{c})
	db.MoveShard(index, []string{b, a})
	if read() != first {
		t.Error("shards of others moved, and a team changed its order; the digest changed too")
	}
	db.MoveShard(key("r", 5), []string{a})
	moved := read()
	if moved == first {
		t.Error("a shard of records moved unseen")
	}
	db.MoveShard(key("i"), []string{a})
	if read() == moved {
		t.Error("the shard of the index moved unseen")
	}
}

// A cluster that lists no boundary has one shard.
func TestNoBoundaries(t *testing.T) {
	db := unlisted{store(t, [][]string{{a}, {b}, {b}, {b}})}
	p, err := placement.Read(ctx, db, index, records)
	if err != nil || p.Colocated != 1 || p.All != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

type unlisted struct{ fdb.Database }

func (unlisted) Boundaries(context.Context, []byte, []byte) ([][]byte, error) { return nil, nil }

func TestRefused(t *testing.T) {
	db := store(t, [][]string{{a}, {b}, {b}, {b}})
	if _, err := placement.Read(ctx, db, key("nothing"), records); !errors.Is(err, placement.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	if err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error { tr.Set(append(key("i"), 0xf0), nil); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := placement.Read(ctx, db, index, records); err == nil {
		t.Error("a row that is no tuple: no error")
	}
}

// A scan that takes longer than five seconds goes on in another transaction, and sees every row once.
func TestLongScan(t *testing.T) {
	now := time.Unix(0, 0)
	db := embedded.New(embedded.Options{
		Now:   func() time.Time { now = now.Add(time.Second); return now },
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	for from := 0; from < 5000; from += 1000 {
		if err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
			for id := from; id < from+1000; id++ {
				tr.Set(key("i", "a long value of the field, so that the index has many pages", id), nil)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := placement.Read(ctx, db, index, records)
	if err != nil || p.Rows != 5000 {
		t.Errorf("%+v, %v", p, err)
	}
}
