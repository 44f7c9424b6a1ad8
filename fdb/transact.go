package fdb

import "context"

// Transact runs f in a transaction and commits it, again from the start for as long as an error can be retried. f counts
// its own attempts; it must not keep what it reads of an attempt that fails.
func Transact(ctx context.Context, db Database, f func(Transaction) error) error {
	tr := db.Begin()
	for {
		err := f(tr)
		if err == nil {
			err = tr.Commit(ctx)
		}
		if err == nil {
			return nil
		}
		if err := tr.OnError(ctx, err); err != nil {
			return err
		}
	}
}
