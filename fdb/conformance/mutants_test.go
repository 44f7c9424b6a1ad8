package conformance_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/conformance"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// mutant is a database whose transactions lack one behaviour.
type mutant struct {
	fdb.Database
	lacks func(fdb.Transaction) fdb.Transaction
}

func (m mutant) Begin() fdb.Transaction { return m.lacks(m.Database.Begin()) }

// The transactions below each lack what their name says, and are otherwise those of the embedded engine.
type (
	phantoms  struct{ fdb.Transaction } // conflicts with the keys that a range gave, not with those that were not there
	conflicts struct{ fdb.Transaction }
	ownWrites struct{ fdb.Transaction }
	reverse   struct{ fdb.Transaction }
	limit     struct{ fdb.Transaction }
	more      struct{ fdb.Transaction }
	modes     struct{ fdb.Transaction }
	offsets   struct{ fdb.Transaction }
	isolation struct {
		fdb.Transaction
		db fdb.Database
	}
	adds            struct{ fdb.Transaction }
	wideAdds        struct{ fdb.Transaction }
	cancels         struct{ fdb.Transaction }
	snapshots       struct{ fdb.Transaction }
	hiddenWrites    struct{ fdb.Transaction }
	escape          struct{ fdb.Transaction }
	mappedReverse   struct{ fdb.Transaction }
	mappedLimit     struct{ fdb.Transaction }
	orphans         struct{ fdb.Transaction }
	mappedPages     struct{ fdb.Transaction }
	mappedConflicts struct {
		fdb.Transaction
		db fdb.Database
	}
	mappedSnapshots struct{ fdb.Transaction }
	resets          struct{ fdb.Transaction }
	valueLimit      struct{ fdb.Transaction }
)

func (m phantoms) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	counts := !r.Snapshot
	r.Snapshot = true
	f := m.Transaction.GetRange(r)
	if page, err := f.Wait(context.Background()); err == nil && counts {
		for _, p := range page.Pairs {
			_ = m.AddReadConflict(p.Key, append(bytes.Clone(p.Key), 0))
		}
	}
	return f
}

func (m conflicts) Get(key []byte, _ bool) fdb.Future[fdb.Value] { return m.Transaction.Get(key, true) }

func (m ownWrites) Reset() { m.Transaction.Reset(); _ = m.SetOption(fdb.ReadYourWritesDisable) }

func (m ownWrites) OnError(ctx context.Context, err error) error {
	if err := m.Transaction.OnError(ctx, err); err != nil {
		return err
	}
	return m.SetOption(fdb.ReadYourWritesDisable)
}

func (m reverse) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	r.Reverse = false
	return m.Transaction.GetRange(r)
}

func (m limit) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	if r.Limit > 0 {
		r.Limit = 1 << 30
	}
	return m.Transaction.GetRange(r)
}

func (m more) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	page, err := m.Transaction.GetRange(r).Wait(context.Background())
	page.More = page.More && len(page.Pairs) != r.Limit
	return fdb.Ready(page, err)
}

func (m modes) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	if r.Mode > 0 || r.Mode == fdb.StreamingIterator {
		r.Mode = fdb.StreamingWantAll
	}
	return m.Transaction.GetRange(r)
}

func (m offsets) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	r.Begin.Offset = min(r.Begin.Offset, 1)
	return m.Transaction.GetRange(r)
}

func (m isolation) Get(key []byte, _ bool) fdb.Future[fdb.Value] { return m.db.Begin().Get(key, false) }

func (m adds) Add(key, param []byte) { m.Set(key, param) }

func (m wideAdds) Add(key, param []byte) { m.Transaction.Add(key, append(bytes.Clone(param), 0)) }

func (m cancels) Cancel() {}

func (m snapshots) Get(key []byte, _ bool) fdb.Future[fdb.Value] {
	return m.Transaction.Get(key, false)
}

func (m hiddenWrites) SetOption(o fdb.Option) error {
	if o.Code == fdb.NextWriteNoWriteConflictRange.Code {
		return nil
	}
	return m.Transaction.SetOption(o)
}

// GetMappedRange escapes the mapper's braces once more, so that the escape is not taken away.
func (m escape) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	if elements, err := tuple.Unpack(mapper); err == nil {
		twice := strings.NewReplacer("{{", "{{{{", "}}", "}}}}")
		for i, e := range elements {
			switch e := e.(type) {
			case string:
				elements[i] = twice.Replace(e)
			case []byte:
				elements[i] = []byte(twice.Replace(string(e)))
			}
		}
		mapper = elements.Pack()
	}
	return m.Transaction.GetMappedRange(r, mapper)
}

func (m mappedReverse) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	r.Reverse = false
	return m.Transaction.GetMappedRange(r, mapper)
}

func (m mappedLimit) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	if r.Limit > 0 {
		r.Limit = 1 << 30
	}
	return m.Transaction.GetMappedRange(r, mapper)
}

func (m orphans) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	page, err := m.Transaction.GetMappedRange(r, mapper).Wait(context.Background())
	kept := fdb.MappedPage{More: page.More}
	for _, row := range page.Rows {
		if len(row.Pairs) > 0 {
			kept.Rows = append(kept.Rows, row)
		}
	}
	return fdb.Ready(kept, err)
}

func (m mappedPages) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	if r.Limit == 0 {
		r.Limit = 1 << 30
	}
	r.Mode = fdb.StreamingExact
	return m.Transaction.GetMappedRange(r, mapper)
}

