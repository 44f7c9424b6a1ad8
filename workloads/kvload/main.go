// Kvload puts a key-value store under load and says how long its transactions took.
//
//	kvload -workload get100 -workers 8 -warmup 1s -duration 5s
//	{"cpu-ns/tx":…,"max-ns":…,"mean-ns":…,"p50-ns":…,"p99-ns":…,"p99.9-ns":…,"retries":0,"transactions":…,"tx/s":…}
//
// A closed loop by default: every worker starts a transaction when its last one has ended. With -rate the loop is open: transactions are
// due at a steady pace whether or not the ones before have ended, and each one's latency counts from when it was due, so that a
// stall is not hidden by the requests that it kept from being made (coordinated omission).
//
// The store is the one that PHASELOCK_CLUSTER or FDB_CLUSTER_FILE names, else one in this process. A transaction that fails in the end, or
// reads something else than was written, ends the load with exit code 1 and without a line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/connect"
	"github.com/phaselock/phaselock/workloads/audit"
)

// settings are the flags.
type settings struct {
	workload string
	workers  int
	warmup   time.Duration
	duration time.Duration
	rate     float64 // transactions a second, of the open loop; 0 is the closed one
	keys     int
	seed     uint64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "kvload:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	w, err := newWork(s)
	if err != nil {
		return err
	}
	r, err := measure(ctx, s, w, connect.FromEnvironment)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(r.line())
}

func parse(args []string) (*settings, error) {
	var s settings
	f := flag.NewFlagSet("kvload", flag.ContinueOnError)
	f.StringVar(&s.workload, "workload", "get100", "what a transaction does: "+names())
	f.IntVar(&s.workers, "workers", 1, "transactions that are under way at once, at most")
	f.DurationVar(&s.warmup, "warmup", time.Second, "how long it runs before it is measured")
	f.DurationVar(&s.duration, "duration", 5*time.Second, "how long it is measured")
	f.Float64Var(&s.rate, "rate", 0, "transactions a second of an open loop; 0 is a closed loop")
	f.IntVar(&s.keys, "keys", 10_000, "keys that there are")
	f.Uint64Var(&s.seed, "seed", 1, "of the choice of keys")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("argument %q: there are flags only", f.Arg(0))
	case s.workers < 1 || s.workers > 10_000:
		return nil, fmt.Errorf("-workers %d: want 1 to 10000", s.workers)
	case s.warmup < 0 || s.duration <= 0:
		return nil, errors.New("-duration must be positive, -warmup not negative")
	case s.rate < 0 || s.rate > 1e7:
		return nil, fmt.Errorf("-rate %v: want 0 to 10000000 transactions a second", s.rate)
	case s.keys < 1000 || s.keys > 10_000_000:
		return nil, fmt.Errorf("-keys %d: want 1000 to 10000000", s.keys)
	}
	return &s, nil
}

// measure fills the store, attaches to it, runs the load and closes it. Process CPU is counted from before the attachment to after the
// close, so that what a client does at both ends and in the background is in it.
func measure(ctx context.Context, s *settings, w *work, open func(context.Context) (fdb.Database, error)) (*result, error) {
	db, err := open(ctx)
	if err != nil {
		return nil, err
	}
	closed := false
	defer func() {
		if !closed {
			_ = db.Close() // another error is under way
		}
	}()
	if err := w.fill(ctx, db); err != nil {
		return nil, fmt.Errorf("fill the store: %w", err)
	}
	before, err := processCPU()
	if err != nil {
		return nil, err
	}
	if db.Client() != "embedded" { // whose data would be gone
		if err := db.Close(); err != nil {
			return nil, err
		}
		if db, err = open(ctx); err != nil {
			return nil, err
		}
	}
	loop := "closed"
	if s.rate > 0 {
		loop = "open"
	}
	if err := audit.Client(db.Client(), audit.Fields{"loop": loop, "workers": s.workers}); err != nil {
		return nil, err
	}
	r, err := newLoad(s, func(ctx context.Context, k *worker) error { return w.transact(ctx, db, k) }).run(ctx)
	if err != nil {
		return nil, err
	}
	closed = true
	if err := db.Close(); err != nil {
		return nil, err
	}
	after, err := processCPU()
	r.cpu = after - before
	return r, err
}
