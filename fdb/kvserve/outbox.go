package kvserve

import (
	"runtime"
	"sync"
)

// outbox holds the messages that wait to be sent. Putting one never blocks; one goroutine takes all that are there at once,
// so that what comes while a send is under way leaves together with the next.
type outbox struct {
	mu      sync.Mutex
	changed sync.Cond
	queue   [][]byte
	size    int // bytes that wait or are being sent
	closed  bool
}

func newOutbox() *outbox {
	o := &outbox{}
	o.changed.L = &o.mu
	return o
}

func (o *outbox) put(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.queue = append(o.queue, message)
	o.size += len(message)
	o.changed.Broadcast()
}

// take returns what waits, in order, and false when the outbox is closed and empty.
func (o *outbox) take() ([][]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.closed {
		o.changed.Wait()
	}
	if !o.closed { // those who are about to put more do so first: one write for all of them
		o.mu.Unlock()
		runtime.Gosched()
		o.mu.Lock()
	}
	taken := o.queue
	o.queue = nil
	return taken, len(taken) > 0
}

// sent says that messages which were taken have left.
func (o *outbox) sent(messages [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range messages {
		o.size -= len(m)
	}
	o.changed.Broadcast()
}

// room waits until at most so many bytes wait.
func (o *outbox) room(bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > bytes && !o.closed {
		o.changed.Wait()
	}
}

// close lets what waits leave and takes nothing more.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
}

// discard closes the outbox and forgets what waits.
func (o *outbox) discard() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue, o.size, o.closed = nil, 0, true
	o.changed.Broadcast()
}