// GetMappedRange reads in a transaction of its own, at the same version.
func (m mappedConflicts) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	version, err := m.ReadVersion(context.Background())
	if err != nil {
		return fdb.Ready(fdb.MappedPage{}, err)
	}
	other := m.db.Begin()
	other.SetReadVersion(version)
	return other.GetMappedRange(r, mapper)
}

func (m mappedSnapshots) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	r.Snapshot = false
	return m.Transaction.GetMappedRange(r, mapper)
}

func (m resets) Reset() {}

func (m valueLimit) Set(key, value []byte) { m.Transaction.Set(key, value[:min(len(value), 100_000)]) }

// Whatever a backend lacks, at least one case says so; and the cases that do are those about it.
func TestMutantsAreCaught(t *testing.T) {
	of := func(lacks func(fdb.Transaction) fdb.Transaction) func(fdb.Database) fdb.Database {
		return func(db fdb.Database) fdb.Database { return mutant{db, lacks} }
	}
	for _, c := range []struct {
		lacks string
		make  func(fdb.Database) fdb.Database
		by    string // a case that must fail
	}{
		{"phantoms", of(func(tr fdb.Transaction) fdb.Transaction { return phantoms{tr} }), "conflicts/a phantom in a range"},
		{"conflicts of keys", of(func(tr fdb.Transaction) fdb.Transaction { return conflicts{tr} }), "conflicts/a key that was read"},
		{"read-your-writes", of(func(tr fdb.Transaction) fdb.Transaction {
			_ = tr.SetOption(fdb.ReadYourWritesDisable)
			return ownWrites{tr}
		}), "own writes/read by key"},
		{"reverse", of(func(tr fdb.Transaction) fdb.Transaction { return reverse{tr} }), "ranges/reverse"},
		{"limit", of(func(tr fdb.Transaction) fdb.Transaction { return limit{tr} }), "ranges/limit"},
		{"more at the limit", of(func(tr fdb.Transaction) fdb.Transaction { return more{tr} }), "ranges/limit"},
		{"streaming modes", of(func(tr fdb.Transaction) fdb.Transaction { return modes{tr} }), "ranges/bytes of a page, by mode"},
		{"offsets", of(func(tr fdb.Transaction) fdb.Transaction { return offsets{tr} }), "selectors/skip at the begin of a range"},
		{"isolation", func(db fdb.Database) fdb.Database {
			return mutant{db, func(tr fdb.Transaction) fdb.Transaction { return isolation{tr, db} }}
		}, "versions/a snapshot holds"},
		{"adding", of(func(tr fdb.Transaction) fdb.Transaction { return adds{tr} }), "add/little-endian, cut and extended to the operand"},
		{"the width of an add", of(func(tr fdb.Transaction) fdb.Transaction { return wideAdds{tr} }), "add/little-endian, cut and extended to the operand"},
		{"cancel", of(func(tr fdb.Transaction) fdb.Transaction { return cancels{tr} }), "lifecycle/cancel"},
		{"snapshot reads", of(func(tr fdb.Transaction) fdb.Transaction { return snapshots{tr} }), "conflicts/not of snapshot reads"},
		{"writes without conflict", of(func(tr fdb.Transaction) fdb.Transaction { return hiddenWrites{tr} }), "conflicts/not of a write that makes none"},
		{"the mapper's escape", of(func(tr fdb.Transaction) fdb.Transaction { return escape{tr} }), "mapper/escaped braces"},
		{"mapped reverse", of(func(tr fdb.Transaction) fdb.Transaction { return mappedReverse{tr} }), "mapped/reverse, the pairs of a row stay forward"},
		{"mapped limit", of(func(tr fdb.Transaction) fdb.Transaction { return mappedLimit{tr} }), "mapped/the limit counts rows of the index"},
		{"rows without a record", of(func(tr fdb.Transaction) fdb.Transaction { return orphans{tr} }), "mapped/a row without a record"},
		{"mapped pages", of(func(tr fdb.Transaction) fdb.Transaction { return mappedPages{tr} }), "mapped/16,000 bytes of the index a request"},
		{"mapped conflicts", func(db fdb.Database) fdb.Database {
			return mutant{db, func(tr fdb.Transaction) fdb.Transaction { return mappedConflicts{tr, db} }}
		}, "mapped/conflicts with a phantom in the index"},
		{"the refusal of mapped snapshots", of(func(tr fdb.Transaction) fdb.Transaction { return mappedSnapshots{tr} }), "mapped/not in a snapshot read"},
		{"reset", of(func(tr fdb.Transaction) fdb.Transaction { return resets{tr} }), "lifecycle/a reset takes a new version"},
		{"the limit of values", of(func(tr fdb.Transaction) fdb.Transaction { return valueLimit{tr} }), "limits/values above 100,000 bytes"},
	} {
		t.Run(c.lacks, func(t *testing.T) {
			db := c.make(embedded.New(embedded.Options{}))
			var failed []string
			for _, one := range conformance.Cases() {
				if len(one.Failures(db)) > 0 {
					failed = append(failed, one.Name)
				}
			}
			t.Logf("%d of %d cases fail: %s", len(failed), len(conformance.Cases()), strings.Join(failed, "; "))
			for _, name := range failed {
				if name == c.by {
					return
				}
			}
			t.Errorf("a database without %s passes %q; it fails %q", c.lacks, c.by, failed)
		})
	}
}
