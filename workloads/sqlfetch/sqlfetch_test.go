package sqlfetch_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
	"modernc.org/sqlite/vtab"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/workloads/audit"
	"github.com/phaselock/phaselock/workloads/fetchbench"
	"github.com/phaselock/phaselock/workloads/records"
	"github.com/phaselock/phaselock/workloads/sqlfetch"
)

// rows is how many records the fixture has.
const rows = 1000

// cells are the queries, each with the range of a that it asks for.
var cells = []struct {
	name      string
	where     string
	low, high int64
}{
	{"rows10", "a >= 100 AND a < 110 AND c IS NOT NULL", 100, 110},
	{"rows1000", "a >= 0 AND c IS NOT NULL", 0, rows},
}

var (
	place  = fetchbench.PlaceFlags("allocated")
	db     fdb.Database
	module sqlfetch.Module
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := vtab.RegisterModule(nil, "records", &module); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(fetchbench.Main(m, &db))
}

// connection is one connection of a database in memory that has nothing but the table, by one method.
type connection struct {
	*sql.Conn
	query *sql.Stmt
	trace *records.Trace
}

// connect pins a connection to a table over a store, with its statement prepared: the plan is warm.
func connect(ctx context.Context, tb testing.TB, name string, s *records.Store, method records.Method, where string, trace *records.Trace) *connection {
	tb.Helper()
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { pool.Close() })
	c, err := pool.Conn(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	module.Serve(name, s, trace)
	if _, err := c.ExecContext(ctx, fmt.Sprintf("CREATE VIRTUAL TABLE T USING records(%s, %s)", name, method)); err != nil {
		tb.Fatal(err)
	}
	query, err := c.PrepareContext(ctx, "SELECT id, c FROM T WHERE "+where)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { query.Close() })
	return &connection{c, query, trace}
}

// plan is what EXPLAIN QUERY PLAN says of a query on T.
func (c *connection) plan(ctx context.Context, where string) (string, error) {
	var id, parent, unused int
	var detail string
	err := c.QueryRowContext(ctx, "EXPLAIN QUERY PLAN SELECT id, c FROM T WHERE "+where).Scan(&id, &parent, &unused, &detail)
	return detail, err
}

// row is what a query projects.
type row struct {
	id int64
	c  string
}

// run executes the statement and appends its rows to dst.
func (c *connection) run(ctx context.Context, dst []row) ([]row, error) {
	result, err := c.query.QueryContext(ctx)
	if err != nil {
		return dst, err
	}
	defer result.Close()
	for result.Next() {
		var r row
		if err := result.Scan(&r.id, &r.c); err != nil {
			return dst, err
		}
		dst = append(dst, r)
	}
	return dst, result.Err()
}

// hold holds rows to the fixture: every one, field by field, in the order of the index.
func hold(fixture []records.Record, low, high int64, got []row) error {
	want, _ := records.Expected(fixture, records.Query{Low: low, High: high})
	if len(got) != len(want) {
		return fmt.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != (row{want[i].ID, want[i].C}) {
			return fmt.Errorf("row %d is %+v, want id %d and c %q", i, got[i], want[i].ID, want[i].C)
		}
	}
	return nil
}

// BenchmarkSQLIndexFetch/cell=rows10/method=USE_REMOTE_FETCH, and so on. The loop's time is that of the statement, executed and read to
// its end on a pinned connection whose plan is warm. What it gave is checked with the timer stopped; a second connection whose fetches are
// counted says before and after the loop which path it took.
func BenchmarkSQLIndexFetch(b *testing.B) {
	for _, cell := range cells {
		for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
			b.Run(fmt.Sprintf("cell=%s/method=%s", cell.name, method), func(b *testing.B) {
				ctx := context.Background()
				fixture, store, prefix := load(ctx, b)
				measured := connect(ctx, b, "measured", store, method, cell.where, nil)
				counted := connect(ctx, b, "counted", store, method, cell.where, new(records.Trace))
				for _, c := range []*connection{measured, counted} {
					if plan, err := c.plan(ctx, cell.where); err != nil || !strings.Contains(plan, "IDX_A a>=?") || !strings.HasSuffix(plan, string(method)) {
						b.Fatalf("the plan is %q, want one by IDX_A and %s: %v", plan, method, err)
					}
				}
				if err := audit.Client(db.Client(), audit.Fields{
					"engine": "sqlite-vtab", "prefix": fmt.Sprintf("%x", prefix), "prefix-bytes": len(prefix), "streaming-mode": "want_all", "ryw": true, "snapshot": false,
				}); err != nil {
					b.Fatal(err)
				}
				path := func(when string) {
					if err := auditPath(ctx, counted, fixture, cell.low, cell.high, when, method); err != nil {
						b.Fatal(err)
					}
				}

				path("before")
				got, err := measured.run(ctx, nil) // warms the statement
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					got, err = measured.run(ctx, got[:0])
					b.StopTimer()
					if err == nil {
						err = hold(fixture, cell.low, cell.high, got)
					}
					if err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				path("after")
				b.ReportMetric(float64(len(got)), "rows/op")
				b.ReportMetric(float64(len(prefix)), "prefix-B")
			})
		}
	}
}

