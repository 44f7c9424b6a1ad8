package conformance

import "github.com/phaselock/phaselock/fdb"

var versions = []Case{
	{"versions/a snapshot holds", func(t *T) {
		t.put("a", "c")
		tr := t.begin()
		t.put("b")
		t.write(func(w fdb.Transaction) { w.Clear(t.k("a")) })
		t.same("a cleared key", t.get(tr, "a"), "a")
		t.same("a new key", t.get(tr, "b"), "-")
		t.same("the range", t.names(t.page(tr, t.keys("", "z")).Pairs), "a c")
		key, err := tr.GetKey(fdb.FirstGreaterThan(t.k("a")), false).Wait(t.ctx)
		t.must(err)
		t.same("the next key", t.name(key), "c")
		t.same("a new transaction", t.names(t.page(t.db.Begin(), t.keys("", "z")).Pairs), "b c")
	}},
	{"versions/grow with commits", func(t *T) {
		before := t.begin()
		read, err := before.ReadVersion(t.ctx)
		t.must(err)
		writer := t.db.Begin()
		writer.Set(t.k("a"), nil)
		t.must(writer.Commit(t.ctx))
		commit, err := writer.CommittedVersion()
		t.must(err)
		after, err := t.db.Begin().ReadVersion(t.ctx)
		t.must(err)
		if read <= 0 || commit <= read || after < commit {
			t.errorf("read %d, then commit %d, then read %d", read, commit, after)
		}
		again, err := before.ReadVersion(t.ctx)
		t.must(err)
		t.same("the read version of a transaction", again, read)
	}},
	{"versions/a commit without writes has none", func(t *T) {
		tr := t.db.Begin()
		t.get(tr, "a")
		t.must(tr.Commit(t.ctx))
		v, err := tr.CommittedVersion()
		t.must(err)
		t.same("the version", v, -1)
	}},
	{"versions/an old one can be read", func(t *T) {
		t.put("a")
		old, err := t.db.Begin().ReadVersion(t.ctx)
		t.must(err)
		t.write(func(tr fdb.Transaction) { tr.Set(t.k("a"), []byte("new")); tr.Set(t.k("b"), nil) })
		tr := t.db.Begin()
		tr.SetReadVersion(old)
		v, err := tr.ReadVersion(t.ctx)
		t.must(err)
		t.same("the version", v, old)
		t.same("the old value", t.get(tr, "a"), "a")
		t.same("the old range", t.names(t.page(tr, t.keys("", "z")).Pairs), "a")
		tr.Set(t.k("c"), nil)
		t.refused("a write that rests on an old value", tr)
	}},
	{"versions/the first is too old", func(t *T) {
		tr := t.db.Begin()
		tr.SetReadVersion(1)
		_, err := tr.Get(t.k("a"), false).Wait(t.ctx)
		t.code("the read", err, fdb.TransactionTooOld)
	}},
	{"versions/the future", func(t *T) {
		now, err := t.db.Begin().ReadVersion(t.ctx)
		t.must(err)
		tr := t.db.Begin()
		tr.SetReadVersion(now + 1e12)
		_, err = tr.Get(t.k("a"), false).Wait(t.ctx)
		t.code("the read", err, fdb.FutureVersion, fdb.ProcessBehind)
	}},
	{"versions/are set before the first read, and once", func(t *T) {
		now, err := t.db.Begin().ReadVersion(t.ctx)
		t.must(err)
		for what, c := range map[string]struct {
			set  func(fdb.Transaction)
			code int
		}{
			"after a read": {func(tr fdb.Transaction) { t.get(tr, "a"); tr.SetReadVersion(now) }, fdb.ReadVersionAlreadySet},
			"twice":        {func(tr fdb.Transaction) { tr.SetReadVersion(now); tr.SetReadVersion(now) }, fdb.ReadVersionAlreadySet},
			"no version":   {func(tr fdb.Transaction) { tr.SetReadVersion(0) }, fdb.VersionInvalid},
		} {
			tr := t.db.Begin()
			c.set(tr)
			_, err := tr.Get(t.k("a"), false).Wait(t.ctx)
			t.code(what, err, c.code)
		}
	}},
}
