package conformance

import "github.com/phaselock/phaselock/fdb"

var selectors = []Case{
	{"selectors/both ways, at a key and between keys", func(t *T) {
		t.put("b", "d", "f", "h", "j")
		for _, c := range []struct {
			what string
			s    fdb.Selector
			want string
		}{
			{"first >= d", fdb.FirstGreaterOrEqual(t.k("d")), "d"},
			{"first >= e", fdb.FirstGreaterOrEqual(t.k("e")), "f"},
			{"first > d", fdb.FirstGreaterThan(t.k("d")), "f"},
			{"first > e", fdb.FirstGreaterThan(t.k("e")), "f"},
			{"last <= d", fdb.LastLessOrEqual(t.k("d")), "d"},
			{"last <= e", fdb.LastLessOrEqual(t.k("e")), "d"},
			{"last < d", fdb.LastLessThan(t.k("d")), "b"},
			{"last < e", fdb.LastLessThan(t.k("e")), "d"},
			{"first >= b, two on", fdb.Selector{Key: t.k("b"), Offset: 3}, "f"},
			{"first > b, two on", fdb.Selector{Key: t.k("b"), OrEqual: true, Offset: 3}, "h"},
			{"last <= j, two back", fdb.Selector{Key: t.k("j"), OrEqual: true, Offset: -2}, "f"},
			{"last < j, two back", fdb.Selector{Key: t.k("j"), Offset: -2}, "d"},
			{"last < i, three back", fdb.Selector{Key: t.k("i"), Offset: -3}, "b"},
		} {
			key, err := t.db.Begin().GetKey(c.s, false).Wait(t.ctx)
			t.must(err)
			t.same(c.what, t.name(key), c.want)
		}
	}},
	{"selectors/the ends of all keys", func(t *T) {
		t.put("a")
		for _, c := range []struct {
			what string
			s    fdb.Selector
			want string
		}{
			{"last < nothing", fdb.LastLessThan(nil), ""},
			{"last < nothing, three back", fdb.Selector{Offset: -3}, ""},
			{"first >= ff", fdb.FirstGreaterOrEqual([]byte{0xff}), "\xff"},
			{"far behind the last", fdb.Selector{Key: []byte{0xff}, Offset: 7}, "\xff"},
		} {
			key, err := t.db.Begin().GetKey(c.s, true).Wait(t.ctx)
			t.must(err)
			t.same(c.what, string(key), c.want)
		}
	}},
	{"selectors/skip at the begin of a range", func(t *T) {
		t.put("a", "b", "c", "d", "e", "f")
		r := t.keys("", "z")
		r.Begin.Offset += 3
		t.same("three skipped", t.names(t.page(t.db.Begin(), r).Pairs), "d e f")
		r.Limit = 2
		t.same("three skipped, two rows", t.names(t.page(t.db.Begin(), r).Pairs), "d e")
		r.Begin.Offset += 3
		t.same("all skipped", t.names(t.page(t.db.Begin(), r).Pairs), "")
	}},
	{"selectors/skip at the end of a range", func(t *T) {
		t.put("a", "b", "c", "d", "e", "f")
		r := t.keys("", "z")
		r.End.Offset -= 3
		r.Reverse = true
		t.same("three skipped", t.names(t.page(t.db.Begin(), r).Pairs), "c b a")
		r.Limit = 2
		t.same("three skipped, two rows", t.names(t.page(t.db.Begin(), r).Pairs), "c b")
	}},
	{"selectors/of a range, each kind", func(t *T) {
		t.put("a", "b", "c", "d", "e")
		for _, c := range []struct {
			what       string
			begin, end fdb.Selector
			want       string
		}{
			{"(b, d]", fdb.FirstGreaterThan(t.k("b")), fdb.FirstGreaterThan(t.k("d")), "c d"},
			{"[last < c, last <= e)", fdb.LastLessThan(t.k("c")), fdb.LastLessOrEqual(t.k("e")), "b c d"},
			{"[last <= bb, first >= cc)", fdb.LastLessOrEqual(t.k("bb")), fdb.FirstGreaterOrEqual(t.k("cc")), "b c"},
			{"inverted", fdb.FirstGreaterOrEqual(t.k("d")), fdb.FirstGreaterOrEqual(t.k("b")), ""},
			{"equal", fdb.FirstGreaterOrEqual(t.k("b")), fdb.FirstGreaterOrEqual(t.k("b")), ""},
		} {
			r := fdb.Range{Begin: c.begin, End: c.end, Mode: fdb.StreamingWantAll}
			page := t.page(t.db.Begin(), r)
			t.same(c.what, t.names(page.Pairs), c.want)
			t.same(c.what+", more", page.More, false)
		}
	}},
}
