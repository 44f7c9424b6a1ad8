// Package kvserve is the embedded engine in a process of its own, and the client of it: fdb.Database over gRPC or over a
// plain framing on TCP. Both transports carry the same messages (package wire) to the same server, many under way on one
// connection, so that a comparison of the two clients compares the transports.
//
// It is no FoundationDB: one process, memory only, no replication. Its numbers are those of a client and a network path.
package kvserve

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
)

// maxSessions is how many connections are served together; one more is closed at once.
const maxSessions = 1024

// Server serves one engine. NewServer is the only door.
type Server struct {
	engine   *embedded.Store
	latency  time.Duration
	instance [16]byte
	counters tally

	stopping  chan struct{}
	stop      sync.Once
	listeners sync.WaitGroup
	sessions  sync.WaitGroup

	mu     sync.Mutex // of what follows
	closed bool
	stops  []func()          // each stops one listener
	pipes  map[pipe]struct{} // of the connections that are served
}

// NewServer makes a server of an engine, which stays the caller's to close. Every request waits for the latency before
// it is served.
func NewServer(engine *embedded.Store, latency time.Duration) *Server {
	s := &Server{engine: engine, latency: latency, stopping: make(chan struct{}), pipes: map[pipe]struct{}{}}
	rand.Read(s.instance[:])
	return s
}

// ServeFrame accepts connections of the plain transport until the server stops. It returns at once.
func (s *Server) ServeFrame(l net.Listener) {
	s.start(func() { l.Close() }, func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				if errors.Is(err, net.ErrClosed) {
					return
				}
				if !s.pause(10 * time.Millisecond) { // out of descriptors, say
					return
				}
				continue
			}
			s.begin(newFrame(conn, maxRequest), true)
		}
	})
}

// ServeGRPC accepts connections of the transport over gRPC until the server stops. It returns at once.
func (s *Server) ServeGRPC(l net.Listener) {
	g := newGRPCServer(func(p pipe) { s.begin(p, false) })
	s.start(g.Stop, func() { g.Serve(l) })
}

// start runs a listener until stop is called.
func (s *Server) start(stop, run func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		stop()
		return
	}
	s.stops = append(s.stops, stop)
	s.listeners.Go(run)
}

// begin serves a connection, in a goroutine of its own or in the caller's.
func (s *Server) begin(p pipe, own bool) {
	s.mu.Lock()
	if s.closed || len(s.pipes) == maxSessions {
		s.mu.Unlock()
		p.close()
		return
	}
	s.pipes[p] = struct{}{}
	s.sessions.Add(1)
	s.mu.Unlock()
	s.counters.connected()
	run := func() {
		defer s.sessions.Done()
		s.serve(p)
		s.mu.Lock()
		delete(s.pipes, p)
		s.mu.Unlock()
	}
	if own {
		go run()
		return
	}
	run()
}

// Shutdown stops the server: no connection and no request is taken any more, what is under way is answered, then the
// connections end. When the context ends first, connections are cut, and its error is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	stops := s.stops
	s.stops = nil
	s.mu.Unlock()
	s.stop.Do(func() { close(s.stopping) })
	answered := make(chan struct{})
	go func() {
		s.sessions.Wait()
		close(answered)
	}()
	var err error
	select {
	case <-answered:
	case <-ctx.Done():
		err = ctx.Err()
		s.mu.Lock()
		for p := range s.pipes {
			p.close()
		}
		s.mu.Unlock()
		<-answered
	}
	for _, stop := range stops {
		stop()
	}
	s.listeners.Wait()
	return err
}

// pause waits, and reports whether the server goes on.
func (s *Server) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stopping:
		return false
	}
}

// ended counts what ended a connection, where the client is to blame.
func (s *Server) ended(err error) {
	var broken brokenError
	if errors.As(err, &broken) {
		s.counters.broke()
	}
}

// Counters is what the server has served since its start.
func (s *Server) Counters() fdb.Counters { return served(s.counters.read()) }
