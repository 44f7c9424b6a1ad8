// Package placement says on which storage servers an index and its records lie: a mapped range looks a record up within the
// server that has the row of the index only where that server has the record too.
package placement

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Placement is where an index and its records lie.
type Placement struct {
	Rows      int     // of the index
	Colocated float64 // f: the mean over rows of the fraction of the row's servers that have its record too
	All       float64 // the fraction of rows all of whose servers have the record
	Teams     string  // SHA-256 of the shards that hold the index and the records, and of their servers
}

// ErrNoRows is an index without rows, of which no fraction is defined.
var ErrNoRows = errors.New("the index has no rows")

// Read reads where the rows of an index lie, and their records. The last element of a row's key is that of its record: its
// keys start with the prefix of the records and that element. Shards can move while it reads; it is an estimate then, and
// the next reading has other Teams.
func Read(ctx context.Context, db fdb.Database, index, records []byte) (Placement, error) {
	m, err := read(ctx, db)
	if err != nil {
		return Placement{}, err
	}
	var p Placement
	p.Teams, err = m.digest(ctx, index, records)
	if err != nil {
		return Placement{}, err
	}
	end, err := tuple.Strinc(index)
	if err != nil {
		return Placement{}, err
	}
	var sum float64
	whole := 0
	err = scan(ctx, db, fdb.Keys(index, end), func(row []byte) error {
		record, err := recordOf(row, records)
		if err != nil {
			return err
		}
		of, err := m.team(ctx, row)
		if err != nil {
			return err
		}
		has, err := m.team(ctx, record)
		if err != nil {
			return err
		}
		both := 0
		for _, server := range of {
			if slices.Contains(has, server) {
				both++
			}
		}
		p.Rows++
		sum += float64(both) / float64(len(of))
		if both == len(of) {
			whole++
		}
		return nil
	})
	if err != nil {
		return Placement{}, err
	}
	if p.Rows == 0 {
		return Placement{}, fmt.Errorf("%w: no key starts with %x", ErrNoRows, index)
	}
	p.Colocated, p.All = sum/float64(p.Rows), float64(whole)/float64(p.Rows)
	return p, nil
}

// recordOf is the start of a record's keys.
func recordOf(row, records []byte) ([]byte, error) {
	elements, err := tuple.Elements(row)
	if err != nil {
		return nil, fmt.Errorf("the key %x of the index: %w", row, err)
	}
	return append(bytes.Clone(records), elements[len(elements)-1]...), nil
}

// scan gives every key of a range to f. Where the range takes longer than a transaction may, another one goes on.
func scan(ctx context.Context, db fdb.Database, r fdb.Range, f func(key []byte) error) error {
	r.Snapshot = true
	for tr := db.Begin(); ; {
		page, err := tr.GetRange(r).Wait(ctx)
		if err != nil {
			if err := tr.OnError(ctx, err); err != nil {
				return err
			}
			continue
		}
		for _, pair := range page.Pairs {
			if err := f(pair.Key); err != nil {
				return err
			}
		}
		if !page.More || len(page.Pairs) == 0 {
			return nil
		}
		r.Begin = fdb.FirstGreaterThan(page.Pairs[len(page.Pairs)-1].Key)
	}
}

// shards is the map of a database. The servers of a shard are asked for once, when they are first needed.
type shards struct {
	db     fdb.Database
	begins [][]byte
	teams  [][]string
}

func read(ctx context.Context, db fdb.Database) (*shards, error) {
	begins, err := db.Boundaries(ctx, nil, []byte{0xff})
	if err != nil {
		return nil, fmt.Errorf("where shards start: %w", err)
	}
	if len(begins) == 0 || len(begins[0]) > 0 { // the first shard is there even where it is not listed
		begins = append([][]byte{{}}, begins...)
	}
	return &shards{db, begins, make([][]string, len(begins))}, nil
}

// of is the index of the shard that holds a key.
func (s *shards) of(key []byte) int {
	return sort.Search(len(s.begins), func(i int) bool { return bytes.Compare(s.begins[i], key) > 0 }) - 1
}

func (s *shards) team(ctx context.Context, key []byte) ([]string, error) {
	return s.servers(ctx, s.of(key))
}

func (s *shards) servers(ctx context.Context, i int) ([]string, error) {
	if s.teams[i] != nil {
		return s.teams[i], nil
	}
	for tr := s.db.Begin(); ; {
		team, err := tr.Addresses(ctx, s.begins[i])
		if err != nil {
			if err := tr.OnError(ctx, err); err != nil {
				return nil, fmt.Errorf("the servers of the shard at %x: %w", s.begins[i], err)
			}
			continue
		}
		if len(team) == 0 {
			return nil, fmt.Errorf("no server holds the shard at %x", s.begins[i])
		}
		slices.Sort(team)
		s.teams[i] = slices.Compact(team)
		return s.teams[i], nil
	}
}

// digest is that of the shards which hold keys that start with one of the prefixes.
func (s *shards) digest(ctx context.Context, prefixes ...[]byte) (string, error) {
	var held []int
	for _, p := range prefixes {
		end, err := tuple.Strinc(p)
		if err != nil {
			return "", err
		}
		for i := s.of(p); i < len(s.begins) && bytes.Compare(s.begins[i], end) < 0; i++ {
			held = append(held, i)
		}
	}
	slices.Sort(held)
	h := sha256.New()
	for _, i := range slices.Compact(held) {
		team, err := s.servers(ctx, i)
		if err != nil {
			return "", err
		}
		var b []byte
		b = binary.AppendUvarint(b, uint64(len(s.begins[i])))
		b = append(b, s.begins[i]...)
		b = binary.AppendUvarint(b, uint64(len(team)))
		for _, server := range team {
			b = binary.AppendUvarint(b, uint64(len(server)))
			b = append(b, server...)
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
