//go:build fdb

package apple

import (
	"context"
	"errors"
	"fmt"
	"sync"

	binding "github.com/apple/foundationdb/bindings/go/src/fdb"

	"github.com/phaselock/phaselock/fdb"
)

// APIVersion is the version of the interface that the binding is told to speak.
const APIVersion = 730

var start = sync.OnceValue(func() error {
	if err := checkLayout(); err != nil {
		return err
	}
	return binding.APIVersion(APIVersion)
})

// Database is a connection to a cluster.
type Database struct{ db binding.Database }

// Open connects to the cluster of a cluster file; "" is the machine's default. The client's network thread lives until the process ends.
func Open(clusterFile string) (*Database, error) {
	if err := start(); err != nil {
		return nil, fmt.Errorf("FoundationDB's client: %w", err)
	}
	db, err := binding.OpenDatabase(clusterFile)
	if err != nil {
		return nil, ours(err)
	}
	return &Database{db}, nil
}

// OpenText connects to the cluster that a text names.
func OpenText(text string) (*Database, error) {
	if err := start(); err != nil {
		return nil, fmt.Errorf("FoundationDB's client: %w", err)
	}
	db, err := binding.OpenWithConnectionString(text)
	if err != nil {
		return nil, ours(err)
	}
	return &Database{db}, nil
}

// Client is "double" over the double of the client library, else "fdb-" and the library's version.
func (d *Database) Client() string {
	if v := version(); v != "double" {
		return "fdb-" + v
	}
	return "double"
}

// Begin starts a transaction.
func (d *Database) Begin() fdb.Transaction {
	tr, err := d.db.CreateTransaction()
	return &transaction{tr: tr, broken: ours(err)}
}

// Status is the status document. Every process of the cluster is asked for it.
func (d *Database) Status(ctx context.Context) ([]byte, error) {
	v, err := d.Begin().Get([]byte("\xff\xff/status/json"), true).Wait(ctx)
	if err == nil && !v.Present {
		err = errors.New("the cluster gives no status document")
	}
	return v.Bytes, err
}

// Boundaries gives the keys at which shards start.
func (d *Database) Boundaries(ctx context.Context, begin, end []byte) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	keys, err := d.db.LocalityGetBoundaryKeys(binding.KeyRange{Begin: binding.Key(begin), End: binding.Key(end)}, 0, 0)
	if err != nil {
		return nil, ours(err)
	}
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = k
	}
	return out, nil
}

// Close ends the connection.
func (d *Database) Close() error {
	d.db.Close()
	return nil
}

// ours is an error of the binding as this project has it.
func ours(err error) error {
	var e binding.Error
	if errors.As(err, &e) {
		return fdb.Error{Code: e.Code}
	}
	return err
}
