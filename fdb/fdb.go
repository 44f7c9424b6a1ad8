// Package fdb is one small key-value interface with the semantics of FoundationDB: what a benchmark of its clients and
// layers, and a step of a phase, need. Three implementations stand behind it (the embedded engine, in process or served by
// kvserve; Apple's binding on a cluster; the same binding over a double of its C library), and one conformance suite holds
// all of them to the same behaviour.
package fdb

import "context"

// Database is an open connection to a store. It is safe for concurrent use.
type Database interface {
	// Client names what serves the calls, as every record of a run carries it: "embedded", "kvserve-grpc", "kvserve-frame",
	// "double", "fdb-7.3.63".
	Client() string
	// Begin starts a transaction. It does no input or output: the read version is taken by the first call that needs one.
	Begin() Transaction
	// Status is the status document, JSON, as \xff\xff/status/json gives it. Any field of it can be missing.
	Status(ctx context.Context) ([]byte, error)
	// Boundaries gives the keys b with begin <= b < end at which a shard starts, in order, at no particular version. The
	// shard that holds begin is listed only where it starts there.
	Boundaries(ctx context.Context, begin, end []byte) ([][]byte, error)
	// Close ends the connection; transactions that are open fail. A cluster's client cannot be ended before the process.
	Close() error
}

// Transaction is one optimistic transaction: a snapshot to read, and writes that nobody sees before the commit. Reads see
// the transaction's own writes. Calls on one transaction may come from several goroutines.
//
// The reads return at once and give their results through a Future, so that many can be under way together.
type Transaction interface {
	// ReadVersion is the version that all reads of the transaction see.
	ReadVersion(ctx context.Context) (int64, error)
	// SetReadVersion makes the transaction read at a version. One that is older than five seconds fails the reads with
	// TransactionTooOld. It must be called before the first read.
	SetReadVersion(version int64)
	// Set... of options. An option that a client cannot honour is an error, never ignored.
	SetOption(o Option) error

	// Get reads one key. A key that is not there has a Value that is not Present.
	Get(key []byte, snapshot bool) Future[Value]
	// GetKey resolves a selector. Before the first user key it is empty, after the last it is \xff.
	GetKey(s Selector, snapshot bool) Future[[]byte]
	// GetRange reads one page of a range, at most; All and Pages read the rest.
	GetRange(r Range) Future[Page]
	// GetMappedRange reads one page of an index range, and for each of its rows the range of pairs that the mapper makes
	// of its key and value. It wants reads of own writes enabled, and no snapshot read: r.Snapshot is
	// UnsupportedOperation, as a server has it.
	GetMappedRange(r Range, mapper []byte) Future[MappedPage]

	// Set and the other writes give no error: one that is not legal (KeyTooLarge, ValueTooLarge, KeyOutsideLegalRange,
	// InvertedRange) fails all that comes after it, until a reset.
	Set(key, value []byte)
	Clear(key []byte)
	ClearRange(begin, end []byte)
	// Add adds a little-endian integer to a value, both cut or zero-extended to len(param) bytes; a missing value is 0.
	Add(key, param []byte)
	// AddReadConflict and AddWriteConflict make the transaction conflict as if it had read or written [begin, end).
	AddReadConflict(begin, end []byte) error
	AddWriteConflict(begin, end []byte) error

	// Commit makes the writes visible, all or none. NotCommitted means that a range which was read has changed since the
	// read version. CommitUnknownResult means that either may be true.
	Commit(ctx context.Context) error
	// CommittedVersion is that of the commit, after it; -1 for a transaction that wrote nothing.
	CommittedVersion() (int64, error)
	// OnError waits as the error wants and resets the transaction, so that the caller tries again, where it can be retried;
	// else it returns the error.
	OnError(ctx context.Context, err error) error
	// Reset makes the transaction as new.
	Reset()
	// Cancel ends the transaction: what is under way and what comes after fails with TransactionCancelled.
	Cancel()

	// Addresses are the storage servers, "ip:port", that hold a key. While a shard moves they are the source's.
	Addresses(ctx context.Context, key []byte) ([]string, error)
}

// Future is a result that may not be here yet.
type Future[T any] interface {
	// Wait blocks until the result is here, or the context ends. It may be called again, by several goroutines, and gives
	// the same. What it gives must not be changed.
	Wait(ctx context.Context) (T, error)
}

// Value is what a key holds.
type Value struct {
	Bytes   []byte
	Present bool
}

// KeyValue is a pair of a range.
type KeyValue struct{ Key, Value []byte }

// KeyRange is the keys from Begin to before End.
type KeyRange struct{ Begin, End []byte }

// Selector names a key by its place in the order: the Offset-th key after the last one that is before Key (or equal to it,
// where OrEqual).
type Selector struct {
	Key     []byte
	OrEqual bool
	Offset  int
}

// Range is what one call reads: the keys from Begin to before End, from its end where Reverse.
type Range struct {
	Begin, End Selector
	Limit      int // rows; 0 is no limit. With a mapper it counts rows of the index
	Reverse    bool
	Mode       StreamingMode
	Iteration  int  // of StreamingIterator: 1 for the first page, 2 for the second; the pages grow
	Snapshot   bool // adds no read conflict
}

// StreamingMode says how much one page holds. Its numbers are those of the C interface.
type StreamingMode int

// The streaming modes.
const (
	StreamingWantAll  StreamingMode = -2 // as much as one reply holds
	StreamingIterator StreamingMode = -1 // 4,096 bytes at first, more with each iteration
	StreamingExact    StreamingMode = 0  // exactly Limit rows, in one page
	StreamingSmall    StreamingMode = 1
	StreamingMedium   StreamingMode = 2
	StreamingLarge    StreamingMode = 3
	StreamingSerial   StreamingMode = 4
)

// Page is a part of a range. More says that rows may follow; it is true too where the limit was reached and nothing follows.
type Page struct {
	Pairs []KeyValue
	More  bool
}

// MappedPage is a part of a mapped range.
type MappedPage struct {
	Rows []MappedRow
	More bool
}

// MappedRow is a row of an index and what its mapper found. An index row without a record has no pairs.
type MappedRow struct {
	Key, Value []byte // of the index. Within a page only the last row is sure to carry them where the mapper is a point get
	Begin, End []byte // the range that the mapper made
	Pairs      []KeyValue
}

// Option is an option of a transaction. Its numbers are those of the C interface.
type Option struct {
	Code  int
	Param []byte
}

// The options that every client honours.
var (
	ReadYourWritesDisable         = Option{Code: 51}
	AccessSystemKeys              = Option{Code: 301}
	ReadSystemKeys                = Option{Code: 302}
	NextWriteNoWriteConflictRange = Option{Code: 30}
	SnapshotReadYourWritesDisable = Option{Code: 601}
	PriorityBatch                 = Option{Code: 201}
)
