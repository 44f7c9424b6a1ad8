package embedded_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/tuple"
)

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	if e := (fdb.Error{}); !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want error %d", err, code)
	}
}

// The store's versions follow the clock that it is given: a snapshot lives for five seconds.
func TestFiveSeconds(t *testing.T) {
	now := time.Unix(1000, 0)
	s := embedded.New(embedded.Options{Now: func() time.Time { return now }})
	old := s.Begin()
	version, err := old.ReadVersion(ctx)
	must(t, err)
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error { tr.Set([]byte("a"), []byte("1")); return nil }))

	now = now.Add(5 * time.Second)
	v, err := old.Get([]byte("a"), false).Wait(ctx)
	if err != nil || v.Present {
		t.Errorf("after five seconds: %v, %v; want the snapshot", v, err)
	}
	now = now.Add(time.Microsecond)
	_, err = old.Get([]byte("a"), false).Wait(ctx)
	wantCode(t, err, fdb.TransactionTooOld)
	old.Set([]byte("b"), nil)
	wantCode(t, old.Commit(ctx), fdb.TransactionTooOld)

	again := s.Begin()
	again.SetReadVersion(version)
	_, err = again.Get([]byte("a"), false).Wait(ctx)
	wantCode(t, err, fdb.TransactionTooOld)
	future := s.Begin()
	future.SetReadVersion(version + 3600e6)
	_, err = future.Get([]byte("a"), false).Wait(ctx)
	wantCode(t, err, fdb.FutureVersion)
}

// A transaction that writes and reads nothing needs no version, and so does not grow old.
func TestBlindWriteDoesNotGrowOld(t *testing.T) {
	now := time.Unix(1000, 0)
	s := embedded.New(embedded.Options{Now: func() time.Time { return now }})
	tr := s.Begin()
	tr.Set([]byte("a"), nil)
	now = now.Add(time.Minute)
	must(t, tr.Commit(ctx))
}

// Every version of five seconds can be read again, however many commits came after it.
func TestOldVersions(t *testing.T) {
	now := time.Unix(1000, 0)
	s := embedded.New(embedded.Options{Now: func() time.Time { return now }})
	n := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	var versions []int64
	for i := range 100 {
		tr := s.Begin()
		switch i % 4 {
		case 3:
			tr.ClearRange([]byte("k"), []byte("l"))
		default:
			tr.Set([]byte("last"), n(i))
			tr.Set(append([]byte("k"), byte(i)), n(i))
		}
		must(t, tr.Commit(ctx))
		v, err := tr.CommittedVersion()
		must(t, err)
		versions = append(versions, v)
		now = now.Add(time.Millisecond)
	}
	for _, between := range []int64{0, 1} {
		for i, v := range versions {
			tr := s.Begin()
			tr.SetReadVersion(v + between)
			last, err := tr.Get([]byte("last"), true).Wait(ctx)
			must(t, err)
			pairs, _, err := fdb.All(ctx, tr, fdb.Keys([]byte("k"), []byte("l")))
			must(t, err)
			want := i
			if i%4 == 3 {
				want--
			}
			if got := int(binary.BigEndian.Uint32(last.Bytes)); got != want || len(pairs) != (i+1)%4 {
				t.Errorf("version %d: last %d, %d keys; want %d, %d", i, got, len(pairs), want, (i+1)%4)
			}
		}
	}
}

func TestCounterIsExact(t *testing.T) {
	s := embedded.New(embedded.Options{Sleep: func(context.Context, time.Duration) error { return nil }})
	key := []byte("counter")
	var group sync.WaitGroup
	tries := make([]int, 8)
	for w := range tries {
		group.Go(func() {
			for range 100 {
				err := fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
					tries[w]++
					v, err := tr.Get(key, false).Wait(ctx)
					if err != nil {
						return err
					}
					n := uint32(0)
					if v.Present {
						n = binary.LittleEndian.Uint32(v.Bytes)
					}
					tr.Set(key, binary.LittleEndian.AppendUint32(nil, n+1))
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	v, err := s.Begin().Get(key, false).Wait(ctx)
	must(t, err)
	total := 0
	for _, n := range tries {
		total += n
	}
	c, err := s.Counters(ctx)
	must(t, err)
	if n := binary.LittleEndian.Uint32(v.Bytes); n != 800 || c.Commits != 800 || int(c.Conflicts) != total-800 {
		t.Errorf("%d, %d commits, %d conflicts of %d tries", n, c.Commits, c.Conflicts, total)
	}
}

// A thousand small records: 40-byte index keys are 64 bytes each, of 16,000 for a request. The last row fills the fourth
// request, so that only a fifth can tell that nothing follows.
func TestMappedPagesOfSmallRecords(t *testing.T) {
	s := embedded.New(embedded.Options{})
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
		for i := range 1000 {
			id := fmt.Sprintf("%07d", i)
			tr.Set(tuple.Tuple{"index", "abcdefghijklmnopqrs", id, i + 1000}.Pack(), nil)
			tr.Set(tuple.Tuple{"record", id, 0}.Pack(), make([]byte, 60))
		}
		return nil
	}))
	begin, end := tuple.Tuple{"index"}.Range()
	tr := s.Begin()
	var sizes []int
	for page, err := range fdb.MappedPages(ctx, tr, fdb.Keys(begin, end), tuple.Tuple{"record", "{K[2]}", "{...}"}.Pack()) {
		must(t, err)
		sizes = append(sizes, len(page.Rows))
	}
	if fmt.Sprint(sizes) != "[250 250 250 250 0]" {
		t.Errorf("pages of %v rows", sizes)
	}
}
