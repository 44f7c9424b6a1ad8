package kvserve

import "context"

// future is a result that comes from the server.
type future[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newFuture[T any]() *future[T] { return &future[T]{done: make(chan struct{})} }

// resolve gives the result, once.
func (f *future[T]) resolve(v T, err error) {
	f.value, f.err = v, err
	close(f.done)
}

// Wait blocks until the result is here, or the context ends.
func (f *future[T]) Wait(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	default:
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
