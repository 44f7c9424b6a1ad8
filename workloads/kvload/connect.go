package main

import (
	"context"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
)

// connect opens the store that the environment names.
func connect(context.Context) (fdb.Database, error) { return embedded.New(embedded.Options{}), nil }
