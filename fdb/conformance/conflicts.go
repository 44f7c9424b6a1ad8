package conformance

import (
	"encoding/binary"
	"sync"

	"github.com/phaselock/phaselock/fdb"
)

// race has one transaction read and write, and another write in between; the first is refused where what it read is
// touched.
func race(conflict bool, before []string, read, write func(t *T, tr fdb.Transaction)) func(*T) {
	return func(t *T) {
		t.put(before...)
		first := t.begin()
		read(t, first)
		second := t.db.Begin()
		write(t, second)
		t.must(second.Commit(t.ctx))
		first.Set(t.k("written by the first"), nil)
		if conflict {
			t.refused("the first", first)
		} else {
			t.committed("the first", first)
		}
	}
}

// What a transaction of a race does.
func gets(name string) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { t.get(tr, name) }
}

func sets(name string) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { tr.Set(t.k(name), nil) }
}

func adds(name string) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { tr.Add(t.k(name), []byte{1}) }
}

func clears(name string) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { tr.Clear(t.k(name)) }
}

func clearsRange(begin, end string) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { tr.ClearRange(t.k(begin), t.k(end)) }
}

func scans(begin, end string, change func(*fdb.Range)) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) {
		r := t.keys(begin, end)
		if change != nil {
			change(&r)
		}
		t.page(tr, r)
	}
}

func selects(s func(*T) fdb.Selector) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) {
		_, err := tr.GetKey(s(t), false).Wait(t.ctx)
		t.must(err)
	}
}

func both(a, b func(*T, fdb.Transaction)) func(*T, fdb.Transaction) {
	return func(t *T, tr fdb.Transaction) { a(t, tr); b(t, tr) }
}

func firstTwo(r *fdb.Range)       { r.Limit = 2 }
func lastTwo(r *fdb.Range)        { r.Limit, r.Reverse = 2, true }
func snapshot(r *fdb.Range)       { r.Snapshot = true }
func nothing(*T, fdb.Transaction) {}

