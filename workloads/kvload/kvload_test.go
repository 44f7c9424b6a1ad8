package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
)

// stalled is a virtual clock, and a server that answers in a millisecond but stands still for a second from when a request arrives.
type stalled struct {
	mu   sync.Mutex
	time time.Duration
	seen int
}

func (s *stalled) now() time.Duration { s.mu.Lock(); defer s.mu.Unlock(); return s.time }

func (s *stalled) until(_ context.Context, t time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time = max(s.time, t)
	return nil
}

// transact answers request i, due at i ms: in 1 ms, or at the end of the stall that request 9900 meets, with all that wait behind it.
func (s *stalled) transact(context.Context, *worker) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := time.Duration(s.seen) * time.Millisecond
	s.time = max(s.time, due+time.Millisecond)
	if s.seen == 9900 {
		s.time = due + time.Second
	}
	s.seen++
	return nil
}

// One stall of a second in an open loop: the percentiles are those of all requests that were due, as the golden numbers of coordinated
// omission have them.
func TestOpenLoopCountsWhatAStallDelays(t *testing.T) {
	data, err := os.ReadFile("../histogram/testdata/histograms.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Omission struct {
			N   int64            `json:"corrected_n"`
			HDR map[string]int64 `json:"hdr_python_corrected"`
		} `json:"coordinated_omission"`
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	server := &stalled{}
	l := &load{workers: 1, to: 10900 * time.Millisecond, every: time.Millisecond, clock: server, transact: server.transact}
	r, err := l.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	h := &r.latencies
	if h.Count() != g.Omission.N {
		t.Errorf("%d latencies, want %d", h.Count(), g.Omission.N)
	}
	for name, p := range map[string]int{"95": 950, "99": 990, "99.9": 999} {
		if got, want := int64(h.PerMille(p)), g.Omission.HDR[name]; got != want {
			t.Errorf("p%s is %d, want %d", name, got, want)
		}
	}
	if h.Max() != time.Second || h.PerMille(500) != time.Duration(g.Omission.HDR["50"]) {
		t.Errorf("max %v, p50 %v", h.Max(), h.PerMille(500))
	}
}

// What is begun in the warm-up is not measured, and its transactions share in the CPU.
func TestWarmUpIsNotMeasured(t *testing.T) {
	server := &stalled{}
	l := &load{workers: 1, from: 100 * time.Millisecond, to: 300 * time.Millisecond, every: time.Millisecond, clock: server, transact: server.transact}
	r, err := l.run(context.Background())
	if err != nil || r.latencies.Count() != 200 || r.all != 300 || r.lasted != 200*time.Millisecond {
		t.Errorf("%+v, %v", r, err)
	}
	r.cpu = 3 * time.Second
	line := r.line()
	if line["cpu-ns/tx"] != 1e7 || line["tx/s"] != 1000 || line["transactions"] != 200 {
		t.Errorf("%v", line)
	}
}

// A transaction that fails ends the load.
func TestFailureEndsTheLoad(t *testing.T) {
	s := &settings{workers: 4, duration: time.Hour}
	broken := errors.New("broken")
	var mu sync.Mutex
	n := 0
	_, err := newLoad(s, func(context.Context, *worker) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 100 {
			return broken
		}
		return nil
	}).run(context.Background())
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

// Every workload on a store, in a closed and an open loop: what it says is what happened.
func TestWorkloads(t *testing.T) {
	for _, k := range kinds {
		for _, rate := range []string{"0", "200"} {
			var out bytes.Buffer
			err := run(context.Background(), []string{"-workload", k.name, "-workers", "3", "-warmup", "10ms", "-duration", "100ms", "-keys", "2000", "-rate", rate}, &out)
			var line map[string]float64
			if err == nil {
				err = json.Unmarshal(out.Bytes(), &line)
			}
			if err != nil {
				t.Errorf("%s: %v", k.name, err)
				continue
			}
			if line["transactions"] < 1 || line["p50-ns"] <= 0 || line["p50-ns"] > line["p99-ns"] || line["p99-ns"] > line["p99.9-ns"] || line["p99.9-ns"] > line["max-ns"] || line["cpu-ns/tx"] <= 0 {
				t.Errorf("%s: %v", k.name, line)
			}
			if rate == "200" && line["transactions"] != 20 { // due at 10, 15, … 105 ms
				t.Errorf("%s: an open loop of 200 a second made %v transactions in 100 ms", k.name, line["transactions"])
			}
		}
	}
}

// What each workload asks of the store, by the store's own count.
func TestWhatATransactionDoes(t *testing.T) {
	for name, want := range map[string]fdb.Counters{
		"grv": {}, "get100": {Gets: 100}, "get1000": {Gets: 1000}, "range100": {Ranges: 1, Rows: 100}, "set100": {Commits: 1}, "batchset50x1000": {Commits: 1},
	} {
		db := embedded.New(embedded.Options{})
		w, err := newWork(&settings{workload: name, keys: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.fill(context.Background(), db); err != nil {
			t.Fatal(err)
		}
		before, _ := db.Counters(context.Background())
		k := &worker{random: newRandom()}
		if err := w.transact(context.Background(), db, k); err != nil {
			t.Fatal(err)
		}
		after, _ := db.Counters(context.Background())
		got := fdb.Counters{Gets: after.Gets - before.Gets, Ranges: after.Ranges - before.Ranges, Rows: after.Rows - before.Rows, Commits: after.Commits - before.Commits}
		if got != want || k.attempts != 1 {
			t.Errorf("%s: %+v in %d attempts, want %+v", name, got, k.attempts, want)
		}
	}
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// A read that is not what was written ends the load.
func TestWrongValue(t *testing.T) {
	for _, name := range []string{"get100", "range100"} {
		db := embedded.New(embedded.Options{})
		w, _ := newWork(&settings{workload: name, keys: 1000})
		if err := w.fill(context.Background(), db); err != nil {
			t.Fatal(err)
		}
		err := fdb.Transact(context.Background(), db, func(tr fdb.Transaction) error {
			for i := range 1000 {
				tr.Set(w.key(i), value(i+1, length))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		k := &worker{random: newRandom()}
		if err := w.transact(context.Background(), db, k); err == nil || !strings.Contains(err.Error(), "it is not what was written") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, args := range [][]string{
		{"-workload", "get7"}, {"-workers", "0"}, {"-duration", "0s"}, {"-warmup", "-1s"}, {"-rate", "-1"}, {"-keys", "10"}, {"more"},
	} {
		var out bytes.Buffer
		if err := run(context.Background(), args, &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: %v, %q", args, err, out.String())
		}
	}
}

// The process's CPU time agrees with what /proc says to within a tick of each thread.
func TestProcessCPU(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc to compare with")
	}
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); {
		_ = fmt.Sprint(math.Sqrt(2))
	}
	got, err := processCPU()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11]) // utime and stime, fields 14 and 15 (proc_pid_stat(5)), in ticks of 10 ms
	system, _ := strconv.Atoi(fields[12])
	threads, _ := strconv.Atoi(fields[17])
	proc := time.Duration(user+system) * 10 * time.Millisecond
	if off := (got - proc).Abs(); off > time.Duration(threads+1)*10*time.Millisecond {
		t.Errorf("getrusage says %v, /proc %v, with %d threads", got, proc, threads)
	}
}
