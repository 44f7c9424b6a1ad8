package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// kinds are what a transaction does. Their names in mako, FoundationDB's own load program, stand beside them.
var kinds = []struct {
	name   string
	gets   int // of single keys, all under way together
	rows   int // of one range
	sets   int
	length int // of a value that is set
}{
	{name: "grv"},                                     // grv: a read version and nothing else
	{name: "get100", gets: 100},                       // g100
	{name: "get1000", gets: 1000},                     // g1000
	{name: "range100", rows: 100},                     // gr1:100
	{name: "set100", sets: 100, length: 100},          // o100
	{name: "batchset50", sets: 50, length: 100},       // o50
	{name: "batchset50x1000", sets: 50, length: 1000}, // o50, values of 1,000 bytes
}

func names() string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.name
	}
	return strings.Join(list, ", ")
}

// work is one workload on a store.
type work struct {
	kind   int
	keys   int
	prefix []byte
}

// length is how long the values are that the store is filled with.
const length = 100

func newWork(s *settings) (*work, error) {
	for i, k := range kinds {
		if k.name != s.workload {
			continue
		}
		prefix, err := tuple.Append(nil, tuple.Tuple{42, 43, 45}) // fixed, and beside that of the record store
		return &work{kind: i, keys: s.keys, prefix: prefix}, err
	}
	return nil, fmt.Errorf("-workload %q: want one of %s", s.workload, names())
}

// key is the i-th key: keys have one length, and follow one another in the order of i.
func (w *work) key(i int) []byte {
	return binary.BigEndian.AppendUint64(slices.Clone(w.prefix), uint64(i))
}

// value is what the store is filled with at the i-th key, by which a read is held to it. What is set later begins like it.
func value(i, n int) []byte {
	v := make([]byte, n)
	for j := 0; j < n; j += 8 {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(i)*0x9e3779b97f4a7c15)
		copy(v[j:], b[:])
	}
	return v
}

// fill writes every key.
func (w *work) fill(ctx context.Context, db fdb.Database) error {
	const batch = 1000
	for at := 0; at < w.keys; at += batch {
		err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
			for i := at; i < min(at+batch, w.keys); i++ {
				tr.Set(w.key(i), value(i, length))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// transact is one transaction, with its retries.
func (w *work) transact(ctx context.Context, db fdb.Database, k *worker) error {
	kind := &kinds[w.kind]
	tr := db.Begin()
	defer tr.Cancel()
	for {
		k.attempts++
		err := w.attempt(ctx, tr, k)
		if err == nil && kind.sets > 0 {
			err = tr.Commit(ctx)
		}
		if err == nil {
			return nil
		}
		if err := tr.OnError(ctx, err); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
}

func (w *work) attempt(ctx context.Context, tr fdb.Transaction, k *worker) error {
	kind := &kinds[w.kind]
	switch {
	case kind.gets > 0:
		return w.gets(ctx, tr, k, kind.gets)
	case kind.rows > 0:
		return w.rows(ctx, tr, k, kind.rows)
	case kind.sets > 0:
		for range kind.sets {
			i := k.random.IntN(w.keys)
			tr.Set(w.key(i), value(i, kind.length))
		}
		return nil
	}
	_, err := tr.ReadVersion(ctx)
	return err
}

// gets reads keys, all under way together, and holds each to what was written.
func (w *work) gets(ctx context.Context, tr fdb.Transaction, k *worker, n int) error {
	keys := make([]int, n)
	reads := make([]fdb.Future[fdb.Value], n)
	for j := range reads {
		keys[j] = k.random.IntN(w.keys)
		reads[j] = tr.Get(w.key(keys[j]), true)
	}
	for j, read := range reads {
		v, err := read.Wait(ctx)
		if err != nil {
			return err
		}
		if err := hold(keys[j], v.Present, v.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// rows reads one range, in the one page that exact mode gives.
func (w *work) rows(ctx context.Context, tr fdb.Transaction, k *worker, n int) error {
	first := k.random.IntN(w.keys - n)
	r := fdb.Keys(w.key(first), w.key(first+n))
	r.Mode, r.Limit, r.Snapshot = fdb.StreamingExact, n, true
	pairs, _, err := fdb.All(ctx, tr, r)
	if err != nil {
		return err
	}
	if len(pairs) != n {
		return fmt.Errorf("a range of %d keys gave %d", n, len(pairs))
	}
	for j, p := range pairs {
		if err := hold(first+j, true, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// hold holds a value to what was written.
func hold(i int, present bool, got []byte) error {
	if !present || len(got) < 8 || binary.BigEndian.Uint64(got) != uint64(i)*0x9e3779b97f4a7c15 {
		return fmt.Errorf("key %d: it is not what was written", i)
	}
	return nil
}