var conflicts = []Case{
	{"conflicts/a key that was read", race(true, []string{"a"}, gets("a"), sets("a"))},
	{"conflicts/a key that was read is cleared", race(true, []string{"a"}, gets("a"), clears("a"))},
	{"conflicts/a key that was read is in a cleared range", race(true, []string{"b"}, gets("b"), clearsRange("a", "c"))},
	{"conflicts/a key that was read is added to", race(true, []string{"a"}, gets("a"), adds("a"))},
	{"conflicts/a key that was not there", race(true, nil, gets("a"), sets("a"))},
	{"conflicts/another key", race(false, []string{"a", "b"}, gets("a"), sets("b"))},
	{"conflicts/a key that others start with", race(false, []string{"a"}, gets("a"), sets("ab"))},
	{"conflicts/a blind write", race(false, []string{"a"}, sets("a"), sets("a"))},

	{"conflicts/a phantom in a range", race(true, []string{"a", "c"}, scans("a", "z", nil), sets("b"))},
	{"conflicts/a phantom in an empty range", race(true, nil, scans("a", "z", nil), sets("b"))},
	{"conflicts/a phantom after the last key", race(true, []string{"a", "c"}, scans("a", "z", nil), sets("y"))},
	{"conflicts/a phantom before the first key", race(true, []string{"b"}, scans("a", "z", nil), sets("a"))},
	{"conflicts/a phantom in a range read from its end", race(true, []string{"a", "c"}, scans("a", "z", func(r *fdb.Range) { r.Reverse = true }), sets("b"))},
	{"conflicts/a cleared range that meets the one read", race(true, []string{"m"}, scans("a", "n", nil), clearsRange("m", "z"))},
	{"conflicts/the end of a range is not in it", race(false, []string{"a", "c"}, scans("a", "c", nil), sets("c"))},
	{"conflicts/beside a range", race(false, []string{"b"}, scans("b", "c", nil), both(sets("a"), sets("d")))},
	{"conflicts/within a page", race(true, []string{"a", "c", "e"}, scans("a", "z", firstTwo), sets("b"))},
	{"conflicts/behind a page", race(false, []string{"a", "c", "e"}, scans("a", "z", firstTwo), both(sets("d"), sets("e")))},
	{"conflicts/the last key of a page", race(true, []string{"a", "c", "e"}, scans("a", "z", firstTwo), sets("c"))},
	{"conflicts/within a page from the end", race(true, []string{"a", "c", "e"}, scans("a", "z", lastTwo), sets("d"))},
	{"conflicts/behind a page from the end", race(false, []string{"a", "c", "e"}, scans("a", "z", lastTwo), both(sets("a"), sets("b")))},
	{"conflicts/a page that the limit did not end", race(true, []string{"a"}, scans("a", "z", firstTwo), sets("y"))},
	{"conflicts/a key that a selector passed by", race(true, []string{"a", "d"}, selects(func(t *T) fdb.Selector { return fdb.FirstGreaterThan(t.k("a")) }), sets("c"))},
	{"conflicts/a key that a selector passed by backwards", race(true, []string{"a", "d"}, selects(func(t *T) fdb.Selector { return fdb.LastLessThan(t.k("d")) }), sets("b"))},
	{"conflicts/a key behind what a selector names", race(false, []string{"a", "d"}, selects(func(t *T) fdb.Selector { return fdb.FirstGreaterThan(t.k("a")) }), sets("e"))},
	{"conflicts/a key that the selector of a range passed by", race(true, []string{"a", "c", "e", "g"}, scans("a", "z", func(r *fdb.Range) { r.Begin.Offset, r.Limit = 3, 1 }), sets("b"))},

	{"conflicts/not of snapshot reads", race(false, []string{"a"}, func(t *T, tr fdb.Transaction) { t.read(tr, "a", true) }, sets("a"))},
	{"conflicts/not of snapshot ranges", race(false, []string{"a"}, scans("a", "z", snapshot), sets("b"))},
	{"conflicts/added by hand to what was read", race(true, nil, func(t *T, tr fdb.Transaction) { t.must(tr.AddReadConflict(t.k("a"), t.k("c"))) }, sets("b"))},
	{"conflicts/added by hand, the end is not in it", race(false, nil, func(t *T, tr fdb.Transaction) { t.must(tr.AddReadConflict(t.k("a"), t.k("c"))) }, sets("c"))},
	{"conflicts/added by hand to what was written", race(true, nil, gets("b"), func(t *T, tr fdb.Transaction) { t.must(tr.AddWriteConflict(t.k("a"), t.k("c"))) })},
	{"conflicts/not of a write that makes none", race(false, nil, gets("a"), func(t *T, tr fdb.Transaction) {
		t.must(tr.SetOption(fdb.NextWriteNoWriteConflictRange))
		tr.Set(t.k("a"), nil)
	})},
	{"conflicts/of the write after one that makes none", race(true, nil, gets("b"), func(t *T, tr fdb.Transaction) {
		t.must(tr.SetOption(fdb.NextWriteNoWriteConflictRange))
		tr.Set(t.k("a"), nil)
		tr.Set(t.k("b"), nil)
	})},
	{"conflicts/not of a key that its own write decides", race(false, []string{"a"}, both(sets("a"), gets("a")), sets("a"))},
	{"conflicts/of a key that its own add leaves open", race(true, nil, both(adds("a"), gets("a")), sets("a"))},
	{"conflicts/of a range around a key of its own", race(true, nil, both(sets("b"), scans("a", "z", nil)), sets("c"))},
	{"conflicts/not of what came before the read version", race(false, []string{"a"}, nothing, sets("a"))},

	{"conflicts/a reader that writes nothing", func(t *T) {
		t.put("a")
		reader := t.begin()
		t.get(reader, "a")
		t.write(func(tr fdb.Transaction) { tr.Set(t.k("a"), []byte("new")) })
		t.committed("it", reader)
	}},
	{"conflicts/two with the same read version", func(t *T) {
		a, b := t.begin(), t.begin()
		t.get(a, "n")
		t.get(b, "n")
		a.Set(t.k("n"), []byte("a"))
		b.Set(t.k("n"), []byte("b"))
		t.committed("the first", a)
		t.refused("the second", b)
		t.same("the value", t.now("n"), "a")
		t.must(b.OnError(t.ctx, fdb.Error{Code: fdb.NotCommitted}))
		t.same("the second, again", t.get(b, "n"), "a")
		b.Set(t.k("n"), []byte("b"))
		t.committed("the second, again", b)
	}},
	{"conflicts/write skew", func(t *T) {
		t.put("x", "y")
		a, b := t.begin(), t.begin()
		t.get(a, "x")
		t.get(b, "y")
		a.Clear(t.k("y"))
		b.Clear(t.k("x"))
		t.committed("the first", a)
		t.refused("the second", b)
	}},
	{"conflicts/counting is exact", func(t *T) {
		const workers, each = 4, 25
		var group sync.WaitGroup
		errs := make([]error, workers)
		for w := range workers {
			group.Go(func() {
				for range each {
					err := fdb.Transact(t.ctx, t.db, func(tr fdb.Transaction) error {
						v, err := tr.Get(t.k("n"), false).Wait(t.ctx)
						if err != nil {
							return err
						}
						n := uint32(0)
						if v.Present {
							n = binary.LittleEndian.Uint32(v.Bytes)
						}
						tr.Set(t.k("n"), binary.LittleEndian.AppendUint32(nil, n+1))
						return nil
					})
					if err != nil {
						errs[w] = err
						return
					}
				}
			})
		}
		group.Wait()
		for _, err := range errs {
			t.must(err)
		}
		t.same("the count", binary.LittleEndian.Uint32([]byte(t.now("n")+"\x00\x00\x00\x00")), workers*each)
	}},
}
