package fetchbench

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/directory"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Place says below which prefix a fixture lies. By default that is a fixed one of six bytes, so that only what asks for the allocator
// meets the physical prefix confound.
//
// An allocated prefix is drawn once for each process. Its draws follow from the seed and from the run's folder, so that each process of a
// phase has its own, and the same one when the phase is run again.
type Place struct {
	kind   string
	seed   uint64
	run    string // what tells one process of a phase from another
	prefix []byte // once drawn
}

// PlaceFlags adds -prefix, by default of that kind, and -prefix-seed to the flags of a test binary.
func PlaceFlags(kind string) *Place {
	p := &Place{run: filepath.Base(filepath.Dir(os.Getenv("HOME")))}
	flag.StringVar(&p.kind, "prefix", kind, "where the fixture lies: below a `prefix` that is manual (fixed), allocated (three integers of the directory layer's allocator, each of one or two bytes) or seeded (likewise, with the allocator's first window left out, so that each has two)")
	flag.Uint64Var(&p.seed, "prefix-seed", 0, "the `seed` of the allocator's draws")
	return p
}

// hca is where the allocator keeps its windows.
var hca = []byte{0xfe, 'h', 'c', 'a'}

// Prefix is the prefix of a fixture. An allocated one is that of a path of three directories whose integers are concatenated, as the
// Record Layer's keyspace of domain, database and schema makes it on a store that was cleared: 6 bytes in 95.3% of stores, 5 in 4.6%.
func (p *Place) Prefix(ctx context.Context, db fdb.Database) ([]byte, error) {
	switch p.kind {
	case "manual":
		return tuple.Append(nil, tuple.Tuple{42, 43, 44}) // 15 2a 15 2b 15 2c
	case "allocated", "seeded":
		if p.prefix != nil {
			return p.prefix, nil
		}
		var err error
		p.prefix, err = p.allocate(ctx, db)
		return p.prefix, err
	}
	return nil, fmt.Errorf("-prefix %q: want manual, allocated or seeded", p.kind)
}

func (p *Place) allocate(ctx context.Context, db fdb.Database) ([]byte, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.run)) // it never fails
	draw := rand.New(rand.NewPCG(p.seed, h.Sum64()))
	a := &directory.Allocator{Prefix: hca, Random: draw.Int64N}
	var path tuple.Tuple
	err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
		tr.ClearRange(hca, append(append([]byte(nil), hca...), 0xff)) // the store is one that was cleared
		if p.kind == "seeded" {
			a.Seed(tr, 64)
		}
		return nil
	})
	for range 3 {
		if err != nil {
			return nil, err
		}
		err = fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
			n, err := a.Allocate(ctx, tr)
			if err == nil {
				path = append(path, n)
			}
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return tuple.Append(nil, path)
}
