//go:build fdb

package connect

import (
	"context"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/apple"
)

// openFoundationDB opens a cluster through Apple's binding: by its file, where it was named by one, since the client keeps that up to date.
func openFoundationDB(_ context.Context, c Cluster, file string) (fdb.Database, error) {
	if file != "" {
		return apple.Open(file)
	}
	return apple.OpenText(c.String())
}
