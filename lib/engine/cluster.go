package engine

import (
	"context"

	"github.com/phaselock/phaselock/lib/plan"
)

// Cluster does the steps of a FoundationDB cluster. A cluster is named by the path of its cluster file, from the root; "" is the
// one that the environment names.
type Cluster interface {
	// Step does one step and says what came of it. The error is for what could not be done: a cluster that does not answer.
	Step(ctx context.Context, root string, s *plan.Step) (StepResult, error)
	// Generation is the number of the cluster's recoveries, nil where its status document does not have it.
	Generation(ctx context.Context, root, cluster string) (*int64, error)
}

// StepResult is what came of a step on a cluster.
type StepResult struct {
	Value     *float64   // of a ceiling; nil is unknown, never 0
	Failure   string     // why the cluster is not as declared; "" where it is
	Document  []byte     // a status document to be kept; nil for none
	Placement *Placement // of a placement
}

// Placement is on which storage servers an index and its records lie.
type Placement struct {
	Rows      int     // of the index that were looked at
	Colocated float64 // f: the mean over rows of the fraction of the row's servers that have its record too
	All       float64 // the fraction of rows all of whose servers have the record
	Teams     string  // SHA-256 of the shards' boundaries and servers: the same exactly where nothing has moved
}
