package fdb

import "context"

// Ready is a future whose result is here.
func Ready[T any](v T, err error) Future[T] { return ready[T]{v, err} }

type ready[T any] struct {
	v   T
	err error
}

func (r ready[T]) Wait(context.Context) (T, error) { return r.v, r.err }
