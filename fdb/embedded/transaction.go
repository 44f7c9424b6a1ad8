package embedded

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/phaselock/phaselock/fdb"
)

// Transaction is a transaction of a store.
type Transaction struct {
	store *Store

	mu      sync.Mutex // all below
	backoff time.Duration
	work
}

// work is what a reset forgets.
type work struct {
	failed    error // a write that was not legal, the commit, or the cancellation: what comes after gives it
	version   int64 // to read at; 0 is not taken yet
	base      *tree // the data at it
	own       *tree // base with the first applied mutations
	applied   int
	mutations []mutation
	covered   spans // keys whose value the transaction's own writes decide: reading them conflicts with nobody
	reads     []span
	writes    []span // beside those of the mutations
	size      int    // bytes of the mutations
	committed int64

	noOwn, noOwnSnapshot, readSystem, writeSystem, nextUnseen bool
}

// Start is Begin, with the type of the store.
func (s *Store) Start() *Transaction {
	return &Transaction{store: s, work: work{committed: -1}}
}

const (
	firstBackoff = 10 * time.Millisecond
	mostBackoff  = time.Second
)

// Reset makes the transaction as new.
func (t *Transaction) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.backoff, t.work = 0, work{committed: -1}
}

// Cancel fails what comes after it, until a reset.
func (t *Transaction) Cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = fdb.Error{Code: fdb.TransactionCancelled}
}

// OnError waits, longer each time, and resets a transaction that may be tried again.
func (t *Transaction) OnError(ctx context.Context, err error) error {
	var e fdb.Error
	if !errors.As(err, &e) || !e.Retryable() {
		return err
	}
	t.mu.Lock()
	if t.failed == (fdb.Error{Code: fdb.TransactionCancelled}) {
		defer t.mu.Unlock()
		return t.failed
	}
	t.backoff = min(max(2*t.backoff, firstBackoff), mostBackoff)
	pause := time.Duration(rand.Float64() * float64(t.backoff)) // so that those who collided do not meet again
	t.mu.Unlock()
	if err := t.store.sleep(ctx, pause); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work = work{committed: -1}
	return nil
}

// SetOption sets an option until the next reset.
func (t *Transaction) SetOption(o fdb.Option) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(o.Param) > 0 {
		return fdb.Error{Code: fdb.InvalidOptionValue}
	}
	switch o.Code {
	case fdb.ReadYourWritesDisable.Code:
		if len(t.mutations) > 0 || t.base != nil {
			return fdb.Error{Code: fdb.ClientInvalidOperation}
		}
		t.noOwn = true
	case fdb.SnapshotReadYourWritesDisable.Code:
		t.noOwnSnapshot = true
	case fdb.ReadSystemKeys.Code:
		t.readSystem = true
	case fdb.AccessSystemKeys.Code:
		t.readSystem, t.writeSystem = true, true
	case fdb.NextWriteNoWriteConflictRange.Code:
		t.nextUnseen = true
	case fdb.PriorityBatch.Code: // nobody waits for a read version here
	default:
		return fdb.Error{Code: fdb.InvalidOption}
	}
	return nil
}

// SetReadVersion makes the transaction read at a version.
func (t *Transaction) SetReadVersion(version int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.failed != nil:
	case version <= 0:
		t.failed = fdb.Error{Code: fdb.VersionInvalid}
	case t.version != 0:
		t.failed = fdb.Error{Code: fdb.ReadVersionAlreadySet}
	default:
		t.version = version
	}
}

// ReadVersion is the version that the reads see.
func (t *Transaction) ReadVersion(context.Context) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return 0, t.failed
	}
	if t.version != 0 {
		return t.version, nil
	}
	err := t.take()
	return t.version, err
}

// take gets the read version, and the data at it.
func (t *Transaction) take() (err error) {
	switch {
	case t.base != nil:
	case t.version != 0:
		t.base, err = t.store.readAt(t.version)
	default:
		t.version, t.base, err = t.store.read()
	}
	return err
}

// Addresses are the servers of a key's shard.
func (t *Transaction) Addresses(_ context.Context, key []byte) ([]string, error) {
	t.mu.Lock()
	failed := t.failed
	t.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	return t.store.addresses(key)
}

// CommittedVersion is that of the commit, -1 where nothing was written.
func (t *Transaction) CommittedVersion() (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.committed, nil
}

// Commit makes the writes visible, unless what was read has changed.
func (t *Transaction) Commit(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return t.failed
	}
	err := t.commit()
	t.failed = fdb.Error{Code: fdb.UsedDuringCommit}
	return err
}

func (t *Transaction) commit() error {
	reads, writes := ordered(t.reads), t.writeSpans()
	if len(t.mutations) == 0 && len(writes) == 0 {
		return nil
	}
	if t.size+bytesOf(reads)+bytesOf(writes) > transactionBytes {
		return fdb.Error{Code: fdb.TransactionTooLarge}
	}
	if len(reads) > 0 && t.version == 0 {
		if err := t.take(); err != nil {
			return err
		}
	}
	version, err := t.store.commit(t.version, reads, t.mutations, writes)
	if err == nil {
		t.committed = version
	}
	return err
}

func (t *Transaction) writeSpans() spans {
	all := make([]span, 0, len(t.mutations)+len(t.writes))
	for i := range t.mutations {
		if !t.mutations[i].noConflict {
			all = append(all, t.mutations[i].span())
		}
	}
	return ordered(append(all, t.writes...))
}

func bytesOf(s spans) int {
	n := 0
	for _, x := range s {
		n += len(x.begin) + len(x.end)
	}
	return n
}
