package kvserve

// pipe carries whole messages both ways between a client and the server. It is all that the transports differ in.
type pipe interface {
	// send writes messages in their order, and returns when they are on their way. One goroutine calls it.
	send(messages [][]byte) error
	// receive returns the next message, whose memory is the caller's. One goroutine calls it.
	receive() ([]byte, error)
	// close makes both return an error. Any goroutine may call it, more than once.
	close()
}

const (
	// maxRequest is what a request holds at most: a transaction of 10,000,000 bytes and its conflict ranges.
	maxRequest = 16 << 20
	// maxReply is what a reply holds at most: the ten lookups of a mapped range that run together may each find 10 MB.
	maxReply = 128 << 20
)
