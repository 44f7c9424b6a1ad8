package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/fdb"
)

// rowsOf writes n rows that a server counts as size bytes each.
func (t *T) rowsOf(n, size int) {
	t.write(func(tr fdb.Transaction) {
		for i := range n {
			key := t.k(fmt.Sprintf("%05d", i))
			tr.Set(key, make([]byte, size-fdb.RowBytes-len(key)))
		}
	})
}

// sizes are the numbers of rows of each page.
func (t *T) sizes(r fdb.Range) (sizes []int) {
	for page, err := range fdb.Pages(t.ctx, t.db.Begin(), r) {
		t.must(err)
		sizes = append(sizes, len(page.Pairs))
	}
	return sizes
}

var ranges = []Case{
	{"ranges/forward", func(t *T) {
		t.put("a", "c", "b", "")
		page := t.page(t.db.Begin(), t.keys("", "c"))
		t.same("keys", t.names(page.Pairs), " a b")
		t.same("more", page.More, false)
		for _, p := range page.Pairs {
			t.same("the value of "+t.name(p.Key), string(p.Value), t.name(p.Key))
		}
	}},
	{"ranges/reverse", func(t *T) {
		t.put("a", "b", "c", "d")
		r := t.keys("b", "d")
		r.Reverse = true
		t.same("keys", t.names(t.page(t.db.Begin(), r).Pairs), "c b")
	}},
	{"ranges/limit", func(t *T) {
		t.put("a", "b", "c", "d")
		r := t.keys("", "z")
		for _, c := range []struct {
			limit   int
			reverse bool
			want    string
			more    bool
		}{
			{1, false, "a", true},
			{3, false, "a b c", true},
			{4, false, "a b c d", true}, // the limit was reached: whether more follows nobody looked
			{5, false, "a b c d", false},
			{1, true, "d", true},
			{3, true, "d c b", true},
			{5, true, "d c b a", false},
		} {
			r.Limit, r.Reverse = c.limit, c.reverse
			for _, mode := range []fdb.StreamingMode{fdb.StreamingWantAll, fdb.StreamingExact} {
				r.Mode = mode
				page := t.page(t.db.Begin(), r)
				what := fmt.Sprintf("limit %d, reverse %v, mode %d", c.limit, c.reverse, mode)
				t.same(what, t.names(page.Pairs), c.want)
				t.same(what+", more", page.More, c.more)
			}
		}
	}},
	{"ranges/mode exact wants a limit", func(t *T) {
		r := t.keys("", "z")
		r.Mode = fdb.StreamingExact
		_, err := t.db.Begin().GetRange(r).Wait(t.ctx)
		t.code("the range", err, fdb.ExactModeWithoutLimits)
	}},
	{"ranges/bytes of a page, by mode", func(t *T) {
		t.rowsOf(1000, 100)
		for _, c := range []struct {
			what string
			mode fdb.StreamingMode
			want int // the row that reaches the bytes is the last
		}{
			{"small, 256 bytes", fdb.StreamingSmall, 3},
			{"medium, 1,000 bytes", fdb.StreamingMedium, 10},
			{"large, 4,096 bytes", fdb.StreamingLarge, 41},
			{"serial, 80,000 bytes", fdb.StreamingSerial, 800},
			{"want all, one reply", fdb.StreamingWantAll, 800},
		} {
			r := t.keys("", "z")
			r.Mode = c.mode
			page := t.page(t.db.Begin(), r)
			t.same(c.what, len(page.Pairs), c.want)
			t.same(c.what+", more", page.More, true)
		}
	}},
	{"ranges/pages of the iterator grow", func(t *T) {
		t.rowsOf(1000, 100)
		r := t.keys("", "z")
		r.Mode = fdb.StreamingIterator
		t.same("pages", t.sizes(r), []int{41, 62, 93, 139, 208, 312, 145})
		r.Reverse = true
		t.same("pages from the end", t.sizes(r), []int{41, 62, 93, 139, 208, 312, 145})
	}},
	{"ranges/mode exact gives its rows in one page", func(t *T) {
		t.rowsOf(1000, 100)
		r := t.keys("", "z")
		r.Mode, r.Limit = fdb.StreamingExact, 950
		page := t.page(t.db.Begin(), r)
		t.same("rows", len(page.Pairs), 950)
		t.same("more", page.More, true)
		r.Limit = 1001
		page = t.page(t.db.Begin(), r)
		t.same("rows of a limit above them", len(page.Pairs), 1000)
		t.same("more", page.More, false)
	}},
	{"ranges/the pages make the range", func(t *T) {
		t.rowsOf(500, 100)
		var want []string
		for i := range 500 {
			want = append(want, fmt.Sprintf("%05d", i))
		}
		for _, mode := range []fdb.StreamingMode{fdb.StreamingSmall, fdb.StreamingMedium, fdb.StreamingLarge, fdb.StreamingIterator, fdb.StreamingWantAll} {
			for _, limit := range []int{0, 7, 321} {
				r := t.keys("", "z")
				r.Mode, r.Limit = mode, limit
				n := 500
				if limit > 0 {
					n = limit
				}
				what := fmt.Sprintf("mode %d, limit %d", mode, limit)
				pairs, _, err := fdb.All(t.ctx, t.db.Begin(), r)
				t.must(err)
				t.same(what, t.names(pairs), strings.Join(want[:n], " "))
				r.Reverse = true
				pairs, _, err = fdb.All(t.ctx, t.db.Begin(), r)
				t.must(err)
				slices.Reverse(pairs)
				t.same(what+", reverse", t.names(pairs), strings.Join(want[500-n:], " "))
			}
		}
	}},
	{"ranges/many at once", func(t *T) {
		t.rowsOf(100, 100)
		tr := t.db.Begin()
		var futures []fdb.Future[fdb.Page]
		for i := range 50 {
			r := t.keys("", "z")
			r.Limit, r.Reverse = i+1, i%2 == 1
			futures = append(futures, tr.GetRange(r))
		}
		for i, f := range futures {
			page, err := f.Wait(t.ctx)
			t.must(err)
			again, err := f.Wait(t.ctx)
			t.must(err)
			t.same("rows", []int{len(page.Pairs), len(again.Pairs)}, []int{i + 1, i + 1})
		}
	}},
}
