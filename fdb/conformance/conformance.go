// Package conformance is one suite over every implementation of fdb.Database: each behaviour is a case of its own, so that
// what an implementation gets wrong has a name.
package conformance

import (
	"context"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Case is one behaviour.
type Case struct {
	Name string
	run  func(*T)
}

// Cases are all behaviours. They write below the prefix of Prefix alone.
func Cases() []Case {
	return slices.Concat(basic, versions, ownWrites, conflicts, selectors, ranges, mappedRanges, lifecycle, places)
}

// Prefix is what the keys of a case start with: a tuple, as mapped ranges want it.
func Prefix(name string) []byte { return tuple.Tuple{"phaselock", "conformance", name}.Pack() }

// prefixElements is how many elements of a key are its prefix.
const prefixElements = 3

// patience is how long one case may take.
const patience = 2 * time.Minute

// Run holds a database to every case, each a subtest.
func Run(t *testing.T, open func(t *testing.T) fdb.Database) {
	db := open(t)
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for _, failure := range c.Failures(db) {
				t.Error(failure)
			}
		})
	}
}

// Failures runs the case, and says where the database does something else.
func (c Case) Failures(db fdb.Database) (failures []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	t := &T{db: db, ctx: ctx, prefix: Prefix(c.Name)}
	defer func() {
		if r := recover(); r != nil && r != any(stopped{}) {
			t.errorf("panic: %v\n%s", r, debug.Stack())
		}
		failures = t.failures
	}()
	t.clear()
	c.run(t)
	t.clear()
	return
}
