package connect

import (
	"context"
	"fmt"

	"github.com/phaselock/phaselock/fdb"
)

// openFoundationDB says that this build does not reach FoundationDB.
func openFoundationDB(_ context.Context, c Cluster, _ string) (fdb.Database, error) {
	return nil, fmt.Errorf("%s is a FoundationDB cluster, which this version does not reach: it has no binding of FoundationDB's client; %q, and kvserve:grpc@host:port or kvserve:frame@host:port, are here", c, Embedded)
}
