package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/phaselock/phaselock/fdb"
)

// ours reports whether a client's store is one of this project's, where nobody keeps anything.
func ours(client string) bool {
	return client == "embedded" || client == "double" || strings.HasPrefix(client, "kvserve-")
}

// clear removes every user key, and waits until no queue, and nothing that is moved between servers, has more bytes than
// settle: a clear is one small mutation, whose work comes afterwards.
func (c *Clusters) clear(ctx context.Context, db fdb.Database, settle int64) error {
	if !c.Destroy && !ours(db.Client()) {
		return fmt.Errorf("fdb.clear_user_keys removes every user key of this cluster (client %s); give --destroy-user-keys if that is wanted", db.Client())
	}
	err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
		tr.ClearRange(nil, []byte{0xff})
		return nil
	})
	if err != nil {
		return fmt.Errorf("clear: %w", err)
	}
	for {
		d, err := document(ctx, db)
		if err != nil {
			return err
		}
		f := d.Facts()
		settled, left := f.Settled(float64(settle))
		if settled {
			return nil
		}
		if err := c.sleep(ctx, pollEvery); err != nil {
			return fmt.Errorf("cleared, but not settled: %s: %w", left, err)
		}
	}
}

func (c *Clusters) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
