package conformance_test

import (
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/conformance"
	"github.com/phaselock/phaselock/fdb/embedded"
)

func TestEmbedded(t *testing.T) {
	conformance.Run(t, func(*testing.T) fdb.Database { return embedded.New(embedded.Options{}) })
}

// The suite does not depend on where shards lie.
func TestEmbeddedInShards(t *testing.T) {
	conformance.Run(t, func(*testing.T) fdb.Database {
		return embedded.New(embedded.Options{
			Splits: [][]byte{[]byte("\x02m"), []byte("\x02phaselock\x00\x02conformance\x00\x02m")},
			Teams:  [][]string{{"10.0.0.1:4500", "10.0.0.2:4500"}, {"10.0.0.3:4500"}},
		})
	})
}
