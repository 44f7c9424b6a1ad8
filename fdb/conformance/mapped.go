package conformance

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// index is a range of the case's index: its keys are (prefix, "i", value of the field, id).
func (t *T) index() fdb.Range {
	begin, end := t.tuple("i"), t.tuple("i")
	return fdb.Keys(append(begin, 0), append(end, 0xff))
}

// byID maps a row of the index to the pairs of its record: (prefix, "r", id, number of the chunk).
func (t *T) byID() []byte {
	return t.tuple("r", fmt.Sprintf("{K[%d]}", prefixElements+2), "{...}")
}

// records writes records with ids from 0 in chunks, and their index in the same order.
func (t *T) records(n, chunks, bytes int) {
	for from := 0; from < n; from += 50 {
		t.write(func(tr fdb.Transaction) {
			for id := from; id < min(from+50, n); id++ {
				tr.Set(t.tuple("i", id/2, id), nil)
				for c := range chunks {
					tr.Set(t.tuple("r", id, c), make([]byte, bytes))
				}
			}
		})
	}
}

func (t *T) mapped(r fdb.Range, mapper []byte) fdb.MappedPage {
	page, err := t.db.Begin().GetMappedRange(r, mapper).Wait(t.ctx)
	t.must(err)
	return page
}

// found writes the rows of a mapped page as id:chunk,chunk.
func (t *T) found(rows []fdb.MappedRow) string {
	var out []string
	for _, row := range rows {
		key, err := tuple.Unpack(row.Key)
		t.must(err)
		var chunks []string
		for _, p := range row.Pairs {
			record, err := tuple.Unpack(p.Key)
			t.must(err)
			t.same("the record's id", record[prefixElements+1], key[prefixElements+2])
			chunks = append(chunks, fmt.Sprint(record[prefixElements+2]))
		}
		out = append(out, fmt.Sprintf("%v:%s", key[prefixElements+2], strings.Join(chunks, ",")))
	}
	return strings.Join(out, " ")
}

// rows are the numbers of rows of each page.
func (t *T) mappedSizes(r fdb.Range, mapper []byte) (sizes []int) {
	for page, err := range fdb.MappedPages(t.ctx, t.db.Begin(), r, mapper) {
		t.must(err)
		sizes = append(sizes, len(page.Rows))
	}
	return sizes
}

// mapperCode holds a mapped range over one row of the index to an error.
func mapperCode(code int, key func(*T) []byte, value []byte, elements ...any) func(*T) {
	return func(t *T) {
		k := key(t)
		t.write(func(tr fdb.Transaction) { tr.Set(k, value) })
		r := fdb.Keys(k, append(bytes.Clone(k), 0))
		_, err := t.db.Begin().GetMappedRange(r, t.tuple(elements...)).Wait(t.ctx)
		t.code("the mapped range", err, code)
	}
}

func oneRow(t *T) []byte { return t.tuple("i", 1, 2) }

// stored writes one row of the index and records by the last element of their key, and gives what a mapper finds.
func stored(t *T, key, value []byte, records [][]byte, mapper []byte) string {
	t.write(func(tr fdb.Transaction) {
		tr.Set(key, value)
		for _, r := range records {
			last, err := tuple.Unpack(r)
			t.must(err)
			tr.Set(r, fmt.Append(nil, last[len(last)-1]))
		}
	})
	page := t.mapped(fdb.Keys(key, append(bytes.Clone(key), 0)), mapper)
	t.same("rows", len(page.Rows), 1)
	var out []string
	for _, row := range page.Rows {
		for _, p := range row.Pairs {
			out = append(out, string(p.Value))
		}
	}
	return strings.Join(out, " ")
}

