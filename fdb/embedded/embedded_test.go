package embedded_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
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

// A request ends with the ten that fill its 80,000 bytes: a row counts its index, and its pairs, each with 24 bytes beside
// key and value.
func TestBytesOfAMappedRequest(t *testing.T) {
	for extra, want := range map[int]int{0: 10, -1: 20} {
		s := embedded.New(embedded.Options{})
		key, record := tuple.Tuple{1, 2, 1000}.Pack(), tuple.Tuple{1, 1, 1000, 0}.Pack()
		value := make([]byte, 8000-2*fdb.RowBytes-len(key)-len(record))
		must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
			for id := 1000; id < 1030; id++ {
				tr.Set(tuple.Tuple{1, 2, id}.Pack(), nil)
				tr.Set(tuple.Tuple{1, 1, id, 0}.Pack(), value)
			}
			tr.Set(record, value[:len(value)+extra])
			return nil
		}))
		page, err := s.Begin().GetMappedRange(fdb.Keys(tuple.Tuple{1, 2}.Range()), tuple.Tuple{1, 1, "{K[2]}", "{...}"}.Pack()).Wait(ctx)
		must(t, err)
		if len(page.Rows) != want || !page.More {
			t.Errorf("%d bytes for ten rows: %d rows, more %v; want %d", 80_000+extra, len(page.Rows), page.More, want)
		}
	}
}

// A mapper without {...} gets one key for each row, and only the ends of a page carry their index.
func TestPointMapper(t *testing.T) {
	s := embedded.New(embedded.Options{})
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
		for id := range 5 {
			tr.Set(tuple.Tuple{1, 2, id}.Pack(), []byte("index"))
			if id != 3 {
				tr.Set(tuple.Tuple{1, 1, id}.Pack(), []byte{byte(id)})
			}
			tr.Set(tuple.Tuple{1, 1, id, 0}.Pack(), []byte("not this one"))
		}
		return nil
	}))
	page, err := s.Begin().GetMappedRange(fdb.Keys(tuple.Tuple{1, 2}.Range()), tuple.Tuple{1, 1, "{K[2]}"}.Pack()).Wait(ctx)
	must(t, err)
	for id, row := range page.Rows {
		want := fmt.Sprint([]fdb.KeyValue{{Key: tuple.Tuple{1, 1, id}.Pack(), Value: []byte{byte(id)}}})
		if id == 3 {
			want = "[]"
		}
		if got := fmt.Sprint(row.Pairs); got != want || (row.Key != nil) != (id == 0 || id == 4) {
			t.Errorf("row %d: %s, index %x; want %s", id, got, row.Key, want)
		}
	}
	if len(page.Rows) != 5 {
		t.Errorf("%d rows", len(page.Rows))
	}
}

func TestMostOfOneRow(t *testing.T) {
	s := embedded.New(embedded.Options{})
	put := func(from, to int) {
		must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
			tr.Set(tuple.Tuple{1, 2, 7}.Pack(), nil)
			for i := from; i < to; i++ {
				tr.Set(tuple.Tuple{1, 1, 7, i}.Pack(), nil)
			}
			return nil
		}))
	}
	read := func() (fdb.MappedPage, error) {
		return s.Begin().GetMappedRange(fdb.Keys(tuple.Tuple{1, 2}.Range()), tuple.Tuple{1, 1, "{K[2]}", "{...}"}.Pack()).Wait(ctx)
	}
	put(0, 1999)
	if page, err := read(); err != nil || len(page.Rows[0].Pairs) != 1999 {
		t.Errorf("1,999 pairs: %v", err)
	}
	put(1999, 2001)
	_, err := read()
	wantCode(t, err, fdb.QuickGetHasMore)
}

// Mode exact is read reply by reply of 80,000 bytes, and each counts.
func TestRequestsOfModeExact(t *testing.T) {
	s := embedded.New(embedded.Options{})
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
		for i := range 1000 {
			tr.Set([]byte(fmt.Sprintf("%04d", i)), make([]byte, 100-fdb.RowBytes-4))
		}
		return nil
	}))
	for limit, want := range map[int]int64{800: 1, 801: 2, 1000: 2} {
		before, err := s.Counters(ctx)
		must(t, err)
		r := fdb.Keys(nil, []byte{0xff})
		r.Mode, r.Limit = fdb.StreamingExact, limit
		_, err = s.Begin().GetRange(r).Wait(ctx)
		must(t, err)
		after, err := s.Counters(ctx)
		must(t, err)
		if got := after.Ranges - before.Ranges; got != want || after.Rows-before.Rows != int64(limit) || after.BytesRead-before.BytesRead != int64(limit)*76 {
			t.Errorf("limit %d: %d requests, %d rows, %d bytes; want %d requests", limit, got, after.Rows-before.Rows, after.BytesRead-before.BytesRead, want)
		}
	}
}

