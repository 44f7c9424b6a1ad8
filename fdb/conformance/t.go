package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// T is a case under way. Its failures are kept, so that a test can hold the suite to finding them.
type T struct {
	db       fdb.Database
	ctx      context.Context
	prefix   []byte
	failures []string
}

type stopped struct{}

func (t *T) errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}

func (t *T) fatalf(format string, args ...any) {
	t.errorf(format, args...)
	panic(stopped{})
}

// must ends the case where an error stands against what it set out to do.
func (t *T) must(err error) {
	if err != nil {
		t.fatalf("%v", err)
	}
}

// code holds an error to a number of the store.
func (t *T) code(what string, err error, codes ...int) {
	var e fdb.Error
	if errors.As(err, &e) {
		for _, c := range codes {
			if e.Code == c {
				return
			}
		}
	}
	t.errorf("%s: %v, want error %v", what, err, codes)
}

// same holds what was got to what is right, both as they print.
func (t *T) same(what string, got, want any) {
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.errorf("%s: got %s, want %s", what, g, w)
	}
}

// k is a key of the case.
func (t *T) k(name string) []byte { return append(bytes.Clone(t.prefix), name...) }

// tuple is a key of the case whose elements follow those of the prefix.
func (t *T) tuple(elements ...any) []byte {
	return append(bytes.Clone(t.prefix), tuple.Tuple(elements).Pack()...)
}

// keys is a range of keys of the case.
func (t *T) keys(begin, end string) fdb.Range { return fdb.Keys(t.k(begin), t.k(end)) }

func (t *T) clear() {
	end, err := tuple.Strinc(t.prefix)
	t.must(err)
	t.write(func(tr fdb.Transaction) { tr.ClearRange(t.prefix, end) })
}

// write commits what f writes.
func (t *T) write(f func(fdb.Transaction)) {
	t.must(fdb.Transact(t.ctx, t.db, func(tr fdb.Transaction) error {
		f(tr)
		return nil
	}))
}

// put writes keys of the case, each with its own name as value.
func (t *T) put(names ...string) {
	t.write(func(tr fdb.Transaction) {
		for _, n := range names {
			tr.Set(t.k(n), []byte(n))
		}
	})
}

// begin starts a transaction whose read version is taken.
func (t *T) begin() fdb.Transaction {
	tr := t.db.Begin()
	_, err := tr.ReadVersion(t.ctx)
	t.must(err)
	return tr
}

// get reads a key of the case; "-" is one that is not there.
func (t *T) get(tr fdb.Transaction, name string) string { return t.read(tr, name, false) }

func (t *T) read(tr fdb.Transaction, name string, snapshot bool) string {
	v, err := tr.Get(t.k(name), snapshot).Wait(t.ctx)
	t.must(err)
	if !v.Present {
		return "-"
	}
	return string(v.Bytes)
}

// now reads a key of the case in a transaction of its own.
func (t *T) now(name string) string { return t.get(t.db.Begin(), name) }

// page reads one page.
func (t *T) page(tr fdb.Transaction, r fdb.Range) fdb.Page {
	p, err := tr.GetRange(r).Wait(t.ctx)
	t.must(err)
	return p
}

// names are the keys of pairs without the prefix.
func (t *T) names(pairs []fdb.KeyValue) string {
	var out []string
	for _, p := range pairs {
		out = append(out, t.name(p.Key))
	}
	return strings.Join(out, " ")
}

func (t *T) name(key []byte) string { return string(bytes.TrimPrefix(key, t.prefix)) }

// committed holds a commit to its success, refused to its conflict.
func (t *T) committed(what string, tr fdb.Transaction) {
	if err := tr.Commit(t.ctx); err != nil {
		t.errorf("%s: the commit fails: %v", what, err)
	}
}

func (t *T) refused(what string, tr fdb.Transaction) {
	t.code(what+": the commit", tr.Commit(t.ctx), fdb.NotCommitted)
}
