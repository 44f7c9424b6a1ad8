package embedded

import (
	"bytes"

	"github.com/phaselock/phaselock/fdb"
)

// The limits of FoundationDB.
const (
	keyBytes         = 10_000
	valueBytes       = 100_000
	transactionBytes = 10_000_000
)

var (
	endOfUserKeys = []byte{0xff}
	endOfAllKeys  = []byte{0xff, 0xff}
)

func (w *work) readEnd() []byte {
	if w.readSystem {
		return endOfAllKeys
	}
	return endOfUserKeys
}

func (w *work) writeEnd() []byte {
	if w.writeSystem {
		return endOfAllKeys
	}
	return endOfUserKeys
}

// Set sets a key.
func (t *Transaction) Set(key, value []byte) { t.write(opSet, key, value) }

// Clear removes a key.
func (t *Transaction) Clear(key []byte) { t.write(opClear, key, nil) }

// Add adds a little-endian integer to what a key holds.
func (t *Transaction) Add(key, param []byte) { t.write(opAdd, key, param) }

// ClearRange removes the keys from begin to before end.
func (t *Transaction) ClearRange(begin, end []byte) { t.write(opClearRange, begin, end) }

func (t *Transaction) write(op operation, key, param []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return
	}
	if t.failed = t.legal(op, key, param); t.failed != nil {
		return
	}
	m := mutation{op: op, key: string(key), param: bytes.Clone(param), noConflict: t.nextUnseen}
	t.nextUnseen = false
	t.mutations = append(t.mutations, m)
	t.size += len(key) + len(param)
	if s := m.span(); !t.noOwn && op != opAdd {
		t.covered.add(s)
	}
}

func (t *Transaction) legal(op operation, key, param []byte) error {
	code := 0
	switch {
	case op == opClearRange && (bytes.Compare(key, t.writeEnd()) > 0 || bytes.Compare(param, t.writeEnd()) > 0):
		code = fdb.KeyOutsideLegalRange
	case op == opClearRange && bytes.Compare(key, param) > 0:
		code = fdb.InvertedRange
	case op == opClearRange:
	case bytes.Compare(key, t.writeEnd()) >= 0:
		code = fdb.KeyOutsideLegalRange
	case op != opClear && len(key) > keyBytes:
		code = fdb.KeyTooLarge
	case len(param) > valueBytes:
		code = fdb.ValueTooLarge
	}
	if code != 0 {
		return fdb.Error{Code: code}
	}
	return nil
}

// AddReadConflict makes the transaction conflict as if it had read the keys from begin to before end.
func (t *Transaction) AddReadConflict(begin, end []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.conflictLegal(begin, end); err != nil {
		return err
	}
	t.hasRead(span{string(begin), string(end)})
	return nil
}

// AddWriteConflict makes others conflict as if the transaction had written the keys from begin to before end.
func (t *Transaction) AddWriteConflict(begin, end []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.conflictLegal(begin, end); err != nil {
		return err
	}
	t.writes = append(t.writes, span{string(begin), string(end)})
	return nil
}

func (t *Transaction) conflictLegal(begin, end []byte) error {
	switch {
	case t.failed != nil:
		return t.failed
	case bytes.Compare(begin, t.readEnd()) > 0 || bytes.Compare(end, t.readEnd()) > 0:
		return fdb.Error{Code: fdb.KeyOutsideLegalRange}
	case bytes.Compare(begin, end) > 0:
		return fdb.Error{Code: fdb.InvertedRange}
	}
	return nil
}

// hasRead notes what was read, but for what the transaction's own writes decide.
func (t *Transaction) hasRead(read ...span) {
	for _, s := range read {
		switch {
		case s.begin >= s.end:
		case len(t.covered) == 0:
			t.reads = append(t.reads, s)
		default:
			t.reads = append(t.reads, t.covered.gaps(s)...)
		}
	}
}

// ReadConflicts gives the ranges that the transaction has read, for a server that keeps them at its client.
func (t *Transaction) ReadConflicts() []fdb.KeyRange {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []fdb.KeyRange
	for _, s := range ordered(t.reads) {
		out = append(out, fdb.KeyRange{Begin: []byte(s.begin), End: []byte(s.end)})
	}
	return out
}
