package conformance

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/phaselock/phaselock/fdb"
)

var places = []Case{
	{"places/shards start in order", func(t *T) {
		all, err := t.db.Boundaries(t.ctx, nil, []byte{0xff})
		t.must(err)
		for i := 1; i < len(all); i++ {
			if bytes.Compare(all[i-1], all[i]) >= 0 {
				t.errorf("shards start at %q, then at %q", all[i-1], all[i])
			}
		}
		for i, b := range all {
			from, err := t.db.Boundaries(t.ctx, b, []byte{0xff})
			t.must(err)
			t.same("from a boundary on", len(from), len(all)-i)
			upTo, err := t.db.Boundaries(t.ctx, nil, b)
			t.must(err)
			t.same("up to a boundary", len(upTo), i)
		}
	}},
	{"places/each key has a server", func(t *T) {
		addresses, err := t.db.Begin().Addresses(t.ctx, t.k("a"))
		t.must(err)
		if len(addresses) == 0 {
			t.errorf("no server holds the key")
		}
		for _, a := range addresses {
			if _, err := netip.ParseAddrPort(strings.TrimSuffix(a, ":tls")); err != nil {
				t.errorf("a server at %q: %v", a, err)
			}
		}
	}},
	{"places/the status document is an object", func(t *T) {
		doc, err := t.db.Status(t.ctx)
		t.must(err)
		var fields map[string]any
		if err := json.Unmarshal(doc, &fields); err != nil || fields == nil {
			t.errorf("%.200q: %v", doc, err)
		}
	}},
	{"places/the client has a name", func(t *T) {
		if t.db.Client() == "" {
			t.errorf("it has none")
		}
	}},
	{"places/a store that counts", func(t *T) {
		counting, ok := t.db.(fdb.Counting)
		if !ok {
			return // not every client can
		}
		t.records(3, 2, 10)
		before, err := counting.Counters(t.ctx)
		t.must(err)
		t.found(t.mapped(t.index(), t.byID()).Rows)
		t.page(t.db.Begin(), t.index())
		t.now("a")
		after, err := counting.Counters(t.ctx)
		t.must(err)
		t.same("gets, ranges, mapped ranges, rows, loads",
			[]int64{after.Gets - before.Gets, after.Ranges - before.Ranges, after.MappedRanges - before.MappedRanges, after.Rows - before.Rows, after.Loads - before.Loads},
			[]int64{1, 1, 1, 6, 3})
	}},
}
