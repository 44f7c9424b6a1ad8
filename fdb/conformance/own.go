package conformance

import "github.com/phaselock/phaselock/fdb"

var ownWrites = []Case{
	{"own writes/read by key", func(t *T) {
		t.put("a", "b")
		tr := t.begin()
		tr.Set(t.k("a"), []byte("own"))
		tr.Clear(t.k("b"))
		tr.Set(t.k("c"), []byte("new"))
		for name, want := range map[string]string{"a": "own", "b": "-", "c": "new"} {
			t.same(name, t.get(tr, name), want)
			t.same(name+" by a snapshot read", t.read(tr, name, true), want)
		}
		t.same("others do not see them", []string{t.now("a"), t.now("b"), t.now("c")}, []string{"a", "b", "-"})
	}},
	{"own writes/read by range", func(t *T) {
		t.put("a", "c", "e", "g")
		tr := t.begin()
		tr.Set(t.k("b"), nil)
		tr.ClearRange(t.k("d"), t.k("f"))
		tr.Set(t.k("h"), nil)
		all := t.keys("", "z")
		t.same("forward", t.names(t.page(tr, all).Pairs), "a b c g h")
		all.Reverse = true
		t.same("reverse", t.names(t.page(tr, all).Pairs), "h g c b a")
		all.Limit = 2
		t.same("the last two", t.names(t.page(tr, all).Pairs), "h g")
		all.Reverse = false
		t.same("the first two", t.names(t.page(tr, all).Pairs), "a b")
	}},
	{"own writes/read by selector", func(t *T) {
		t.put("a", "c")
		tr := t.begin()
		tr.Set(t.k("b"), nil)
		tr.Clear(t.k("c"))
		tr.Set(t.k("d"), nil)
		key, err := tr.GetKey(fdb.Selector{Key: t.k("a"), OrEqual: true, Offset: 2}, false).Wait(t.ctx)
		t.must(err)
		t.same("the second after a", t.name(key), "d")
		key, err = tr.GetKey(fdb.LastLessThan(t.k("d")), false).Wait(t.ctx)
		t.must(err)
		t.same("the last before d", t.name(key), "b")
	}},
	{"own writes/made before the first read", func(t *T) {
		t.put("a")
		tr := t.db.Begin()
		tr.Set(t.k("b"), []byte("own"))
		t.same("another's", t.get(tr, "a"), "a")
		t.same("its own", t.get(tr, "b"), "own")
	}},
	{"own writes/add to them", func(t *T) {
		t.write(func(tr fdb.Transaction) { tr.Set(t.k("n"), []byte{7}) })
		tr := t.begin()
		tr.Add(t.k("n"), []byte{1})
		t.same("an add", []byte(t.get(tr, "n")), []byte{8})
		tr.Set(t.k("n"), []byte{3})
		tr.Add(t.k("n"), []byte{1})
		t.same("an add to its own", []byte(t.get(tr, "n")), []byte{4})
		t.must(tr.Commit(t.ctx))
		t.same("after the commit", []byte(t.now("n")), []byte{4})
	}},
	{"own writes/read-your-writes disabled", func(t *T) {
		t.put("a")
		tr := t.db.Begin()
		t.must(tr.SetOption(fdb.ReadYourWritesDisable))
		tr.Set(t.k("a"), []byte("own"))
		tr.Set(t.k("b"), []byte("own"))
		t.same("by key", t.get(tr, "a"), "a")
		t.same("by range", t.names(t.page(tr, t.keys("", "z")).Pairs), "a")
		t.must(tr.Commit(t.ctx))
		t.same("after the commit", t.now("b"), "own")
	}},
	{"own writes/hidden from snapshot reads alone", func(t *T) {
		tr := t.db.Begin()
		t.must(tr.SetOption(fdb.SnapshotReadYourWritesDisable))
		tr.Set(t.k("a"), []byte("own"))
		t.same("a snapshot read", t.read(tr, "a", true), "-")
		t.same("a read", t.read(tr, "a", false), "own")
	}},
	{"own writes/a reset forgets them", func(t *T) {
		tr := t.db.Begin()
		tr.Set(t.k("a"), nil)
		tr.Reset()
		t.same("after the reset", t.get(tr, "a"), "-")
		t.must(tr.Commit(t.ctx))
		t.same("after a commit", t.now("a"), "-")
	}},
}
