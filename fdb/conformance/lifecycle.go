package conformance

import (
	"context"
	"errors"

	"github.com/phaselock/phaselock/fdb"
)

var lifecycle = []Case{
	{"lifecycle/cancel", func(t *T) {
		tr := t.begin()
		tr.Set(t.k("a"), nil)
		tr.Cancel()
		_, err := tr.Get(t.k("a"), false).Wait(t.ctx)
		t.code("a read", err, fdb.TransactionCancelled)
		t.code("the commit", tr.Commit(t.ctx), fdb.TransactionCancelled)
		t.same("the store", t.now("a"), "-")
		tr.Reset()
		t.same("after a reset", t.get(tr, "a"), "-")
	}},
	{"lifecycle/a commit ends it", func(t *T) {
		tr := t.db.Begin()
		tr.Set(t.k("a"), nil)
		t.must(tr.Commit(t.ctx))
		_, err := tr.Get(t.k("a"), false).Wait(t.ctx)
		t.code("a read after it", err, fdb.UsedDuringCommit)
		tr.Reset()
		t.same("after a reset", t.get(tr, "a"), "")
	}},
	{"lifecycle/a reset takes a new version", func(t *T) {
		tr := t.begin()
		t.put("a")
		t.same("before", t.get(tr, "a"), "-")
		tr.Reset()
		t.same("after", t.get(tr, "a"), "a")
	}},
	{"lifecycle/a reset forgets options", func(t *T) {
		tr := t.db.Begin()
		t.must(tr.SetOption(fdb.ReadYourWritesDisable))
		tr.Reset()
		tr.Set(t.k("a"), []byte("own"))
		t.same("its own write", t.get(tr, "a"), "own")
	}},
	{"lifecycle/what can be tried again", func(t *T) {
		for _, code := range []int{fdb.NotCommitted, fdb.TransactionTooOld, fdb.CommitUnknownResult, fdb.FutureVersion} {
			tr := t.db.Begin()
			tr.Set(t.k("a"), nil)
			t.must(tr.OnError(t.ctx, fdb.Error{Code: code}))
			t.same("its write is forgotten", t.get(tr, "a"), "-")
		}
	}},
	{"lifecycle/what cannot be tried again", func(t *T) {
		for _, code := range []int{fdb.TransactionTooLarge, fdb.KeyTooLarge, fdb.MapperBadIndex} {
			t.code("OnError", t.db.Begin().OnError(t.ctx, fdb.Error{Code: code}), code)
		}
		other := errors.New("not of the store")
		if err := t.db.Begin().OnError(t.ctx, other); !errors.Is(err, other) {
			t.errorf("OnError of another error: %v", err)
		}
		calls := 0
		err := fdb.Transact(t.ctx, t.db, func(fdb.Transaction) error { calls++; return other })
		if !errors.Is(err, other) || calls != 1 {
			t.errorf("Transact: %v after %d calls", err, calls)
		}
	}},
	{"lifecycle/a retry ends with the context", func(t *T) {
		ctx, cancel := context.WithCancel(t.ctx)
		cancel()
		tr := t.db.Begin()
		var err error
		for range 100 { // a wait of no length may end before anyone looks at the context
			if err = tr.OnError(ctx, fdb.Error{Code: fdb.NotCommitted}); err != nil {
				break
			}
		}
		if !errors.Is(err, context.Canceled) {
			t.errorf("OnError: %v", err)
		}
	}},
	{"lifecycle/an option that nobody knows", func(t *T) {
		tr := t.db.Begin()
		err := tr.SetOption(fdb.Option{Code: 987654})
		if err == nil { // a client may tell with the next call
			_, err = tr.Get(t.k("a"), false).Wait(t.ctx)
		}
		if err == nil {
			t.errorf("it is ignored")
		}
	}},
}