// Keys of the system do not exist for who may not read them.
func TestSystemKeysAreHidden(t *testing.T) {
	s := embedded.New(embedded.Options{})
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
		tr.Set([]byte("a"), nil)
		if err := tr.SetOption(fdb.AccessSystemKeys); err != nil {
			return err
		}
		tr.Set([]byte{0xff}, nil)
		tr.Set([]byte{0xff, 'x'}, nil)
		return nil
	}))
	for _, c := range []struct {
		s           fdb.Selector
		user, after string
	}{
		{fdb.LastLessOrEqual([]byte{0xff}), "a", "\xff"},
		{fdb.FirstGreaterThan([]byte("a")), "\xff", "\xff"},
		{fdb.Selector{Key: []byte("a"), OrEqual: true, Offset: 2}, "\xff", "\xffx"},
		{fdb.Selector{Key: []byte("a"), OrEqual: true, Offset: 3}, "\xff", "\xff\xff"},
	} {
		tr := s.Begin()
		key, err := tr.GetKey(c.s, false).Wait(ctx)
		must(t, err)
		must(t, tr.SetOption(fdb.ReadSystemKeys))
		all, err := tr.GetKey(c.s, false).Wait(ctx)
		must(t, err)
		if string(key) != c.user || string(all) != c.after {
			t.Errorf("%+v: %q, and with the option %q; want %q, %q", c.s, key, all, c.user, c.after)
		}
	}
}

// Ranges of conflicts are part of a transaction's 10,000,000 bytes; a key that is too long for any can be cleared.
func TestSizes(t *testing.T) {
	s := embedded.New(embedded.Options{})
	tr := s.Begin()
	for i := range 600 {
		key := append([]byte(fmt.Sprintf("%03d", i)), make([]byte, 9000)...)
		must(t, tr.AddReadConflict(key, append(key, 1)))
	}
	tr.Set([]byte("a"), nil)
	wantCode(t, tr.Commit(ctx), fdb.TransactionTooLarge)
	tr = s.Begin()
	tr.Clear(make([]byte, 10_001))
	must(t, tr.Commit(ctx))
}

// A commit is later than every version that was read at, with or without the clock.
func TestCommitIsLaterThanAnyRead(t *testing.T) {
	now := time.Unix(1000, 0)
	s := embedded.New(embedded.Options{Now: func() time.Time { return now }})
	v, err := s.Begin().ReadVersion(ctx)
	must(t, err)
	now = now.Add(100 * time.Microsecond)
	tr := s.Begin()
	tr.SetReadVersion(v + 100)
	_, err = tr.Get([]byte("a"), false).Wait(ctx)
	must(t, err)
	other := s.Begin()
	other.Set([]byte("a"), nil)
	must(t, other.Commit(ctx))
	if c, _ := other.CommittedVersion(); c <= v+100 {
		t.Errorf("read at %d, then committed at %d", v+100, c)
	}
	tr.Set([]byte("b"), nil)
	wantCode(t, tr.Commit(ctx), fdb.NotCommitted)
}

// The waits of a transaction that is refused again and again double, up to a second, and are drawn from nothing to that.
func TestBackoff(t *testing.T) {
	var waits []time.Duration
	s := embedded.New(embedded.Options{Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }})
	tr := s.Begin()
	for range 200 {
		must(t, tr.OnError(ctx, fdb.Error{Code: fdb.NotCommitted}))
	}
	longest := time.Duration(0)
	for i, d := range waits {
		if most := min(10*time.Millisecond<<min(i, 10), time.Second); d < 0 || d > most {
			t.Errorf("wait %d is %s; want at most %s", i, d, most)
		}
		longest = max(longest, d)
	}
	if longest < 500*time.Millisecond { // 190 draws below half of their range: 2^-190
		t.Errorf("the longest wait is %s", longest)
	}
	tr.Reset()
	must(t, tr.OnError(ctx, fdb.Error{Code: fdb.NotCommitted}))
	if d := waits[len(waits)-1]; d > 10*time.Millisecond {
		t.Errorf("after a reset: %s", d)
	}
}

// Nothing works on a closed store.
func TestClosed(t *testing.T) {
	s := embedded.New(embedded.Options{})
	tr := s.Begin()
	_, err := tr.Get([]byte("a"), false).Wait(ctx)
	must(t, err)
	must(t, s.Close())
	tr.Set([]byte("a"), nil)
	_, getErr := tr.Get([]byte("a"), false).Wait(ctx)
	_, newErr := s.Begin().ReadVersion(ctx)
	_, statusErr := s.Status(ctx)
	_, boundErr := s.Boundaries(ctx, nil, nil)
	_, addrErr := s.Begin().Addresses(ctx, nil)
	for i, err := range []error{getErr, newErr, tr.Commit(ctx), statusErr, boundErr, addrErr} {
		if err == nil {
			t.Errorf("%d: no error", i)
		}
	}
}

func TestStatusDocument(t *testing.T) {
	s := embedded.New(embedded.Options{})
	s.SetStatus("cluster.new.deep", 7)
	s.SetStatus("cluster.qos", nil)
	must(t, fdb.Transact(ctx, s, func(tr fdb.Transaction) error { tr.Set([]byte("ab"), []byte("cde")); return nil }))
	doc, err := s.Status(ctx)
	must(t, err)
	v, err := s.Begin().Get([]byte("\xff\xff/status/json"), false).Wait(ctx)
	must(t, err)
	if !v.Present || string(v.Bytes) != string(doc) {
		t.Errorf("by its key: %s", v.Bytes)
	}
	for want, there := range map[string]bool{`"new":{"deep":7}`: true, `"qos"`: false, `"total_kv_size_bytes":5`: true, `"partitions_count":1`: true} {
		if strings.Contains(string(doc), want) != there {
			t.Errorf("%s there: %v; in %s", want, !there, doc)
		}
	}
}
