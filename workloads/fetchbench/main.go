package fetchbench

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/connect"
	"github.com/phaselock/phaselock/fdb/tuple"
	"github.com/phaselock/phaselock/workloads/records"
)

// Main opens the store that the environment names, runs the tests and benchmarks, and closes it.
func Main(m *testing.M, db *fdb.Database) int {
	store, err := connect.FromEnvironment(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*db = store
	code := m.Run()
	if err := (*db).Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Once does the operation of a case once, on a fixture of its own, and holds it to the fixture.
func Once(ctx context.Context, db fdb.Database, c Case) error {
	fixture, err := records.Fixture(c.Rows, c.Size, c.Payload)
	if err != nil {
		return err
	}
	prefix, err := tuple.Append(nil, tuple.Tuple{"once", 1})
	if err != nil {
		return err
	}
	s, err := records.Open(db, prefix)
	if err != nil {
		return err
	}
	if err := s.Load(ctx, fixture); err != nil {
		return err
	}
	rows, reason, err := s.Fetch(ctx, c.Query, nil, nil)
	if err == nil {
		err = records.Check(fixture, c.Query, rows, reason)
	}
	if err != nil {
		return err
	}
	return s.Drop(ctx)
}
