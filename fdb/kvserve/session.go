package kvserve

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/phaselock/phaselock/fdb/wire"
)

const (
	// maxUnderWay is how many requests of one connection are served together; more wait in the connection.
	maxUnderWay = 4096
	// maxUnsent is how many bytes of replies may wait for a client before its next request is read.
	maxUnsent = 16 << 20
	// patience is how long a client may take to say hello, and to take a batch of replies, before it is given up.
	patience = 30 * time.Second
)

// session serves one connection: one goroutine reads requests, one for each request serves it, one sends replies.
type session struct {
	server *Server
	pipe   pipe
	out    *outbox
	slots  chan struct{} // one taken for each request under way

	mu       sync.Mutex
	ending   bool
	underWay sync.WaitGroup // added to under mu, and not any more when ending
}

// serve returns when the client has gone, has sent what is no request, or the server has been told to stop; then every
// request that was begun has been answered, as far as the client could be reached.
func (s *Server) serve(p pipe) {
	se := &session{server: s, pipe: p, out: newOutbox(), slots: make(chan struct{}, maxUnderWay)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		se.read()
	}()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		se.send()
	}()
	select {
	case <-read:
	case <-sent: // the client can't be reached
	case <-s.stopping:
	}
	se.mu.Lock()
	se.ending = true
	se.mu.Unlock()
	se.underWay.Wait()
	se.out.close()
	<-sent
	p.close()
	<-read
}

// read takes requests until there are no more.
func (se *session) read() {
	late := time.AfterFunc(patience, se.pipe.close)
	defer late.Stop()
	for greeted := false; ; {
		se.out.room(maxUnsent)
		data, err := se.pipe.receive()
		if err == nil {
			greeted, err = se.accept(data, greeted)
		}
		if err != nil {
			se.server.ended(err)
			return
		}
		late.Stop()
	}
}

// accept begins to serve one message.
func (se *session) accept(data []byte, greeted bool) (bool, error) {
	id, m, err := wire.Decode(data)
	if err != nil {
		return false, brokenError{err}
	}
	if _, hello := m.(*wire.Hello); !hello && !greeted {
		return false, brokenError{fmt.Errorf("%T before hello", m)}
	}
	if !isRequest(m) {
		return false, brokenError{fmt.Errorf("%T is no request", m)}
	}
	se.slots <- struct{}{}
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.ending {
		return false, errStopping // not begun: the client sees the connection end
	}
	se.underWay.Go(func() {
		se.out.put(se.server.answer(id, m, len(data)))
		<-se.slots
	})
	return true, nil
}

var errStopping = errors.New("the server stops")

// send sends replies until the outbox is closed and empty, or the client does not take them.
func (se *session) send() {
	for {
		batch, more := se.out.take()
		if !more {
			return
		}
		late := time.AfterFunc(patience, se.pipe.close)
		err := se.pipe.send(batch)
		late.Stop()
		if err != nil {
			se.out.discard()
			return
		}
		se.out.sent(batch)
	}
}
