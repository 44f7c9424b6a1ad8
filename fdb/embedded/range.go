package embedded

import (
	"bytes"

	"github.com/phaselock/phaselock/fdb"
)

// GetRange reads a page of a range.
func (t *Transaction) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	t.mu.Lock()
	defer t.mu.Unlock()
	page, err := t.page(r)
	return fdb.Ready(page, err)
}

func (t *Transaction) page(r fdb.Range) (fdb.Page, error) {
	data, bounds, budget, err := t.open(r)
	if err != nil {
		return fdb.Page{}, err
	}
	c := collector{pairs: make([]fdb.KeyValue, 0, min(r.Limit, 1000))}
	pairs, more := c.rows(data, bounds, r.Limit, budget, r.Reverse)
	if !r.Snapshot {
		t.hasRead(extent(r, bounds, pairs, more, string(t.readEnd()))...)
	}
	t.countPage(pairs, budget)
	return fdb.Page{Pairs: pairs, More: more}, nil
}

// open resolves a range: the data that it reads, its keys, and the bytes of its page.
func (t *Transaction) open(r fdb.Range) (data *tree, bounds span, budget int, err error) {
	if data, err = t.view(r.Snapshot); err != nil {
		return nil, span{}, 0, err
	}
	if budget, err = r.Budget(); err != nil {
		return nil, span{}, 0, err
	}
	end := t.readEnd()
	if bytes.Compare(r.Begin.Key, end) > 0 || bytes.Compare(r.End.Key, end) > 0 {
		return nil, span{}, 0, fdb.Error{Code: fdb.KeyOutsideLegalRange}
	}
	return data, span{bound(data, r.Begin, string(end)), bound(data, r.End, string(end))}, budget, nil
}

// bound resolves a selector of a range; the first key that is not before another bounds a range as the other does.
func bound(data *tree, s fdb.Selector, end string) string {
	if s.Offset == 1 {
		if s.OrEqual {
			return min(string(s.Key)+"\x00", end)
		}
		return string(s.Key)
	}
	return resolve(data, s, end)
}

// collector gathers pairs. All keys stand in one array, so that a page does not allocate each.
type collector struct {
	pairs []fdb.KeyValue
	keys  []byte
}

// rows collects the pairs of a range until limit or budget is reached, where they bound it.
func (c *collector) rows(data *tree, bounds span, limit, budget int, reverse bool) (pairs []fdb.KeyValue, more bool) {
	if bounds.begin >= bounds.end {
		return nil, false
	}
	from, size := len(c.pairs), 0
	take := func(key string, value []byte) bool {
		c.keys = append(c.keys, key...)
		c.pairs = append(c.pairs, fdb.KeyValue{Key: c.keys[len(c.keys)-len(key) : len(c.keys) : len(c.keys)], Value: value})
		size += fdb.RowBytes + len(key) + len(value)
		more = limit > 0 && len(c.pairs)-from == limit || budget > 0 && size >= budget
		return !more
	}
	if reverse {
		data.Descend(bounds.end, func(key string, value []byte) bool {
			if key >= bounds.end {
				return true
			}
			return key >= bounds.begin && take(key, value)
		})
	} else {
		data.Ascend(bounds.begin, func(key string, value []byte) bool {
			return key < bounds.end && take(key, value)
		})
	}
	return c.pairs[from:len(c.pairs):len(c.pairs)], more
}

// extent is the keys that a page depends on: those between its bounds, as far as the page goes, and those that its
// selectors passed by.
func extent(r fdb.Range, bounds span, pairs []fdb.KeyValue, more bool, end string) []span {
	var passed []span
	if r.Begin.Offset != 1 && !(more && r.Reverse) {
		passed = append(passed, selected(r.Begin, bounds.begin, end))
	}
	if r.End.Offset != 1 && !(more && !r.Reverse) {
		passed = append(passed, selected(r.End, bounds.end, end))
	}
	switch {
	case more && r.Reverse:
		bounds.begin = string(pairs[len(pairs)-1].Key)
	case more:
		bounds.end = string(pairs[len(pairs)-1].Key) + "\x00"
	}
	return append(passed, bounds)
}

// countPage counts the replies of a server that a page takes: an unbounded one is read reply by reply.
func (t *Transaction) countPage(pairs []fdb.KeyValue, budget int) {
	replies, size, all := int64(1), 0, 0
	for _, p := range pairs {
		if budget == 0 && size >= fdb.ReplyBytes {
			replies, size = replies+1, 0
		}
		size += fdb.RowBytes + len(p.Key) + len(p.Value)
		all += len(p.Key) + len(p.Value)
	}
	c := &t.store.count
	c.ranges.Add(replies)
	c.rows.Add(int64(len(pairs)))
	c.bytesRead.Add(int64(all))
}
