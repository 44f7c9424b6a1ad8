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
	return page, t.readMapped(r, bounds, page)
}

// readMapped notes what a mapped page depends on, of which nothing may be the transaction's own.
func (t *Transaction) readMapped(r fdb.Range, bounds span, page fdb.MappedPage) error {
	index := make([]fdb.KeyValue, len(page.Rows))
	for i, row := range page.Rows {
		index[i].Key = row.Key
	}
	read := extent(r, bounds, index, page.More, string(t.readEnd()))
	for _, row := range page.Rows {
		read = append(read, span{string(row.Begin), string(row.End)})
	}
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
}

// reply is what one request gives: rows of the index within their share of the bytes, looked up ten by ten until the bytes
// of what was found are enough.
func (l *lookup) reply(index span, limit int) (out []fdb.MappedRow, more bool, err error) {
	scanned, more := rows(l.data, index, limit, max(1, l.budget/indexShare), l.reverse)
	for left := l.budget; len(out) < len(scanned) && left > 0; {
		for _, row := range scanned[len(out):min(len(out)+batch, len(scanned))] {
			found, err := l.row(row)
			if err != nil {
				return nil, false, err
			}
			left -= sizeOf(row, found)
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
func (l *lookup) row(index fdb.KeyValue) (fdb.MappedRow, error) {
	key, err := l.mapper.apply(index)
	if err != nil {
		return fdb.MappedRow{}, err
	}
	row := fdb.MappedRow{Key: index.Key, Value: index.Value, Begin: key}
	if !l.mapper.scan {
		row.End = append(key[:len(key):len(key)], 0)
		if value, present := l.data.Get(string(key)); present {
			row.Pairs = []fdb.KeyValue{{Key: key, Value: value}}
		}
		return row, nil
	}
	if row.End, err = tuple.Strinc(key); err != nil {
		return fdb.MappedRow{}, fdb.Error{Code: fdb.MapperBadRange}
	}
	var more bool
	if row.Pairs, more = rows(l.data, span{string(key), string(row.End)}, mostPairs, mostBytes, false); more {
		return fdb.MappedRow{}, fdb.Error{Code: fdb.QuickGetHasMore}
	}
	return row, nil
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
