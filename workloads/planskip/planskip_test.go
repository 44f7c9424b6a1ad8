// Package planskip_test measures a plan that passes over the first rows of an index scan. Skip is inside the index cursor: the rows
// that are skipped are never loaded, by either method.
package planskip_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/workloads/fetchbench"
	"github.com/phaselock/phaselock/workloads/records"
)

// fixtureRows is how many records the fixture has: skip 3 of all of them gives 997.
const (
	fixtureRows = 1000
	skip        = 3
)

var (
	place = fetchbench.PlaceFlags("manual")
	db    fdb.Database
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(fetchbench.Main(m, &db))
}

// query is Skip 3 and a limit of so many rows, fewer where the index ends before.
func query(rows int, reverse bool, method records.Method) records.Query {
	return records.Query{High: fixtureRows, Skip: skip, Limit: rows, Reverse: reverse, Method: method}
}

// BenchmarkPlanSkip/skip=3/rows=10/dir=reverse/method=USE_REMOTE_FETCH, and so on. rows=1000 finds 997.
func BenchmarkPlanSkip(b *testing.B) {
	for _, rows := range []int{10, 1000} {
		for _, dir := range []string{"forward", "reverse"} {
			for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
				b.Run(fmt.Sprintf("skip=%d/rows=%d/dir=%s/method=%s", skip, rows, dir, method), func(b *testing.B) {
					fetchbench.Run(b, fetchbench.Target{DB: db, Place: place}, fetchbench.Case{
						Rows: fixtureRows, Size: records.Small, Payload: 7, Query: query(rows, dir == "reverse", method),
					})
				})
			}
		}
	}
}

// Behind three that are skipped, the limit of 1,000 is never reached: 997 rows, and the index is exhausted.
func TestRows(t *testing.T) {
	fixture, err := records.Fixture(fixtureRows, records.Small, 7)
	if err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int]struct {
		rows   int
		reason records.Reason
	}{10: {10, records.AtLimit}, 1000: {997, records.Exhausted}} {
		got, reason := records.Expected(fixture, query(rows, false, records.ScanAndFetch))
		if len(got) != want.rows || reason != want.reason || got[0].A != skip {
			t.Errorf("rows=%d: %d rows from a=%d, %s", rows, len(got), got[0].A, reason)
		}
		for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
			for _, reverse := range []bool{false, true} {
				if err := fetchbench.Once(context.Background(), db, fetchbench.Case{Rows: fixtureRows, Size: records.Small, Payload: 7, Query: query(rows, reverse, method)}); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
