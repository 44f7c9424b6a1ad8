// Package indexfetch_test measures how the records of an index scan are fetched: loaded one by one by the client, or by the server.
package indexfetch_test

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

// rows is how many records the fixture has.
const rows = 1000

// cells are how much of the index is fetched.
var cells = []struct {
	name  string
	limit int // 0 is all of it
}{
	{"limit1", 1},
	{"rows10", 10},
	{"rows1000", 1000},
	{"all-1000", 0},
}

var (
	place = fetchbench.PlaceFlags("manual")
	db    fdb.Database
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(fetchbench.Main(m, &db))
}

// BenchmarkIndexFetch/cell=rows10/dir=reverse/size=split/method=USE_REMOTE_FETCH, and so on.
func BenchmarkIndexFetch(b *testing.B) {
	for _, cell := range cells {
		for _, dir := range []string{"forward", "reverse"} {
			for _, size := range []records.Size{records.Small, records.SplitSized} {
				for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
					b.Run(fmt.Sprintf("cell=%s/dir=%s/size=%s/method=%s", cell.name, dir, size, method), func(b *testing.B) {
						fetchbench.Run(b, fetchbench.Target{DB: db, Place: place}, fetchbench.Case{
							Rows: rows, Size: size, Payload: 7,
							Query: records.Query{High: rows, Limit: cell.limit, Reverse: dir == "reverse", Method: method},
						})
					})
				}
			}
		}
	}
}

// The names are those that phases use, and the smallest of each works.
func TestCells(t *testing.T) {
	for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
		for _, size := range []records.Size{records.Small, records.SplitSized} {
			if err := fetchbench.Once(context.Background(), db, fetchbench.Case{
				Rows: 20, Size: size, Query: records.Query{High: 20, Limit: 10, Reverse: true, Method: method},
			}); err != nil {
				t.Error(err)
			}
		}
	}
}
