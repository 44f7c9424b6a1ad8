//go:build fdb

package apple

import (
	"context"
	"errors"

	binding "github.com/apple/foundationdb/bindings/go/src/fdb"

	"github.com/phaselock/phaselock/fdb"
)

// transaction is one of the binding's.
type transaction struct {
	tr     binding.Transaction
	broken error // why it could not be made
}

// pending is a result of the binding.
type pending[T any] struct {
	future binding.Future
	get    func() (T, error)
}

// Wait blocks until the result is here, or the context ends, which ends the operation.
func (p pending[T]) Wait(ctx context.Context) (T, error) {
	if p.future.IsReady() {
		v, err := p.get()
		return v, ours(err)
	}
	ready := make(chan struct{})
	go func() {
		p.future.BlockUntilReady()
		close(ready)
	}()
	select {
	case <-ready:
		v, err := p.get()
		return v, ours(err)
	case <-ctx.Done():
		p.future.Cancel()
		<-ready
		var none T
		return none, ctx.Err()
	}
}

func failed[T any](err error) fdb.Future[T] {
	var none T
	return fdb.Ready(none, err)
}

// ReadVersion is the version that the reads see.
func (t *transaction) ReadVersion(ctx context.Context) (int64, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	f := t.tr.GetReadVersion()
	return pending[int64]{f, f.Get}.Wait(ctx)
}

// SetReadVersion makes the transaction read at a version.
func (t *transaction) SetReadVersion(version int64) {
	if t.broken == nil {
		t.tr.SetReadVersion(version)
	}
}

// SetOption sets an option by its number.
func (t *transaction) SetOption(o fdb.Option) error {
	if t.broken != nil {
		return t.broken
	}
	return setOption(t.tr, o)
}

// Get reads a key.
func (t *transaction) Get(key []byte, snapshot bool) fdb.Future[fdb.Value] {
	if t.broken != nil {
		return failed[fdb.Value](t.broken)
	}
	var f binding.FutureByteSlice
	if snapshot {
		f = t.tr.Snapshot().Get(binding.Key(key))
	} else {
		f = t.tr.Get(binding.Key(key))
	}
	return pending[fdb.Value]{f, func() (fdb.Value, error) {
		v, err := f.Get()
		return fdb.Value{Bytes: v, Present: v != nil}, err
	}}
}

// GetKey resolves a selector.
func (t *transaction) GetKey(s fdb.Selector, snapshot bool) fdb.Future[[]byte] {
	if t.broken != nil {
		return failed[[]byte](t.broken)
	}
	selector := binding.KeySelector{Key: binding.Key(s.Key), OrEqual: s.OrEqual, Offset: s.Offset}
	var f binding.FutureKey
	if snapshot {
		f = t.tr.Snapshot().GetKey(selector)
	} else {
		f = t.tr.GetKey(selector)
	}
	return pending[[]byte]{f, func() ([]byte, error) {
		k, err := f.Get()
		return k, err
	}}
}

// GetRange reads one page of a range.
func (t *transaction) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	if t.broken != nil {
		return failed[fdb.Page](t.broken)
	}
	return getRange(t.tr, r)
}

// GetMappedRange reads one page of a mapped range.
func (t *transaction) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	if t.broken != nil {
		return failed[fdb.MappedPage](t.broken)
	}
	return getMappedRange(t.tr, r, mapper)
}

// Set sets a key.
func (t *transaction) Set(key, value []byte) {
	if t.broken == nil {
		t.tr.Set(binding.Key(key), value)
	}
}

// Clear removes a key.
func (t *transaction) Clear(key []byte) {
	if t.broken == nil {
		t.tr.Clear(binding.Key(key))
	}
}

// ClearRange removes the keys from begin to before end.
func (t *transaction) ClearRange(begin, end []byte) {
	if t.broken == nil {
		t.tr.ClearRange(binding.KeyRange{Begin: binding.Key(begin), End: binding.Key(end)})
	}
}

// Add adds a little-endian integer to what a key holds.
func (t *transaction) Add(key, param []byte) {
	if t.broken == nil {
		t.tr.Add(binding.Key(key), param)
	}
}

// AddReadConflict makes the transaction conflict as if it had read the keys from begin to before end.
func (t *transaction) AddReadConflict(begin, end []byte) error {
	if t.broken != nil {
		return t.broken
	}
	return ours(t.tr.AddReadConflictRange(binding.KeyRange{Begin: binding.Key(begin), End: binding.Key(end)}))
}

// AddWriteConflict makes others conflict as if the transaction had written the keys from begin to before end.
func (t *transaction) AddWriteConflict(begin, end []byte) error {
	if t.broken != nil {
		return t.broken
	}
	return ours(t.tr.AddWriteConflictRange(binding.KeyRange{Begin: binding.Key(begin), End: binding.Key(end)}))
}

// Commit makes the writes visible, unless what was read has changed.
func (t *transaction) Commit(ctx context.Context) error {
	if t.broken != nil {
		return t.broken
	}
	f := t.tr.Commit()
	_, err := pending[struct{}]{f, func() (struct{}, error) { return struct{}{}, f.Get() }}.Wait(ctx)
	return err
}

// CommittedVersion is that of the commit, -1 where nothing was written.
func (t *transaction) CommittedVersion() (int64, error) {
	if t.broken != nil {
		return 0, t.broken
	}
	v, err := t.tr.GetCommittedVersion()
	return v, ours(err)
}

// OnError waits as the client library wants, and resets a transaction that may be tried again.
func (t *transaction) OnError(ctx context.Context, err error) error {
	var e fdb.Error
	if t.broken != nil || !errors.As(err, &e) {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f := t.tr.OnError(binding.Error{Code: e.Code})
	_, err = pending[struct{}]{f, func() (struct{}, error) { return struct{}{}, f.Get() }}.Wait(ctx)
	return err
}

// Reset makes the transaction as new.
func (t *transaction) Reset() {
	if t.broken == nil {
		t.tr.Reset()
	}
}

// Cancel fails what is under way and what comes after, until a reset.
func (t *transaction) Cancel() {
	if t.broken == nil {
		t.tr.Cancel()
	}
}

// Addresses are the storage servers that hold a key.
func (t *transaction) Addresses(ctx context.Context, key []byte) ([]string, error) {
	if t.broken != nil {
		return nil, t.broken
	}
	f := t.tr.LocalityGetAddressesForKey(binding.Key(key))
	return pending[[]string]{f, f.Get}.Wait(ctx)
}
