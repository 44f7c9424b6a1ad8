package kvserve

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/wire"
)

// transaction is the client's side of a transaction: its version, what it has written and what it has read. The server keeps nothing of
// it between requests; each read carries the writes that it may see.
type transaction struct {
	client *Client

	mu     sync.Mutex            // all below
	buffer *embedded.Transaction // of nothing: it holds writes and options to the rules, and keeps them
	state
}

// state is what a reset forgets.
type state struct {
	failed    error // the commit, or the cancellation: what comes after gives it
	version   int64 // to read at; 0 is not known yet
	asked     bool  // for the version
	waiting   []func(version int64, err error)
	options   []int
	noOwn     bool
	reads     []wire.KeyRange
	committed int64
	// cut is closed by a cancellation or a reset: what is under way ends with its error.
	cut *cut
}

// cut ends the futures of a transaction.
type cut struct {
	done chan struct{}
	once sync.Once
	err  error
}

func newState() state { return state{committed: -1, cut: &cut{done: make(chan struct{})}} }

func (c *cut) end(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

func newTransaction(c *Client) *transaction {
	return &transaction{client: c, buffer: c.buffers.Start(), state: newState()}
}

var cancelled = fdb.Error{Code: fdb.TransactionCancelled}

// underWay is a read whose transaction may be cancelled.
type underWay[T any] struct {
	*future[T]
	cut *cut
}

// Wait blocks until the result is here, the transaction is cancelled, or the context ends.
func (u underWay[T]) Wait(ctx context.Context) (T, error) {
	select {
	case <-u.done:
		return u.value, u.err
	default:
	}
	var none T
	select {
	case <-u.done:
		return u.value, u.err
	case <-u.cut.done:
		return none, u.cut.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// usable gives why nothing may follow: a commit, a cancellation, or a write that was not legal. It wants the lock.
func (t *transaction) usable() error {
	if t.failed != nil {
		return t.failed
	}
	_, err := t.buffer.ReadVersion(context.Background()) // of the empty buffer: it gives the failure of a write, and knows from now on that something was read
	return err
}

// at calls f with the version of the reads, now or when it has come. It wants the lock, and f is called without it.
func (t *transaction) at(f func(version int64, err error)) {
	switch {
	case t.version != 0:
		version := t.version
		t.mu.Unlock()
		f(version, nil)
		t.mu.Lock()
		return
	case t.asked:
		t.waiting = append(t.waiting, f)
		return
	}
	t.asked = true
	t.waiting = append(t.waiting, f)
	own := t.cut
	m := &wire.ReadVersion{Options: t.options}
	t.mu.Unlock()
	t.client.call(m, func(reply wire.Message, err error) {
		t.mu.Lock()
		if t.cut != own { // it was reset
			t.mu.Unlock()
			return
		}
		if r, ok := reply.(*wire.ReadVersionReply); ok && err == nil {
			t.version = r.Version
		} else if err == nil {
			err = errors.New("kvserve gave no version")
		}
		t.asked = err == nil
		version, waiting := t.version, t.waiting
		t.waiting = nil
		t.mu.Unlock()
		for _, f := range waiting {
			f(version, err)
		}
	})
	t.mu.Lock()
}

// ReadVersion is the version that the reads see.
func (t *transaction) ReadVersion(ctx context.Context) (int64, error) {
	t.mu.Lock()
	if err := t.usable(); err != nil {
		t.mu.Unlock()
		return 0, err
	}
	f := underWay[int64]{newFuture[int64](), t.cut}
	t.at(f.resolve)
	t.mu.Unlock()
	return f.Wait(ctx)
}

// SetReadVersion makes the transaction read at a version.
func (t *transaction) SetReadVersion(version int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.failed != nil:
	case version <= 0:
		t.failed = fdb.Error{Code: fdb.VersionInvalid}
	case t.version != 0 || t.asked:
		t.failed = fdb.Error{Code: fdb.ReadVersionAlreadySet}
	default:
		t.version = version
	}
}

// SetOption sets an option until the next reset.
func (t *transaction) SetOption(o fdb.Option) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.buffer.SetOption(o); err != nil {
		return err
	}
	if o.Code != fdb.NextWriteNoWriteConflictRange.Code { // which is the write's
		t.options = append(slices.Clone(t.options), o.Code)
	}
	t.noOwn = t.noOwn || o.Code == fdb.ReadYourWritesDisable.Code
	return nil
}

// reading starts a read: send is called with what all reads carry, when the version has come. It wants the lock.
func reading[R wire.Message, T any](t *transaction, snapshot bool, request func(wire.Read) wire.Message, result func(R) (T, []wire.KeyRange)) fdb.Future[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.usable(); err != nil {
		var none T
		return fdb.Ready(none, err)
	}
	f := underWay[T]{newFuture[T](), t.cut}
	read := wire.Read{Options: t.options, Snapshot: snapshot}
	if !t.noOwn {
		read.Log, _ = t.writes()
	}
	own := t.cut
	t.at(func(version int64, err error) {
		var none T
		if err != nil {
			f.resolve(none, err)
			return
		}
		read.Version = version
		t.client.call(request(read), func(reply wire.Message, err error) {
			r, ok := reply.(R)
			if err != nil || !ok {
				if err == nil {
					err = errors.New("kvserve answered something else")
				}
				f.resolve(none, err)
				return
			}
			v, conflicts := result(r)
			t.mu.Lock()
			if t.cut == own {
				t.reads = append(t.reads, conflicts...)
			}
			t.mu.Unlock()
			f.resolve(v, nil)
		})
	})
	return f
}

// writes are the buffer's, as they are sent. It wants the lock.
func (t *transaction) writes() (log []wire.Mutation, conflicts []wire.KeyRange) {
	ops := map[embedded.Op]wire.Op{embedded.OpSet: wire.Set, embedded.OpClear: wire.Clear, embedded.OpClearRange: wire.ClearRange, embedded.OpAdd: wire.Add}
	mutations, ranges := t.buffer.Writes()
	for _, m := range mutations {
		log = append(log, wire.Mutation{Op: ops[m.Op], Key: m.Key, Param: m.Param, NoConflict: m.NoConflict})
	}
	for _, r := range ranges {
		conflicts = append(conflicts, wire.KeyRange(r))
	}
	return log, conflicts
}

// Get reads a key.
func (t *transaction) Get(key []byte, snapshot bool) fdb.Future[fdb.Value] {
	return reading(t, snapshot,
		func(r wire.Read) wire.Message { return &wire.Get{Read: r, Key: key} },
		func(r *wire.GetReply) (fdb.Value, []wire.KeyRange) { return r.Value, r.Conflicts })
}

// GetKey resolves a selector.
func (t *transaction) GetKey(s fdb.Selector, snapshot bool) fdb.Future[[]byte] {
	return reading(t, snapshot,
		func(r wire.Read) wire.Message { return &wire.GetKey{Read: r, Selector: s} },
		func(r *wire.GetKeyReply) ([]byte, []wire.KeyRange) { return r.Key, r.Conflicts })
}

// GetRange reads one page of a range.
func (t *transaction) GetRange(r fdb.Range) fdb.Future[fdb.Page] {
	return reading(t, r.Snapshot,
		func(read wire.Read) wire.Message { return &wire.GetRange{Read: read, Range: r} },
		func(r *wire.GetRangeReply) (fdb.Page, []wire.KeyRange) { return r.Page, r.Conflicts })
}

// GetMappedRange reads one page of a mapped range, which the server resolves.
func (t *transaction) GetMappedRange(r fdb.Range, mapper []byte) fdb.Future[fdb.MappedPage] {
	return reading(t, r.Snapshot,
		func(read wire.Read) wire.Message {
			if t.noOwn { // the server refuses it by the option
				read.Log = nil
			}
			return &wire.GetMapped{Read: read, Range: r, Mapper: mapper}
		},
		func(r *wire.GetMappedReply) (fdb.MappedPage, []wire.KeyRange) { return r.Page, r.Conflicts })
}

// buffered changes the buffer, unless the transaction is over.
func (t *transaction) buffered(f func(*embedded.Transaction)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		f(t.buffer)
	}
}