var mappedRanges = []Case{
	{"mapped/forward", func(t *T) {
		t.records(4, 2, 10)
		page := t.mapped(t.index(), t.byID())
		t.same("rows", t.found(page.Rows), "0:0,1 1:0,1 2:0,1 3:0,1")
		t.same("more", page.More, false)
		prefix := t.tuple("r", 0)
		t.same("the first row's index key", string(page.Rows[0].Key), string(t.tuple("i", 0, 0)))
		t.same("its range", []string{string(page.Rows[0].Begin), string(page.Rows[0].End)}, []string{string(prefix), strinc(prefix)})
	}},
	{"mapped/reverse, the pairs of a row stay forward", func(t *T) {
		t.records(4, 2, 10)
		r := t.index()
		r.Reverse = true
		t.same("rows", t.found(t.mapped(r, t.byID()).Rows), "3:0,1 2:0,1 1:0,1 0:0,1")
	}},
	{"mapped/the limit counts rows of the index", func(t *T) {
		t.records(5, 2, 10)
		for _, mode := range []fdb.StreamingMode{fdb.StreamingWantAll, fdb.StreamingExact} {
			r := t.index()
			r.Limit, r.Mode = 2, mode
			page := t.mapped(r, t.byID())
			t.same("forward", t.found(page.Rows), "0:0,1 1:0,1")
			t.same("more", page.More, true)
			r.Reverse = true
			t.same("reverse", t.found(t.mapped(r, t.byID()).Rows), "4:0,1 3:0,1")
			r.Limit, r.Reverse = 6, false
			page = t.mapped(r, t.byID())
			t.same("rows of a limit above them", len(page.Rows), 5)
			t.same("more", page.More, false)
		}
	}},
	{"mapped/skip within the index", func(t *T) {
		t.records(6, 1, 10)
		r := t.index()
		r.Begin.Offset += 3
		r.Limit = 2
		t.same("forward", t.found(t.mapped(r, t.byID()).Rows), "3:0 4:0")
		r = t.index()
		r.End.Offset -= 3
		r.Reverse, r.Limit = true, 2
		t.same("reverse", t.found(t.mapped(r, t.byID()).Rows), "2:0 1:0")
	}},
	{"mapped/a row without a record", func(t *T) {
		t.records(3, 1, 10)
		t.write(func(tr fdb.Transaction) { tr.Clear(t.tuple("r", 1, 0)) })
		t.same("rows", t.found(t.mapped(t.index(), t.byID()).Rows), "0:0 1: 2:0")
	}},
	{"mapped/an id that ends with ff", func(t *T) {
		t.write(func(tr fdb.Transaction) {
			for _, id := range []int{254, 255, 256} {
				tr.Set(t.tuple("i", 0, id), nil)
				tr.Set(t.tuple("r", id, 0), nil)
			}
		})
		t.same("rows", t.found(t.mapped(t.index(), t.byID()).Rows), "254:0 255:0 256:0")
	}},
	{"mapped/the index's own value", func(t *T) {
		t.write(func(tr fdb.Transaction) { tr.Set(t.tuple("i", 0, 7), []byte("covering")) })
		page := t.mapped(t.index(), t.byID())
		t.same("rows", len(page.Rows), 1)
		for _, row := range page.Rows {
			t.same("the value", string(row.Value), "covering")
		}
	}},

	{"mapped/16,000 bytes of the index a request", func(t *T) {
		pad := strings.Repeat("p", 200-fdb.RowBytes-len(t.tuple("i", "", 1000)))
		for from := 0; from < 300; from += 100 {
			t.write(func(tr fdb.Transaction) {
				for id := from; id < from+100; id++ {
					tr.Set(t.tuple("i", pad, 1000+id), nil)
					tr.Set(t.tuple("r", 1000+id, 0), nil)
				}
			})
		}
		r := t.index()
		t.same("pages of 200 bytes a row", t.mappedSizes(r, t.byID()), []int{80, 80, 80, 60})
		r.Reverse = true
		t.same("pages from the end", t.mappedSizes(r, t.byID()), []int{80, 80, 80, 60})
		r.Mode, r.Limit = fdb.StreamingExact, 300
		t.same("pages of mode exact", t.mappedSizes(r, t.byID()), []int{300})
	}},
	{"mapped/large records end a page after ten", func(t *T) {
		t.records(25, 2, 50_000)
		r := t.index()
		t.same("pages", t.mappedSizes(r, t.byID()), []int{10, 10, 5})
		r.Reverse = true
		t.same("pages from the end", t.mappedSizes(r, t.byID()), []int{10, 10, 5})
		r.Limit = 13
		t.same("pages of a limit", t.mappedSizes(r, t.byID()), []int{10, 3})
	}},
	{"mapped/the bytes are looked at after each ten", func(t *T) {
		t.records(45, 1, 5400) // fifteen records reach 80,000 bytes: within the second ten
		t.same("pages", t.mappedSizes(t.index(), t.byID()), []int{20, 20, 5})
	}},
	{"mapped/the pages make the range", func(t *T) {
		t.records(100, 1, 3000)
		var want, back []string
		for id := range 100 {
			want, back = append(want, fmt.Sprintf("%d:0", id)), append(back, fmt.Sprintf("%d:0", 99-id))
		}
		for _, mode := range []fdb.StreamingMode{fdb.StreamingWantAll, fdb.StreamingIterator, fdb.StreamingSmall} {
			r := t.index()
			r.Mode = mode
			var rows []fdb.MappedRow
			for page, err := range fdb.MappedPages(t.ctx, t.db.Begin(), r, t.byID()) {
				t.must(err)
				rows = append(rows, page.Rows...)
			}
			t.same(fmt.Sprintf("mode %d", mode), t.found(rows), strings.Join(want, " "))
		}
		r := t.index()
		r.Mode, r.Limit = fdb.StreamingExact, 90
		t.same("mode exact", t.found(t.mapped(r, t.byID()).Rows), strings.Join(want[:90], " "))
		r.Reverse = true
		t.same("mode exact, reverse", t.found(t.mapped(r, t.byID()).Rows), strings.Join(back[:90], " "))
	}},

	{"mapper/elements of the key, the prefix counted", func(t *T) {
		records := [][]byte{t.tuple("r", 2, "by key"), t.tuple("r", 3, "other")}
		t.same("found", stored(t, t.tuple("i", 1, 2), nil, records, t.byID()), "by key")
	}},
	{"mapper/elements of the value", func(t *T) {
		records := [][]byte{t.tuple("r", 9, "by value"), t.tuple("r", 2, "other")}
		mapper := t.tuple("r", "{V[1]}", "{...}")
		t.same("found", stored(t, oneRow(t), tuple.Tuple{"x", 9}.Pack(), records, mapper), "by value")
	}},
	{"mapper/elements keep their types", func(t *T) {
		nested := tuple.Tuple{nil, "n\x00", -1.5}
		records := [][]byte{t.tuple("r", nested, []byte{0, 1}, "found")}
		mapper := t.tuple("r", "{V[0]}", "{V[1]}", "{...}")
		t.same("found", stored(t, oneRow(t), tuple.Tuple{nested, []byte{0, 1}}.Pack(), records, mapper), "found")
	}},
	{"mapper/literals of any type", func(t *T) {
		records := [][]byte{t.tuple("r", 5, -7, nil, 2.5, true, []byte("b"), "found")}
		mapper := t.tuple("r", 5, -7, nil, 2.5, true, []byte("b"), "{...}")
		t.same("found", stored(t, oneRow(t), nil, records, mapper), "found")
	}},
	{"mapper/escaped braces", func(t *T) {
		b := func(s string) []byte { return []byte(s) }
		records := [][]byte{
			t.tuple("r", b("{K[1]}"), "an escaped element"),
			t.tuple("r", b("{{K[1]}}"), "escapes left"),
			t.tuple("r", b("{...}"), "an escaped range"),
			t.tuple("r", b("a{b}c"), "within a text"),
			t.tuple("r", b("{{}"), "twice"),
		}
		for escaped, want := range map[string]string{
			"{{K[1]}}": "an escaped element", "{{...}}": "an escaped range", "a{{b}}c": "within a text", "{{{{}}": "twice",
		} {
			t.same(escaped, stored(t, oneRow(t), nil, records, t.tuple("r", b(escaped), "{...}")), want)
		}
	}},
	{"mapper/an element without a number is a literal", func(t *T) {
		records := [][]byte{t.tuple("r", "{K[]}", "found")}
		t.same("found", stored(t, oneRow(t), nil, records, t.tuple("r", "{K[]}", "{...}")), "found")
	}},
	{"mapper/an index that is no number", mapperCode(fdb.MapperBadIndex, oneRow, nil, "r", "{K[x]}", "{...}")},
	{"mapper/an index beyond the key", mapperCode(fdb.MapperBadIndex, oneRow, nil, "r", "{K[6]}", "{...}")},
	{"mapper/an index beyond the value", mapperCode(fdb.MapperBadIndex, oneRow, tuple.Tuple{1}.Pack(), "r", "{V[1]}", "{...}")},
	{"mapper/a range that is not last", mapperCode(fdb.MapperBadRange, oneRow, nil, "r", "{...}", "{K[2]}")},
	{"mapper/a key that is not a tuple", mapperCode(fdb.KeyNotTuple, func(t *T) []byte { return t.k("\xf0key") }, nil, "r", "{K[2]}", "{...}")},
	{"mapper/a value that is not a tuple", mapperCode(fdb.ValueNotTuple, oneRow, []byte("\xf0"), "r", "{V[0]}", "{...}")},
	{"mapper/not a tuple itself", func(t *T) {
		t.records(1, 1, 1)
		_, err := t.db.Begin().GetMappedRange(t.index(), []byte("\xf0")).Wait(t.ctx)
		t.code("the mapped range", err, fdb.MapperNotTuple)
	}},

	{"mapped/not in a snapshot read", func(t *T) {
		t.records(1, 1, 1)
		r := t.index()
		r.Snapshot = true
		_, err := t.db.Begin().GetMappedRange(r, t.byID()).Wait(t.ctx)
		t.code("the mapped range", err, fdb.UnsupportedOperation)
	}},
	{"mapped/not without reads of own writes", func(t *T) {
		t.records(1, 1, 1)
		tr := t.db.Begin()
		t.must(tr.SetOption(fdb.ReadYourWritesDisable))
		_, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.code("the mapped range", err, fdb.UnsupportedOperation)
	}},
	{"mapped/not over own writes in the index", func(t *T) {
		t.records(2, 1, 1)
		tr := t.db.Begin()
		tr.Set(t.tuple("i", 0, 5), nil)
		_, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.code("the mapped range", err, fdb.MappedReadsOwnWrites)
	}},
	{"mapped/not over own writes in the records", func(t *T) {
		t.records(2, 1, 1)
		tr := t.db.Begin()
		tr.Set(t.tuple("r", 1, 0), nil)
		_, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.code("the mapped range", err, fdb.MappedReadsOwnWrites)
	}},
	{"mapped/beside own writes", func(t *T) {
		t.records(2, 1, 1)
		tr := t.db.Begin()
		tr.Set(t.tuple("r", 9, 0), nil)
		page, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.must(err)
		t.same("rows", t.found(page.Rows), "0:0 1:0")
	}},
	{"mapped/conflicts with a change of a record", func(t *T) {
		t.records(2, 1, 1)
		tr := t.begin()
		_, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.must(err)
		t.write(func(w fdb.Transaction) { w.Set(t.tuple("r", 1, 7), nil) })
		tr.Set(t.k("x"), nil)
		t.refused("the reader", tr)
	}},
	{"mapped/conflicts with a phantom in the index", func(t *T) {
		t.records(2, 1, 1)
		tr := t.begin()
		_, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.must(err)
		t.write(func(w fdb.Transaction) { w.Set(t.tuple("i", 5, 5), nil) })
		tr.Set(t.k("x"), nil)
		t.refused("the reader", tr)
	}},
	{"mapped/a snapshot holds", func(t *T) {
		t.records(2, 1, 1)
		tr := t.begin()
		t.write(func(w fdb.Transaction) {
			w.Clear(t.tuple("r", 0, 0))
			w.Set(t.tuple("i", 5, 5), nil)
		})
		page, err := tr.GetMappedRange(t.index(), t.byID()).Wait(t.ctx)
		t.must(err)
		t.same("rows", t.found(page.Rows), "0:0 1:0")
	}},
}

func strinc(prefix []byte) string {
	next, err := tuple.Strinc(prefix)
	if err != nil {
		return err.Error()
	}
	return string(next)
}
