package kvserve

import (
	"sync"

	"github.com/phaselock/phaselock/fdb/wire"
)

// tally counts what is served.
type tally struct {
	mu  sync.Mutex
	now wire.CountersReply
}

func (t *tally) connected() { t.add(func(c *wire.CountersReply) { c.Connections++ }) }
func (t *tally) broke()     { t.add(func(c *wire.CountersReply) { c.Broken++ }) }

func (t *tally) add(f func(*wire.CountersReply)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.now)
}

func (t *tally) read() *wire.CountersReply {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now
	return &now
}

// served counts a request and its reply, each with its length. Hello, Status and Counters are not counted.
func (t *tally) served(request, reply wire.Message, in, out int) {
	t.add(func(c *wire.CountersReply) {
		switch request.(type) {
		case *wire.ReadVersion:
			c.ReadVersions++
		case *wire.Get:
			c.Gets++
		case *wire.GetKey:
			c.GetKeys++
		case *wire.GetRange:
			c.Ranges++
		case *wire.GetMapped:
			c.MappedRanges++
		case *wire.Commit:
			c.Commits++
		case *wire.Boundaries, *wire.Addresses:
			c.Locality++
		default:
			return
		}
		c.BytesIn += uint64(in)
		c.BytesOut += uint64(out)
		switch r := reply.(type) {
		case *wire.Failed:
			c.Failures++
		case *wire.GetRangeReply:
			c.Rows += uint64(len(r.Page.Pairs))
		case *wire.GetMappedReply:
			c.Rows += uint64(len(r.Page.Rows))
			c.Loads += uint64(len(r.Page.Rows))
		}
	})
}
