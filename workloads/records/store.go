// Package records is a record store with an index, over a key-value store: the layer whose two ways to fetch the records of
// an index scan are measured. One loads each record when the index gave its row, the other asks the server for the mapped range.
//
// Keys, below a prefix that is a tuple itself:
//
//	prefix · (1, id, 0)        a record, whole
//	prefix · (1, id, 1), …     a record that is longer than 100,000 bytes, in pieces
//	prefix · (2, a, id)        an entry of the index over field A, with an empty value
//
// as the Record Layer of FoundationDB keeps them (split records, value indexes), without its versions and headers.
package records

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Split is the longest piece of a record: the longest value that FoundationDB takes.
const Split = 100_000

// Subspaces of a store.
const (
	recordSpace = 1
	indexSpace  = 2
)

// Record is a row. The index is over A.
type Record struct {
	ID, A   int64
	C       string
	Payload []byte
}

// Store is a record store below a prefix.
type Store struct {
	db      fdb.Database
	prefix  []byte
	path    tuple.Tuple // the prefix's elements
	records []byte      // prefix · (1)
	index   []byte      // prefix · (2)
	end     []byte      // of the index
	mapper  []byte
}

// Open returns the store below a prefix, which must be a tuple: a mapped range reads the elements of whole keys.
func Open(db fdb.Database, prefix []byte) (*Store, error) {
	path, err := tuple.Unpack(prefix)
	if err != nil || len(path) == 0 {
		return nil, fmt.Errorf("records: the prefix %x is not a tuple of at least one element, which mapped ranges need: %w", prefix, errors.Join(err))
	}
	s := &Store{db: db, prefix: prefix, path: path}
	for _, p := range []struct {
		to  *[]byte
		add tuple.Tuple
	}{{&s.records, tuple.Tuple{recordSpace}}, {&s.index, tuple.Tuple{indexSpace}}} {
		if *p.to, err = tuple.Append(append([]byte(nil), prefix...), p.add); err != nil {
			return nil, err
		}
	}
	if s.end, err = tuple.Strinc(s.index); err != nil {
		return nil, err
	}
	s.mapper, err = s.mapRecords()
	return s, err
}

// mapRecords is the mapper from an entry of the index to all pieces of its record: the prefix, the records' subspace and the last
// element of the entry's key, and whatever begins so.
func (s *Store) mapRecords() ([]byte, error) {
	var t tuple.Tuple
	for _, e := range s.path {
		if text, ok := e.(string); ok { // a brace of the prefix's own means itself
			e = strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
		}
		t = append(t, e)
	}
	id := len(s.path) + 2 // behind the prefix, the index's number and A
	return tuple.Append(nil, append(t, recordSpace, fmt.Sprintf("{K[%d]}", id), "{...}"))
}

// Prefix is the store's prefix.
func (s *Store) Prefix() []byte { return s.prefix }

// batch is how many bytes of records one transaction of Load writes, a tenth of what one may.
const batch = 1_000_000

// Load writes records and their index, in as many transactions as it takes. It is for an empty store.
func (s *Store) Load(ctx context.Context, list []Record) error {
	for len(list) > 0 {
		n := 0
		err := fdb.Transact(ctx, s.db, func(tr fdb.Transaction) error {
			bytes := 0
			for n = 0; n < len(list) && bytes < batch; n++ {
				size, err := s.save(tr, &list[n])
				if err != nil {
					return err
				}
				bytes += size
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("load records below %x: %w", s.prefix, err)
		}
		list = list[n:]
	}
	return nil
}

// Drop clears the store.
func (s *Store) Drop(ctx context.Context) error {
	end, err := tuple.Strinc(s.prefix)
	if err != nil {
		return err
	}
	return fdb.Transact(ctx, s.db, func(tr fdb.Transaction) error {
		tr.ClearRange(s.prefix, end)
		return nil
	})
}

// save writes one record and its entry, and returns how many bytes its value has.
func (s *Store) save(tr fdb.Transaction, r *Record) (int, error) {
	value, err := tuple.Append(nil, tuple.Tuple{r.ID, r.A, r.C, r.Payload})
	if err != nil {
		return 0, err
	}
	entry, err := tuple.Append(append([]byte(nil), s.index...), tuple.Tuple{r.A, r.ID})
	if err != nil {
		return 0, err
	}
	tr.Set(entry, nil)
	suffix := 0
	if len(value) > Split {
		suffix = 1
	}
	for rest := value; ; suffix++ {
		key, err := tuple.Append(append([]byte(nil), s.records...), tuple.Tuple{r.ID, suffix})
		if err != nil {
			return 0, err
		}
		piece := rest[:min(len(rest), Split)]
		tr.Set(key, piece)
		if rest = rest[len(piece):]; len(rest) == 0 {
			return len(value), nil
		}
	}
}

// decode puts a record together from its pieces.
func (s *Store) decode(pairs []fdb.KeyValue) (Record, error) {
	if len(pairs) == 0 {
		return Record{}, errors.New("an entry of the index without a record")
	}
	value := pairs[0].Value
	if len(pairs) > 1 {
		value = nil
		for i, p := range pairs {
			if err := s.isPiece(p.Key, i+1); err != nil {
				return Record{}, err
			}
			value = append(value, p.Value...)
		}
	}
	t, err := tuple.Unpack(value)
	if err != nil {
		return Record{}, fmt.Errorf("record %x: %w", pairs[0].Key, err)
	}
	if len(t) == 4 {
		id, ok1 := t[0].(int64)
		a, ok2 := t[1].(int64)
		c, ok3 := t[2].(string)
		payload, ok4 := t[3].([]byte)
		if ok1 && ok2 && ok3 && ok4 {
			return Record{id, a, c, payload}, nil
		}
	}
	return Record{}, fmt.Errorf("record %x: its value is no (id, a, c, payload)", pairs[0].Key)
}

// isPiece holds the key of a piece to its place: a record that lacks one is found.
func (s *Store) isPiece(key []byte, want int) error {
	t, err := tuple.Unpack(key)
	if err != nil || len(t) == 0 || t[len(t)-1] != int64(want) {
		return fmt.Errorf("record %x: want its piece %d here", key, want)
	}
	return nil
}
