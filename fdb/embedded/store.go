// Package embedded is a store in this process with the semantics of FoundationDB: snapshots, exact conflicts of ranges,
// versions, limits, mapped ranges, shards and a status document. It keeps nothing on disk. What it measures is this program,
// never FoundationDB, and every record says so: its client is "embedded".
package embedded

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/phaselock/phaselock/fdb"
)

// Options are what a store is made with. The zero value is one shard on one server, and the time of this machine.
type Options struct {
	Now    func() time.Time                                 // time.Now where nil: versions and the five seconds follow it
	Sleep  func(ctx context.Context, d time.Duration) error // how OnError waits; a timer where nil
	Splits [][]byte                                         // keys at which a shard starts, beside the first
	Teams  [][]string                                       // storage servers, "ip:port": shard i lies on team i modulo their number
}

type tree = btree.Map[string, []byte]

// Store is the store. Its transactions are optimistic: they read a snapshot, and Commit fails where what they read has
// changed since.
type Store struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
	start time.Time
	count counters

	closed  atomic.Bool
	mu      sync.Mutex // all below
	version int64      // the latest given out, of a read or a commit
	data    *tree      // as of the last commit
	shared  *tree      // a copy of data that readers hold; nil where none has been made since the last commit
	history
	past   past
	shards []shard
	status status
}

// New makes an empty store.
func New(o Options) *Store {
	s := &Store{now: o.Now, sleep: o.Sleep, data: new(tree), shards: layOut(o.Splits, o.Teams), status: status{generation: 1}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.sleep == nil {
		s.sleep = wait
	}
	s.start = s.now()
	s.version = firstVersion
	return s
}

// Client is "embedded".
func (s *Store) Client() string { return "embedded" }

// Begin starts a transaction.
func (s *Store) Begin() fdb.Transaction { return s.Start() }

// Close frees the data. What is called on its transactions later fails.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Store(true)
	s.data, s.shared, s.history, s.past = new(tree), nil, history{}, past{}
	return nil
}

var errClosed = errors.New("the embedded store is closed")

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
