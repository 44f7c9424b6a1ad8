package embedded

import (
	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// How a storage server serves a mapped range.
const (
	indexShare = 5          // of the bytes of a reply, one in five is for rows of the index
	batch      = 10         // rows that are looked up together; the bytes of the reply are looked at after each batch
	mostPairs  = 2000       // of one row
	mostBytes  = 10_000_000 // of one row
)

// GetMappedRange reads a page of an index, and what its mapper names.
func (t *Transaction) GetMappedRange(r fdb.Range, packed []byte) fdb.Future[fdb.MappedPage] {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.mapped(r, packed)
	return fdb.Ready(page, err)
}

func (t *Transaction) mapped(r fdb.Range, packed []byte) (fdb.MappedPage, error) {
	if t.failed == nil && (r.Snapshot || t.noOwn) {
		return fdb.MappedPage{}, fdb.Error{Code: fdb.UnsupportedOperation}
	}
	data, bounds, budget, err := t.open(r)
	if err != nil {
		return fdb.MappedPage{}, err
	}
	m, err := compile(packed)
	if err != nil {
		return fdb.MappedPage{}, err
	}
	l := lookup{data: data, mapper: m, budget: budget, reverse: r.Reverse}
	if budget == 0 {
		l.budget = fdb.ReplyBytes
	}
	var page fdb.MappedPage
	for left, rest := r.Limit, bounds; ; {
		rows, more, err := l.reply(rest, left)
		if err != nil {
			return fdb.MappedPage{}, err
		}
		t.countReply(rows)
		page.Rows, page.More = append(page.Rows, rows...), more
		left -= len(rows)
		if !more || budget > 0 || left == 0 {
			break
		}
		if last := string(rows[len(rows)-1].Key); r.Reverse {
			rest.end = last
		} else {
			rest.begin = last + "\x00"
		}
	}
	return page, t.readMapped(r, bounds, page, l.read)
}

// readMapped notes what a mapped page depends on, of which nothing may be the transaction's own: its rows of the index, and
// what they were mapped to.
func (t *Transaction) readMapped(r fdb.Range, bounds span, page fdb.MappedPage, mapped []span) error {
	var last []fdb.KeyValue
	if n := len(page.Rows); n > 0 {
		last = []fdb.KeyValue{{Key: page.Rows[n-1].Key}}
	}
	read := append(mapped, extent(r, bounds, last, page.More, string(t.readEnd()))...)
	if len(t.mutations) > 0 {
		var own spans
		for i := range t.mutations {
			own.add(t.mutations[i].span())
		}
		for _, s := range read {
			if own.meets(s) {
				return fdb.Error{Code: fdb.MappedReadsOwnWrites}
			}
		}
	}
	t.hasRead(read...)
	return nil
}

// lookup is a mapped range under way.
type lookup struct {
	data    *tree
	mapper  *mapper
	budget  int // bytes of a reply
	reverse bool
	index   row
	found   collector
	read    []span // the ranges that the mapper made
}

// reply is what one request gives: rows of the index within their share of the bytes, looked up ten by ten until the bytes
// of what was found are enough.
func (l *lookup) reply(index span, limit int) (out []fdb.MappedRow, more bool, err error) {
	var c collector
	scanned, more := c.rows(l.data, index, limit, max(1, l.budget/indexShare), l.reverse)
	out = make([]fdb.MappedRow, 0, len(scanned))
	for left := l.budget; len(out) < len(scanned) && left > 0; {
		for _, pair := range scanned[len(out):min(len(out)+batch, len(scanned))] {
			found, err := l.row(pair)
			if err != nil {
				return nil, false, err
			}
			left -= sizeOf(pair, found)
			out = append(out, found)
		}
	}
	if !l.mapper.scan {
		for i := 1; i < len(out)-1; i++ {
			out[i].Key, out[i].Value = nil, nil
		}
	}
	return out, more || len(out) < len(scanned), nil
}

// row looks a row of the index up.
func (l *lookup) row(pair fdb.KeyValue) (fdb.MappedRow, error) {
	l.index.KeyValue = pair
	begin, err := l.mapper.apply(nil, &l.index)
	if err != nil {
		return fdb.MappedRow{}, err
	}
	end := append(begin[:len(begin):len(begin)], 0)
	if l.mapper.scan {
		if end, err = tuple.Strinc(begin); err != nil {
			return fdb.MappedRow{}, fdb.Error{Code: fdb.MapperBadRange}
		}
	}
	found := fdb.MappedRow{Key: pair.Key, Value: pair.Value, Begin: begin, End: end}
	bounds := span{string(begin), string(end)}
	l.read = append(l.read, bounds)
	var more bool
	if found.Pairs, more = l.found.rows(l.data, bounds, mostPairs, mostBytes, false); more {
		return fdb.MappedRow{}, fdb.Error{Code: fdb.QuickGetHasMore}
	}
	return found, nil
}

// sizeOf is what a server counts for a row, its index included, against the bytes of the reply.
func sizeOf(index fdb.KeyValue, found fdb.MappedRow) int {
	n := fdb.RowBytes + len(index.Key) + len(index.Value)
	for _, p := range found.Pairs {
		n += fdb.RowBytes + len(p.Key) + len(p.Value)
	}
	return n
}

func (t *Transaction) countReply(out []fdb.MappedRow) {
	size := 0
	for _, row := range out {
		size += len(row.Key) + len(row.Value)
		for _, p := range row.Pairs {
			size += len(p.Key) + len(p.Value)
		}
	}
	c := &t.store.count
	c.mapped.Add(1)
	c.rows.Add(int64(len(out)))
	c.loads.Add(int64(len(out)))
	c.bytesRead.Add(int64(size))
}
