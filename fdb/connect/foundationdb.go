//go:build !fdb

package connect

import (
	"context"
	"fmt"

	"github.com/phaselock/phaselock/fdb"
)

// openFoundationDB says that this build has no client of FoundationDB.
func openFoundationDB(_ context.Context, c Cluster, _ string) (fdb.Database, error) {
	return nil, fmt.Errorf("%s is a FoundationDB cluster, and this build has no client for one: build with -tags fdb, where FoundationDB's client library is; %q, kvserve:grpc@host:port and kvserve:frame@host:port are here", c, Embedded)
}
