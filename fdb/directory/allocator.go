package directory

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Allocator gives small integers, each once, to many callers at the same time: FoundationDB's high-contention allocator.
// It draws from a window that moves on when nearly half of it is taken. A window of 64 gives 31 integers: the draw is
// counted before the window is looked at.
type Allocator struct {
	Prefix []byte              // of its keys
	Random func(n int64) int64 // uniform in [0, n); of math/rand where nil
}

// window is how many integers are drawn from at once: the shorter ones encode shorter.
func window(start int64) int64 {
	switch {
	case start < 255:
		return 64
	case start < 65535:
		return 1024
	}
	return 8192
}

func (a *Allocator) key(elements ...any) []byte {
	return append(bytes.Clone(a.Prefix), tuple.Tuple(elements).Pack()...)
}

func (a *Allocator) counter(start int64) []byte { return a.key(0, start) }
func (a *Allocator) recent(number int64) []byte { return a.key(1, number) }

// Allocate draws an integer. One transaction allocates one at a time.
func (a *Allocator) Allocate(ctx context.Context, tr fdb.Transaction) (int64, error) {
	random := a.Random
	if random == nil {
		random = rand.Int64N
	}
	for {
		start, err := a.current(ctx, tr)
		if err != nil {
			return 0, err
		}
		if start, err = a.advance(ctx, tr, start); err != nil {
			return 0, err
		}
		for {
			number := start + random(window(start))
			current, err := a.current(ctx, tr)
			if err != nil {
				return 0, err
			}
			taken, err := a.take(ctx, tr, number)
			if err != nil {
				return 0, err
			}
			if current > start { // others have moved the window on
				break
			}
			if !taken {
				key := a.recent(number)
				return number, tr.AddWriteConflict(key, append(bytes.Clone(key), 0))
			}
		}
	}
}

// current is where the window starts: the last counter.
func (a *Allocator) current(ctx context.Context, tr fdb.Transaction) (int64, error) {
	r := fdb.Keys(bounds(a.key(0)))
	r.Limit, r.Mode, r.Reverse, r.Snapshot = 1, fdb.StreamingExact, true, true
	page, err := tr.GetRange(r).Wait(ctx)
	if err != nil || len(page.Pairs) == 0 {
		return 0, err
	}
	key, err := tuple.Unpack(page.Pairs[0].Key[len(a.Prefix):])
	if err != nil {
		return 0, fmt.Errorf("directory: the allocator's counter: %w", err)
	}
	if len(key) == 2 {
		if start, ok := key[1].(int64); ok {
			return start, nil
		}
	}
	return 0, fmt.Errorf("directory: the allocator's counter %v: want (0, start of a window)", key)
}

// advance counts a draw in a window that has room, the first from start on, and gives where it starts.
func (a *Allocator) advance(ctx context.Context, tr fdb.Transaction, start int64) (int64, error) {
	for moved := false; ; moved = true {
		if moved {
			begin, _ := bounds(a.key(0))
			tr.ClearRange(begin, a.counter(start))
			if err := tr.SetOption(fdb.NextWriteNoWriteConflictRange); err != nil {
				return 0, err
			}
			begin, _ = bounds(a.key(1))
			tr.ClearRange(begin, a.recent(start))
		}
		tr.Add(a.counter(start), binary.LittleEndian.AppendUint64(nil, 1))
		v, err := tr.Get(a.counter(start), true).Wait(ctx)
		if err != nil {
			return 0, err
		}
		if len(v.Bytes) != 8 {
			return 0, fmt.Errorf("directory: the allocator's counter at %d has %d bytes; want 8", start, len(v.Bytes))
		}
		if count := int64(binary.LittleEndian.Uint64(v.Bytes)); count*2 < window(start) {
			return start, nil
		}
		start += window(start)
	}
}

// take marks a number, and says whether it was marked before.
func (a *Allocator) take(ctx context.Context, tr fdb.Transaction, number int64) (taken bool, err error) {
	v, err := tr.Get(a.recent(number), false).Wait(ctx)
	if err != nil {
		return false, err
	}
	if err := tr.SetOption(fdb.NextWriteNoWriteConflictRange); err != nil {
		return false, err
	}
	tr.Set(a.recent(number), nil)
	return v.Present, nil
}

// Seed makes a fresh allocator start with the window at start, so that all its numbers have the same length: from 64 on,
// 93 encode in two bytes.
func (a *Allocator) Seed(tr fdb.Transaction, start int64) {
	tr.Set(a.counter(start), make([]byte, 8))
}

// bounds are the keys that start with a packed tuple and have more elements.
func bounds(packed []byte) (begin, end []byte) {
	return append(bytes.Clone(packed), 0x00), append(bytes.Clone(packed), 0xff)
}
