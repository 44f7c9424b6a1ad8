package conformance

import (
	"bytes"
	"strings"

	"github.com/phaselock/phaselock/fdb"
)

var basic = []Case{
	{"basic/set and get", func(t *T) {
		t.same("before", t.now("a"), "-")
		t.put("a")
		t.write(func(tr fdb.Transaction) { tr.Set(t.k("empty"), nil) })
		t.same("after", t.now("a"), "a")
		v, err := t.db.Begin().Get(t.k("empty"), false).Wait(t.ctx)
		t.must(err)
		t.same("a key with an empty value is present", []any{v.Present, len(v.Bytes)}, []any{true, 0})
	}},
	{"basic/what was given may be changed after the call", func(t *T) {
		key, value := t.k("a"), []byte("old")
		tr := t.db.Begin()
		tr.Set(key, value)
		copy(value, "new")
		key[len(key)-1] = 'b'
		t.must(tr.Commit(t.ctx))
		t.same("a", t.now("a"), "old")
		t.same("b", t.now("b"), "-")
	}},
	{"basic/clear", func(t *T) {
		t.put("a", "b")
		t.write(func(tr fdb.Transaction) { tr.Clear(t.k("a")); tr.Clear(t.k("missing")) })
		t.same("the cleared key", t.now("a"), "-")
		t.same("another", t.now("b"), "b")
	}},
	{"basic/clear a range, its end stays", func(t *T) {
		t.put("a", "b", "c", "d")
		t.write(func(tr fdb.Transaction) { tr.ClearRange(t.k("b"), t.k("d")); tr.ClearRange(t.k("a"), t.k("a")) })
		t.same("left", t.names(t.page(t.db.Begin(), t.keys("", "z")).Pairs), "a d")
	}},
	{"basic/writes happen in order", func(t *T) {
		t.put("b")
		t.write(func(tr fdb.Transaction) {
			tr.Set(t.k("a"), []byte("1"))
			tr.Set(t.k("a"), []byte("2"))
			tr.ClearRange(t.k(""), t.k("z"))
			tr.Set(t.k("c"), []byte("3"))
			tr.Clear(t.k("c"))
			tr.Set(t.k("d"), []byte("4"))
		})
		t.same("left", t.names(t.page(t.db.Begin(), t.keys("", "z")).Pairs), "d")
	}},
	{"basic/all or nothing", func(t *T) {
		reader := t.begin()
		t.same("before", t.get(reader, "a"), "-")
		t.put("a", "b")
		t.same("the old snapshot", t.get(reader, "b"), "-")
		reader.Set(t.k("c"), nil)
		reader.Set(t.k("d"), nil)
		t.refused("a stale reader", reader)
		t.same("what it wrote", t.names(t.page(t.db.Begin(), t.keys("", "z")).Pairs), "a b")
	}},
	{"add/little-endian, cut and extended to the operand", func(t *T) {
		for _, c := range []struct{ what, before, param, want string }{
			{"to nothing", "-", "\x05\x00", "\x05\x00"},
			{"with a carry", "\xff\x01", "\x02\x00", "\x01\x02"},
			{"over the end", "\xff\xff", "\x01\x00", "\x00\x00"},
			{"to a shorter value", "\xff", "\x01\x00\x00", "\x00\x01\x00"},
			{"to a longer value", "\x01\x02\x03", "\x01", "\x02"},
			{"minus one", "\x03\x00", "\xff\xff", "\x02\x00"},
		} {
			t.write(func(tr fdb.Transaction) {
				tr.Clear(t.k("a"))
				if c.before != "-" {
					tr.Set(t.k("a"), []byte(c.before))
				}
			})
			t.write(func(tr fdb.Transaction) { tr.Add(t.k("a"), []byte(c.param)) })
			if got := t.now("a"); got != c.want {
				t.errorf("%s: got %x, want %x", c.what, got, c.want)
			}
		}
	}},
	{"add/adders do not conflict", func(t *T) {
		a, b := t.begin(), t.begin()
		a.Add(t.k("n"), []byte{2, 0})
		b.Add(t.k("n"), []byte{3, 0})
		t.committed("the first", a)
		t.committed("the second", b)
		t.same("the sum", []byte(t.now("n")), []byte{5, 0})
	}},
	{"limits/the largest key and value", func(t *T) {
		key := string(bytes.Repeat([]byte("k"), 10_000-len(t.prefix)))
		tr := t.db.Begin()
		tr.Set(t.k(key), make([]byte, 100_000))
		t.committed("10,000 bytes of key and 100,000 of value", tr)
		t.same("the value's bytes", len(t.now(key)), 100_000)
	}},
	{"limits/keys above 10,000 bytes", func(t *T) {
		tr := t.db.Begin()
		tr.Set(t.k(strings.Repeat("k", 10_001-len(t.prefix))), nil)
		t.code("the commit", tr.Commit(t.ctx), fdb.KeyTooLarge)
	}},
	{"limits/values above 100,000 bytes", func(t *T) {
		tr := t.db.Begin()
		tr.Set(t.k("a"), make([]byte, 100_001))
		t.code("the commit", tr.Commit(t.ctx), fdb.ValueTooLarge)
	}},
	{"limits/transactions above 10,000,000 bytes", func(t *T) {
		fill := func(n int) fdb.Transaction {
			tr := t.db.Begin()
			for i := range n {
				tr.Set(t.k(string(rune('a'+i))), make([]byte, 100_000))
			}
			return tr
		}
		t.committed("9,900,000 bytes and keys", fill(99))
		t.code("10,000,000 bytes and keys", fill(100).Commit(t.ctx), fdb.TransactionTooLarge)
	}},
	{"limits/system keys want the option", func(t *T) {
		system := []byte("\xff/phaselock/conformance")
		_, err := t.db.Begin().Get(system, false).Wait(t.ctx)
		t.code("a read", err, fdb.KeyOutsideLegalRange)
		_, err = t.db.Begin().GetRange(fdb.Keys([]byte("\xff"), []byte("\xff\xff"))).Wait(t.ctx)
		t.code("a range", err, fdb.KeyOutsideLegalRange)
		tr := t.db.Begin()
		tr.Set(system, nil)
		t.code("a write", tr.Commit(t.ctx), fdb.KeyOutsideLegalRange)
		tr = t.db.Begin()
		t.must(tr.SetOption(fdb.ReadSystemKeys))
		_, err = tr.Get(system, true).Wait(t.ctx)
		t.must(err)
		tr.Set(system, nil)
		t.code("a write with the option to read", tr.Commit(t.ctx), fdb.KeyOutsideLegalRange)
	}},
	{"limits/an inverted range cannot be cleared", func(t *T) {
		tr := t.db.Begin()
		tr.ClearRange(t.k("b"), t.k("a"))
		t.code("the commit", tr.Commit(t.ctx), fdb.InvertedRange)
	}},
	{"limits/a write that is not legal fails the reads after it", func(t *T) {
		tr := t.db.Begin()
		tr.Set(t.k("a"), make([]byte, 100_001))
		_, err := tr.Get(t.k("b"), false).Wait(t.ctx)
		t.code("the read", err, fdb.ValueTooLarge)
		tr.Reset()
		t.same("after a reset", t.get(tr, "b"), "-")
	}},
}
