package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/phaselock/phaselock/workloads/histogram"
)

// clock is the time of a load, from its start.
type clock interface {
	now() time.Duration
	// until returns at that time, or at once if it has passed; the error is the context's.
	until(ctx context.Context, t time.Duration) error
}

// wallClock is the machine's monotonic clock.
type wallClock struct{ start time.Time }

func (c wallClock) now() time.Duration { return time.Since(c.start) }

func (c wallClock) until(ctx context.Context, t time.Duration) error {
	wait := t - c.now()
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// load runs transactions from the start of the warm-up to the end of the measurement.
type load struct {
	workers  int
	from, to time.Duration // what is measured: transactions that begin (or are due, in an open loop) in it
	every    time.Duration // from one that is due to the next, of an open loop; 0 is a closed loop
	seed     uint64
	clock    clock
	transact func(context.Context, *worker) error
	next     atomic.Int64 // the number of the next transaction that is due
}

// worker is one of those that run transactions one after the other.
type worker struct {
	random    *rand.Rand
	latencies histogram.Histogram
	all       int64 // transactions, the warm-up's included
	retries   int64 // attempts beyond the first, of those that are measured
	attempts  int64 // of the transaction under way
	last      time.Duration
}

func newLoad(s *settings, transact func(context.Context, *worker) error) *load {
	l := &load{
		workers: s.workers, from: s.warmup, to: s.warmup + s.duration, seed: s.seed,
		clock: wallClock{time.Now()}, transact: transact,
	}
	if s.rate > 0 {
		l.every = time.Duration(float64(time.Second) / s.rate)
	}
	return l
}

// run runs the load. A transaction that fails ends all of it: a load without some of its transactions is another load.
func (l *load) run(ctx context.Context) (*result, error) {
	workers := make([]worker, l.workers)
	g, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		w := &workers[i]
		w.random = rand.New(rand.NewPCG(l.seed, uint64(i)))
		g.Go(func() error { return l.work(ctx, w) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	r := &result{}
	end := l.to
	for i := range workers {
		w := &workers[i]
		r.latencies.Add(&w.latencies)
		r.all += w.all
		r.retries += w.retries
		end = max(end, w.last)
	}
	if r.latencies.Count() == 0 {
		return nil, errors.New("no transaction was begun while it was measured: give it more time")
	}
	r.lasted = end - l.from
	return r, nil
}

// work is one worker's loop.
func (l *load) work(ctx context.Context, w *worker) error {
	for {
		begin := l.clock.now()
		if l.every > 0 {
			begin = time.Duration(l.next.Add(1)-1) * l.every
		}
		if begin >= l.to {
			return nil
		}
		if err := l.clock.until(ctx, begin); err != nil {
			return err
		}
		w.attempts = 0
		if err := l.transact(ctx, w); err != nil {
			return err
		}
		end := l.clock.now()
		w.all++
		if begin < l.from {
			continue
		}
		if err := w.latencies.Record(end - begin); err != nil {
			return err
		}
		w.retries += max(w.attempts-1, 0)
		w.last = end
	}
}

// result is what a load came to.
type result struct {
	latencies histogram.Histogram
	all       int64         // transactions, the warm-up's included
	retries   int64         // of those that were measured
	lasted    time.Duration // from the end of the warm-up to the end of the last transaction that is measured
	cpu       time.Duration // of the process, from attach to after shutdown
}

// line is the result as metrics.
func (r *result) line() map[string]float64 {
	h := &r.latencies
	return map[string]float64{
		"mean-ns": float64(h.Mean()), "p50-ns": float64(h.PerMille(500)), "p99-ns": float64(h.PerMille(990)), "p99.9-ns": float64(h.PerMille(999)),
		"max-ns": float64(h.Max()), "tx/s": float64(h.Count()) / r.lasted.Seconds(), "transactions": float64(h.Count()),
		"retries": float64(r.retries), "cpu-ns/tx": float64(r.cpu) / float64(r.all),
	}
}
