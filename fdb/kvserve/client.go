package kvserve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/wire"
)

// Transports, as a cluster's text names them.
const (
	GRPC  = "grpc"
	Frame = "frame"
)

// Client is a connection to a server. Requests of all its transactions are under way together.
type Client struct {
	transport string
	pipe      pipe
	out       *outbox
	running   sync.WaitGroup
	buffers   *embedded.Store // where transactions keep what they write; nothing is ever committed to it

	mu      sync.Mutex // of what follows
	next    uint64
	calls   map[uint64]func(wire.Message, error)
	lost    error // why the connection is gone
	latency time.Duration
}

// ErrLost says that the connection to the server is gone. What was under way may have been done or not.
var ErrLost = errors.New("the connection to kvserve is lost")

// Dial connects to a server over a transport, and waits for its hello.
func Dial(ctx context.Context, transport, address string) (*Client, error) {
	dial := map[string]func(context.Context, string) (pipe, error){GRPC: dialGRPC, Frame: dialFrame}[transport]
	if dial == nil {
		return nil, fmt.Errorf("kvserve: no transport %q; there are %s and %s", transport, GRPC, Frame)
	}
	p, err := dial(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("kvserve at %s: %w", address, err)
	}
	c := &Client{transport: transport, pipe: p, out: newOutbox(), calls: map[uint64]func(wire.Message, error){}, buffers: embedded.New(embedded.Options{})}
	c.running.Go(c.receive)
	c.running.Go(c.send)
	hello, err := ask[*wire.HelloReply](ctx, c, &wire.Hello{})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("kvserve at %s: %w", address, err), c.Close())
	}
	c.latency = time.Duration(hello.Latency)
	return c, nil
}

// Client is "kvserve-grpc" or "kvserve-frame".
func (c *Client) Client() string { return "kvserve-" + c.transport }

// Latency is what the server makes each request wait for, for experiments.
func (c *Client) Latency() time.Duration { return c.latency }

// Begin starts a transaction.
func (c *Client) Begin() fdb.Transaction { return newTransaction(c) }

// Status is the server's status document.
func (c *Client) Status(ctx context.Context) ([]byte, error) {
	r, err := ask[*wire.StatusReply](ctx, c, &wire.Status{})
	if err != nil {
		return nil, err
	}
	return r.Document, nil
}

// Boundaries gives the keys at which shards start.
func (c *Client) Boundaries(ctx context.Context, begin, end []byte) ([][]byte, error) {
	r, err := ask[*wire.BoundariesReply](ctx, c, &wire.Boundaries{Begin: begin, End: end})
	if err != nil {
		return nil, err
	}
	return r.Keys, nil
}

// Counters is what the server has served to all its clients. Bytes are those of whole requests and replies.
func (c *Client) Counters(ctx context.Context) (fdb.Counters, error) {
	r, err := ask[*wire.CountersReply](ctx, c, &wire.Counters{})
	if err != nil {
		return fdb.Counters{}, err
	}
	return served(r), nil
}

// served is what a server has counted, as every store counts it. Bytes are those of whole requests and replies.
func served(r *wire.CountersReply) fdb.Counters {
	return fdb.Counters{
		ReadVersions: int64(r.ReadVersions), Gets: int64(r.Gets + r.GetKeys), Ranges: int64(r.Ranges), MappedRanges: int64(r.MappedRanges),
		Rows: int64(r.Rows), Loads: int64(r.Loads), Commits: int64(r.Commits), BytesRead: int64(r.BytesOut), BytesWritten: int64(r.BytesIn),
	}
}

// Close ends the connection; what is under way fails.
func (c *Client) Close() error {
	c.fail(errors.New("the connection was closed"))
	c.out.close()
	c.pipe.close()
	c.running.Wait()
	return c.buffers.Close()
}

// call sends a request; done is called once with its reply, or why there is none.
func (c *Client) call(m wire.Message, done func(wire.Message, error)) {
	c.mu.Lock()
	if c.lost != nil {
		err := c.lost
		c.mu.Unlock()
		done(nil, err)
		return
	}
	c.next++
	id := c.next
	c.calls[id] = done
	c.mu.Unlock()
	c.out.put(wire.Append(nil, id, m))
}

// ask is a call that is waited for.
func ask[R wire.Message](ctx context.Context, c *Client, m wire.Message) (R, error) {
	f := newFuture[R]()
	c.call(m, func(reply wire.Message, err error) {
		r, ok := reply.(R)
		if err == nil && !ok {
			err = fmt.Errorf("kvserve answered %T with %T", m, reply)
		}
		f.resolve(r, err)
	})
	return f.Wait(ctx)
}

// receive hands replies to those who wait for them.
func (c *Client) receive() {
	for {
		data, err := c.pipe.receive()
		var id uint64
		var m wire.Message
		if err == nil {
			id, m, err = wire.Decode(data)
		}
		if err != nil {
			c.fail(fmt.Errorf("%w: %w", ErrLost, err))
			c.out.discard()
			return
		}
		c.mu.Lock()
		done := c.calls[id]
		delete(c.calls, id)
		c.mu.Unlock()
		if done == nil {
			continue // nobody waits for it
		}
		if failed, ok := m.(*wire.Failed); ok {
			if m, err = nil, errors.New(failed.Text); failed.Code != 0 {
				err = fdb.Error{Code: failed.Code}
			}
		}
		done(m, err)
	}
}

// send sends requests, those that wait together at once.
func (c *Client) send() {
	for {
		batch, more := c.out.take()
		if !more {
			return
		}
		if err := c.pipe.send(batch); err != nil {
			c.fail(fmt.Errorf("%w: %w", ErrLost, err))
			c.out.discard()
			return
		}
		c.out.sent(batch)
	}
}

// fail ends what is under way and what comes after.
func (c *Client) fail(err error) {
	c.mu.Lock()
	if c.lost == nil {
		c.lost = err
	}
	calls := c.calls
	c.calls = map[uint64]func(wire.Message, error){}
	c.mu.Unlock()
	for _, done := range calls {
		done(nil, err)
	}
}
