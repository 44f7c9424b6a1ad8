// Package steps does what a phase asks of a FoundationDB cluster while nothing is measured: it clears it, reads its
// ceilings, says where data lie, and holds it to what was declared.
package steps

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/cluster"
	"github.com/phaselock/phaselock/fdb/placement"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/plan"
)

// Clusters does the steps of FoundationDB.
type Clusters struct {
	Open    func(ctx context.Context, cluster string) (fdb.Database, error) // by the path of a cluster file, or what Default names
	Default string                                                          // the cluster of a step that names none: FDB_CLUSTER_FILE of the environment
	Destroy bool                                                            // fdb.clear_user_keys may clear a cluster of FoundationDB
	Sleep   func(ctx context.Context, d time.Duration) error                // between two looks at a cluster that settles; a timer where nil
}

var _ engine.Cluster = (*Clusters)(nil)

// pollEvery is the time between two looks. The document asks every process of a cluster.
const pollEvery = time.Second

// Step does one step.
func (c *Clusters) Step(ctx context.Context, root string, s *plan.Step) (engine.StepResult, error) {
	db, err := c.open(ctx, root, s.FDB.Cluster)
	if err != nil {
		return engine.StepResult{}, err
	}
	r, err := c.step(ctx, db, s)
	return r, errors.Join(err, db.Close())
}

func (c *Clusters) step(ctx context.Context, db fdb.Database, s *plan.Step) (engine.StepResult, error) {
	switch s.Kind {
	case plan.StepFDBClear:
		return engine.StepResult{}, c.clear(ctx, db, s.FDB.Settle)
	case plan.StepFDBCeiling:
		return ceiling(ctx, db, s.FDB.Path)
	case plan.StepFDBPlacement:
		return place(ctx, db, s.FDB)
	case plan.StepFDBRequire:
		return require(ctx, db, s.FDB)
	case plan.StepFDBStatus:
		document, err := db.Status(ctx)
		return engine.StepResult{Document: document}, err
	}
	return engine.StepResult{}, fmt.Errorf("%s is no step of a FoundationDB cluster", s.Kind)
}

// Generation is how often a cluster has recovered; nil is unknown.
func (c *Clusters) Generation(ctx context.Context, root, name string) (*int64, error) {
	db, err := c.open(ctx, root, name)
	if err != nil {
		return nil, err
	}
	var f cluster.Facts
	d, err := document(ctx, db)
	if err == nil {
		f = d.Facts()
	}
	return f.Generation, errors.Join(err, db.Close())
}

func (c *Clusters) open(ctx context.Context, root, name string) (fdb.Database, error) {
	switch {
	case name != "":
		name = filepath.Join(root, filepath.FromSlash(name))
	case c.Default != "":
		name = c.Default
	default:
		return nil, errors.New("the step names no cluster, and FDB_CLUSTER_FILE is not set; give the step cluster = \"…\", or set it")
	}
	return c.Open(ctx, name)
}

func document(ctx context.Context, db fdb.Database) (*cluster.Document, error) {
	text, err := db.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("status document: %w", err)
	}
	return cluster.Parse(text)
}

// ceiling reads a number of the status document.
func ceiling(ctx context.Context, db fdb.Database, path string) (engine.StepResult, error) {
	d, err := document(ctx, db)
	if err != nil {
		return engine.StepResult{}, err
	}
	n, err := d.Number(path)
	return engine.StepResult{Value: n}, err
}

// place reads where an index and its records lie.
func place(ctx context.Context, db fdb.Database, f *plan.FDB) (engine.StepResult, error) {
	index, err := hex.DecodeString(f.Index)
	if err != nil {
		return engine.StepResult{}, fmt.Errorf("index: %w", err)
	}
	records, err := hex.DecodeString(f.Records)
	if err != nil {
		return engine.StepResult{}, fmt.Errorf("records: %w", err)
	}
	p, err := placement.Read(ctx, db, index, records)
	if err != nil {
		return engine.StepResult{}, err
	}
	r := engine.StepResult{Placement: &engine.Placement{Rows: p.Rows, Colocated: p.Colocated, All: p.All, Teams: p.Teams}}
	if f.Colocated != nil && p.Colocated < *f.Colocated {
		r.Failure = fmt.Sprintf("the colocated fraction is %v; want at least %v", p.Colocated, *f.Colocated)
	}
	return r, nil
}

// require holds a cluster to what was declared; one that has not recovered fully is not what it will be.
func require(ctx context.Context, db fdb.Database, want *plan.FDB) (engine.StepResult, error) {
	d, err := document(ctx, db)
	if err != nil {
		return engine.StepResult{}, err
	}
	f := d.Facts()
	differences := f.Differences(want)
	switch {
	case f.Recovered == nil:
		differences = append(differences, "recovery: want fully recovered, unknown")
	case !*f.Recovered:
		differences = append(differences, "recovery: want fully recovered, is not")
	}
	return engine.StepResult{Failure: strings.Join(differences, "; ")}, nil
}