// load makes the fixture below the next prefix, and drops it at the end.
func load(ctx context.Context, tb testing.TB) ([]records.Record, *records.Store, []byte) {
	tb.Helper()
	fixture, err := records.Fixture(rows, records.Small, 7)
	if err != nil {
		tb.Fatal(err)
	}
	prefix, err := place.Prefix(ctx, db)
	if err != nil {
		tb.Fatal(err)
	}
	store, err := records.Open(db, prefix)
	if err != nil {
		tb.Fatal(err)
	}
	if err := store.Load(ctx, fixture); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Drop(ctx); err != nil {
			tb.Error(err)
		}
	})
	return fixture, store, prefix
}

// auditPath executes the statement where its fetches are counted, and writes what it did.
func auditPath(ctx context.Context, c *connection, fixture []records.Record, low, high int64, when string, method records.Method) error {
	*c.trace = records.Trace{}
	got, err := c.run(ctx, nil)
	if err == nil {
		err = hold(fixture, low, high, got)
	}
	if err != nil {
		return fmt.Errorf("the instrumented statement %s the loop: %w", when, err)
	}
	remote := c.trace.Openings >= 1 && c.trace.Scans == 0 && c.trace.Loads == 0
	scanned := c.trace.Openings == 0 && c.trace.Scans >= 1 && c.trace.Loads >= len(got)
	if remote != (method == records.UseRemoteFetch) || scanned != (method == records.ScanAndFetch) {
		return fmt.Errorf("%s took another path: %+v", method, *c.trace)
	}
	return audit.Write("path", audit.Fields{
		"when": when, "method": string(method), "rows": len(got),
		"remote-fetch-openings": c.trace.Openings, "index-scans": c.trace.Scans, "record-loads": c.trace.Loads, "entries": c.trace.Entries,
	})
}

// Both methods answer every kind of query as SQLite answers it from a table of its own.
func TestQueries(t *testing.T) {
	ctx := context.Background()
	fixture, store, _ := load(ctx, t)
	for _, method := range []records.Method{records.ScanAndFetch, records.UseRemoteFetch} {
		c := connect(ctx, t, "queries", store, method, "a >= 0", nil)
		if _, err := c.ExecContext(ctx, "CREATE TABLE O(id INTEGER, a INTEGER, c TEXT)"); err != nil {
			t.Fatal(err)
		}
		for i := range fixture {
			if _, err := c.ExecContext(ctx, "INSERT INTO O VALUES (?, ?, ?)", fixture[i].ID, fixture[i].A, fixture[i].C); err != nil {
				t.Fatal(err)
			}
		}
		for _, rest := range []string{
			"WHERE a >= 100 AND a < 110 AND c IS NOT NULL ORDER BY a", "WHERE a > 100 AND a <= 103 ORDER BY a DESC", "WHERE a = 7", "WHERE a = 7 AND a = 8",
			"WHERE a < 3 ORDER BY a", "WHERE a > 997 ORDER BY id", "WHERE a >= 5000", "WHERE a > 9223372036854775807", "WHERE a <= 9223372036854775807 ORDER BY a LIMIT 2",
			"WHERE a < -9223372036854775808", "WHERE id = 3", "WHERE c = 'c-0500'", "ORDER BY a LIMIT 3 OFFSET 4", "WHERE a BETWEEN 3 AND 5 OR a = 9 ORDER BY a",
			"WHERE a >= 20 AND a < 10", "WHERE a IN (3, 5, 4) ORDER BY a",
		} {
			var got [2][]row
			for i, from := range []string{"T", "O"} {
				result, err := c.QueryContext(ctx, "SELECT id, c FROM "+from+" "+rest)
				if err != nil {
					t.Fatalf("%s: %v", rest, err)
				}
				for result.Next() {
					var r row
					if err := result.Scan(&r.id, &r.c); err != nil {
						t.Fatal(err)
					}
					got[i] = append(got[i], r)
				}
				if err := result.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(got[0], got[1]) {
				t.Errorf("%s, %s: %v, SQLite's own table gives %v", method, rest, got[0], got[1])
			}
		}
	}
}

// Each method takes its own path: one opening, or one scan and one load a row.
func TestPath(t *testing.T) {
	ctx := context.Background()
	fixture, store, _ := load(ctx, t)
	for method, want := range map[records.Method]records.Trace{
		records.UseRemoteFetch: {Openings: 1, Entries: 10, Pages: 1},
		records.ScanAndFetch:   {Scans: 1, Loads: 10, Entries: 10, Pages: 1},
	} {
		c := connect(ctx, t, "path", store, method, cells[0].where, new(records.Trace))
		if err := auditPath(ctx, c, fixture, 100, 110, "before", method); err != nil || *c.trace != want {
			t.Errorf("%s: %+v, %v", method, *c.trace, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for using, want := range map[string]string{
		"records(none, SCAN_AND_FETCH)": `no store "none"`, "records(x)": "want USING records(store, method)", "records(path, FAST)": `no method "FAST"`,
	} {
		module.Serve("path", nil, nil)
		if _, err := pool.ExecContext(ctx, "CREATE VIRTUAL TABLE T USING "+using); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", using, err)
		}
	}
}
