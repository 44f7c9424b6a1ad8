package embedded

import (
	"bytes"
	"context"

	"github.com/phaselock/phaselock/fdb"
)

// view is the data that a read sees. It wants the lock.
func (t *Transaction) view(snapshot bool) (*tree, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	if t.store.closed.Load() {
		return nil, errClosed
	}
	if err := t.take(); err != nil {
		return nil, err
	}
	if t.store.expired(t.version) {
		return nil, fdb.Error{Code: fdb.TransactionTooOld}
	}
	if len(t.mutations) == 0 || t.noOwn || snapshot && t.noOwnSnapshot {
		return t.base, nil
	}
	if t.own == nil {
		t.own = t.store.private(t.base)
	}
	for ; t.applied < len(t.mutations); t.applied++ {
		t.mutations[t.applied].apply(t.own, func(was) {})
	}
	return t.own, nil
}

// Get reads a key.
func (t *Transaction) Get(key []byte, snapshot bool) fdb.Future[fdb.Value] {
	t.mu.Lock()
	defer t.mu.Unlock()
	data, err := t.view(snapshot)
	if err == nil && bytes.Equal(key, statusKey) {
		doc, err := t.store.Status(context.Background())
		return fdb.Ready(fdb.Value{Bytes: doc, Present: err == nil}, err)
	}
	if err == nil && bytes.Compare(key, t.readEnd()) >= 0 {
		err = fdb.Error{Code: fdb.KeyOutsideLegalRange}
	}
	if err != nil {
		return fdb.Ready(fdb.Value{}, err)
	}
	at := point(string(key))
	value, present := data.Get(at.begin)
	if !snapshot {
		t.hasRead(at)
	}
	t.store.count.gets.Add(1)
	t.store.count.bytesRead.Add(int64(len(value)))
	return fdb.Ready(fdb.Value{Bytes: value, Present: present}, nil)
}

// GetKey resolves a selector.
func (t *Transaction) GetKey(s fdb.Selector, snapshot bool) fdb.Future[[]byte] {
	t.mu.Lock()
	defer t.mu.Unlock()
	data, err := t.view(snapshot)
	if err == nil && bytes.Compare(s.Key, t.readEnd()) > 0 {
		err = fdb.Error{Code: fdb.KeyOutsideLegalRange}
	}
	if err != nil {
		return fdb.Ready[[]byte](nil, err)
	}
	key := resolve(data, s, string(t.readEnd()))
	if !snapshot {
		t.hasRead(selected(s, key, string(t.readEnd())))
	}
	t.store.count.gets.Add(1)
	t.store.count.bytesRead.Add(int64(len(key)))
	return fdb.Ready([]byte(key), nil)
}

// resolve gives the key that a selector names among those before end: "" where it is before the first, end after the last.
func resolve(data *tree, s fdb.Selector, end string) string {
	pivot, found := string(s.Key), ""
	left := s.Offset
	if left > 0 {
		found = end
		data.Ascend(pivot, func(key string, _ []byte) bool {
			if key >= end {
				return false
			}
			if s.OrEqual && key == pivot {
				return true
			}
			if left--; left == 0 {
				found = key
			}
			return left > 0
		})
		return found
	}
	data.Descend(pivot, func(key string, _ []byte) bool {
		if key >= end || !s.OrEqual && key == pivot {
			return true
		}
		if left == 0 {
			found = key
			return false
		}
		left++
		return true
	})
	return found
}

// selected is what a selector's resolution depends on: the keys between its own and the one that it names.
func selected(s fdb.Selector, key, end string) span {
	from := string(s.Key)
	if s.OrEqual {
		from += "\x00"
	}
	if s.Offset <= 0 {
		return span{key, from}
	}
	return span{from, min(key+"\x00", end)}
}
