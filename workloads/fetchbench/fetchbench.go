// Package fetchbench is the body of the benchmarks that fetch records through an index: it makes the fixture, audits the path
// before and after the measured loop, and checks every row of every measured operation with the timer stopped.
package fetchbench

import (
	"context"
	"fmt"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/workloads/audit"
	"github.com/phaselock/phaselock/workloads/records"
)

// Case is one benchmark.
type Case struct {
	Rows    int // of the fixture
	Size    records.Size
	Query   records.Query
	Payload uint64 // the seed of the fixture's payloads
}

// Target is the store that is measured.
type Target struct {
	DB    fdb.Database
	Place *Place
}

// Run measures the case. The loop's time is that of a transaction: its read version, the fetch, and the records put together from
// their pieces. What it gave is checked outside of it.
func Run(b *testing.B, t Target, c Case) {
	ctx := context.Background()
	fixture, err := records.Fixture(c.Rows, c.Size, c.Payload)
	if err != nil {
		b.Fatal(err)
	}
	prefix, err := t.Place.Prefix(ctx, t.DB)
	if err != nil {
		b.Fatal(err)
	}
	store, err := records.Open(t.DB, prefix)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Load(ctx, fixture); err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := store.Drop(ctx); err != nil {
			b.Error(err)
		}
	}()
	if err := client(t.DB, prefix, c); err != nil {
		b.Fatal(err)
	}
	instrumented := func(when string) {
		if err := auditPath(ctx, store, fixture, c, when); err != nil {
			b.Fatal(err)
		}
	}

	instrumented("before")
	var rows []records.Record
	var reason records.Reason
	for b.Loop() {
		rows, reason, err = store.Fetch(ctx, c.Query, rows[:0], nil)
		b.StopTimer()
		if err == nil {
			err = records.Check(fixture, c.Query, rows, reason)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	instrumented("after")
	b.ReportMetric(float64(len(rows)), "rows/op")
	b.ReportMetric(float64(len(prefix)), "prefix-B")
}

// client writes the facts of the store and of how it is read.
func client(db fdb.Database, prefix []byte, c Case) error {
	mode := "want_all"
	if c.Query.Limit > 0 {
		mode = "exact"
	}
	return audit.Client(db.Client(), audit.Fields{
		"prefix": fmt.Sprintf("%x", prefix), "prefix-bytes": len(prefix), "streaming-mode": mode, "ryw": true, "snapshot": false,
	})
}

// auditPath does the operation once with its steps counted, holds it to the fixture, and writes what it did.
func auditPath(ctx context.Context, s *records.Store, fixture []records.Record, c Case, when string) error {
	var trace records.Trace
	rows, reason, err := s.Fetch(ctx, c.Query, nil, &trace)
	if err == nil {
		err = records.Check(fixture, c.Query, rows, reason)
	}
	if err != nil {
		return fmt.Errorf("the instrumented operation %s the loop: %w", when, err)
	}
	return audit.Write("path", audit.Fields{
		"when": when, "method": string(c.Query.Method), "rows": len(rows), "reason": string(reason),
		"remote-fetch-openings": trace.Openings, "index-scans": trace.Scans, "record-loads": trace.Loads, "entries": trace.Entries, "pages": trace.Pages,
	})
}
