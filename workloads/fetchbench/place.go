package fetchbench

import (
	"context"
	"flag"
	"fmt"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Place says below which prefix a fixture lies. By default that is a fixed one of six bytes, so that only what asks for the allocator
// meets the physical prefix confound.
type Place struct {
	kind string
	seed uint64
	made func(ctx context.Context, db fdb.Database, seed uint64) ([]byte, error)
}

// PlaceFlags adds -prefix and -prefix-seed to the flags of a test binary.
func PlaceFlags(allocate func(ctx context.Context, db fdb.Database, seed uint64) ([]byte, error)) *Place {
	p := &Place{made: allocate}
	flag.StringVar(&p.kind, "prefix", "manual", "the store's `prefix`: manual (fixed) or allocated (three ints of the directory layer's allocator)")
	flag.Uint64Var(&p.seed, "prefix-seed", 0, "the `seed` of the allocator's choices")
	return p
}

// Prefix is the prefix of the next fixture.
func (p *Place) Prefix(ctx context.Context, db fdb.Database) ([]byte, error) {
	switch p.kind {
	case "manual":
		return tuple.Append(nil, tuple.Tuple{42, 43, 44}) // 15 2a 15 2b 15 2c
	case "allocated":
		return p.made(ctx, db, p.seed)
	}
	return nil, fmt.Errorf("-prefix %q: want manual or allocated", p.kind)
}
