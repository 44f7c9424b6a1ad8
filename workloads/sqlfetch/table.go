// Package sqlfetch is a table of SQLite over a record store: T(id, a, c) with the index IDX_A, which does not cover c, so that a query by
// a fetches records through the index. SQLite plans and evaluates; the records come from the store by one of its two methods.
package sqlfetch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"modernc.org/sqlite/vtab"

	"github.com/phaselock/phaselock/workloads/records"
)

// Columns of the table.
const (
	columnID = iota
	columnA
	columnC
)

// Module makes virtual tables over stores: CREATE VIRTUAL TABLE T USING module(store, METHOD), where store is a name that Serve has given.
type Module struct {
	mu     sync.Mutex
	stores map[string]source
}

type source struct {
	store *records.Store
	trace *records.Trace // counts what the tables over it do; nil counts nothing
}

// Serve gives a store a name. A trace counts what its tables fetch.
func (m *Module) Serve(name string, s *records.Store, trace *records.Trace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stores == nil {
		m.stores = map[string]source{}
	}
	m.stores[name] = source{s, trace}
}

// Create is a table's declaration.
func (m *Module) Create(c vtab.Context, args []string) (vtab.Table, error) { return m.Connect(c, args) }

// Connect is likewise: the table keeps nothing of its own.
func (m *Module) Connect(c vtab.Context, args []string) (vtab.Table, error) {
	if len(args) != 5 {
		return nil, fmt.Errorf("want USING %s(store, method), got %d arguments", args[0], len(args)-3)
	}
	name, method := strings.TrimSpace(args[3]), records.Method(strings.TrimSpace(args[4]))
	m.mu.Lock()
	s, known := m.stores[name]
	m.mu.Unlock()
	switch {
	case !known:
		return nil, fmt.Errorf("no store %q", name)
	case method != records.ScanAndFetch && method != records.UseRemoteFetch:
		return nil, fmt.Errorf("no method %q; there are %s and %s", method, records.ScanAndFetch, records.UseRemoteFetch)
	}
	if err := c.Declare(fmt.Sprintf("CREATE TABLE %s(id INTEGER, a INTEGER, c TEXT)", args[2])); err != nil {
		return nil, err
	}
	return &table{s, method}, nil
}

type table struct {
	source
	method records.Method
}

// reversed is a plan that reads the index from its end.
const reversed = 1

// BestIndex takes over every bound of a, and an order by a. What a plan does stands in its text, which EXPLAIN QUERY PLAN shows:
// "IDX_A a>=? a<? USE_REMOTE_FETCH".
func (t *table) BestIndex(info *vtab.IndexInfo) error {
	plan := []string{"IDX_A"}
	for i := range info.Constraints {
		c := &info.Constraints[i]
		op, bound := operators[c.Op]
		if !c.Usable || c.Column != columnA || !bound {
			continue
		}
		c.ArgIndex, c.Omit = len(plan)-1, true
		plan = append(plan, "a"+op+"?")
	}
	bounds := len(plan) - 1
	info.EstimatedCost, info.EstimatedRows = 1e6, 1e6
	for range bounds {
		info.EstimatedCost /= 10
		info.EstimatedRows /= 10
	}
	if len(info.OrderBy) == 1 && info.OrderBy[0].Column == columnA {
		info.OrderByConsumed = true
		if info.OrderBy[0].Desc {
			info.IdxNum = reversed
		}
	}
	info.IdxStr = strings.Join(append(plan, string(t.method)), " ")
	return nil
}

var operators = map[vtab.ConstraintOp]string{vtab.OpEQ: "=", vtab.OpGE: ">=", vtab.OpGT: ">", vtab.OpLE: "<=", vtab.OpLT: "<"}

func (t *table) Open() (vtab.Cursor, error) { return &cursor{table: t}, nil }
func (t *table) Disconnect() error          { return nil }
func (t *table) Destroy() error             { return nil }

// cursor is one scan: the records of a query, in order.
type cursor struct {
	table *table
	rows  []records.Record
	at    int
}

// Filter fetches the records between the bounds.
func (c *cursor) Filter(number int, plan string, values []vtab.Value) error {
	q := records.Query{Low: math.MinInt64, High: math.MaxInt64, Reverse: number == reversed, Method: c.table.method}
	for i, word := range strings.Fields(plan)[1:] {
		op, bound := strings.CutPrefix(strings.TrimSuffix(word, "?"), "a")
		if !bound || !strings.HasSuffix(word, "?") {
			break // the method, at its end
		}
		v, ok := values[i].(int64)
		if !ok {
			return fmt.Errorf("a %s %v: want an integer", op, values[i])
		}
		if !narrow(&q, op, v) {
			c.rows, c.at = nil, 0
			return nil
		}
	}
	if q.Low > q.High {
		q.High = q.Low
	}
	var err error
	c.at = 0
	c.rows, _, err = c.table.store.Fetch(context.Background(), q, c.rows[:0], c.table.trace)
	return err
}

// narrow applies one bound, and reports whether anything can lie in it. The range of a query has no place for the largest integer.
func narrow(q *records.Query, op string, v int64) bool {
	if v == math.MaxInt64 {
		return op == "<" || op == "<="
	}
	switch op {
	case "=":
		q.Low, q.High = max(q.Low, v), min(q.High, v+1)
	case ">=":
		q.Low = max(q.Low, v)
	case ">":
		q.Low = max(q.Low, v+1)
	case "<=":
		q.High = min(q.High, v+1)
	case "<":
		q.High = min(q.High, v)
	}
	return true
}

func (c *cursor) Next() error { c.at++; return nil }
func (c *cursor) Eof() bool   { return c.at >= len(c.rows) }

// Column is a value of the current record.
func (c *cursor) Column(column int) (vtab.Value, error) {
	r := &c.rows[c.at]
	switch column {
	case columnID:
		return r.ID, nil
	case columnA:
		return r.A, nil
	case columnC:
		return r.C, nil
	}
	return nil, errors.New("no such column")
}

func (c *cursor) Rowid() (int64, error) { return c.rows[c.at].ID, nil }
func (c *cursor) Close() error          { c.rows = nil; return nil }