// Set sets a key.
func (t *transaction) Set(key, value []byte) {
	t.buffered(func(b *embedded.Transaction) { b.Set(key, value) })
}

// Clear removes a key.
func (t *transaction) Clear(key []byte) { t.buffered(func(b *embedded.Transaction) { b.Clear(key) }) }

// ClearRange removes the keys from begin to before end.
func (t *transaction) ClearRange(begin, end []byte) {
	t.buffered(func(b *embedded.Transaction) { b.ClearRange(begin, end) })
}

// Add adds a little-endian integer to what a key holds.
func (t *transaction) Add(key, param []byte) {
	t.buffered(func(b *embedded.Transaction) { b.Add(key, param) })
}

// AddReadConflict makes the transaction conflict as if it had read the keys from begin to before end.
func (t *transaction) AddReadConflict(begin, end []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	return t.buffer.AddReadConflict(begin, end)
}

// AddWriteConflict makes others conflict as if the transaction had written the keys from begin to before end.
func (t *transaction) AddWriteConflict(begin, end []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	return t.buffer.AddWriteConflict(begin, end)
}

// Commit makes the writes visible, unless what was read has changed. A connection that is lost meanwhile leaves it unknown whether they
// are.
func (t *transaction) Commit(ctx context.Context) error {
	t.mu.Lock()
	if err := t.usable(); err != nil {
		t.mu.Unlock()
		return err
	}
	m := &wire.Commit{Version: t.version, Options: t.options}
	m.Log, m.WriteConflicts = t.writes()
	m.ReadConflicts = t.reads
	for _, r := range t.buffer.ReadConflicts() {
		m.ReadConflicts = append(m.ReadConflicts, wire.KeyRange(r))
	}
	own := t.cut
	t.failed = fdb.Error{Code: fdb.UsedDuringCommit}
	if len(m.Log) == 0 && len(m.WriteConflicts) == 0 {
		t.mu.Unlock()
		return nil
	}
	f := underWay[int64]{newFuture[int64](), own}
	send := func() {
		t.client.call(m, func(reply wire.Message, err error) {
			var e fdb.Error
			r, ok := reply.(*wire.CommitReply)
			switch {
			case err == nil && ok:
				f.resolve(r.Version, nil)
			case errors.As(err, &e):
				f.resolve(0, err)
			default:
				f.resolve(0, errors.Join(fdb.Error{Code: fdb.CommitUnknownResult}, err))
			}
		})
	}
	if len(m.ReadConflicts) > 0 && m.Version == 0 {
		t.at(func(version int64, err error) {
			if err != nil {
				f.resolve(0, err)
				return
			}
			m.Version = version
			send()
		})
		t.mu.Unlock()
	} else {
		t.mu.Unlock()
		send()
	}
	version, err := f.Wait(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut == own {
		t.committed = version
	}
	return nil
}

// CommittedVersion is that of the commit, -1 where nothing was written.
func (t *transaction) CommittedVersion() (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.committed, nil
}

// OnError waits, longer each time, and resets a transaction that may be tried again.
func (t *transaction) OnError(ctx context.Context, err error) error {
	t.mu.Lock()
	if t.failed == cancelled {
		defer t.mu.Unlock()
		return cancelled
	}
	t.mu.Unlock()
	if err := t.buffer.OnError(ctx, err); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
	return nil
}

// Reset makes the transaction as new.
func (t *transaction) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buffer.Reset()
	t.forget()
}

// forget ends what is under way and begins anew. It wants the lock.
func (t *transaction) forget() {
	t.cut.end(cancelled)
	t.state = newState()
}

// Cancel fails what is under way and what comes after, until a reset.
func (t *transaction) Cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = cancelled
	t.cut.end(cancelled)
}

// Addresses are the storage servers that hold a key.
func (t *transaction) Addresses(ctx context.Context, key []byte) ([]string, error) {
	t.mu.Lock()
	err := t.usable()
	options := t.options
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	r, err := ask[*wire.AddressesReply](ctx, t.client, &wire.Addresses{Options: options, Key: key})
	if err != nil {
		return nil, err
	}
	return r.Addresses, nil
}
