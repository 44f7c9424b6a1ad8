//go:build fdb

package apple_test

import (
	"os"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/apple"
	"github.com/phaselock/phaselock/fdb/conformance"
)

// The whole suite, over the client library that is linked: the double's, or that of the cluster which FDB_CLUSTER_FILE names. It writes
// below a prefix of its own alone.
func TestConformance(t *testing.T) {
	conformance.Run(t, func(t *testing.T) fdb.Database {
		db, err := apple.Open(os.Getenv("FDB_CLUSTER_FILE"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("client %s", db.Client())
		return db
	})
}
