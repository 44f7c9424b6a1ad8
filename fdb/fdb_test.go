package fdb_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
)

// The bytes of a page are those of the C interface's tables; the iterator's grow by half, up to one reply.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		mode      fdb.StreamingMode
		iteration int
		limit     int
		want      int
		code      int
	}{
		{fdb.StreamingWantAll, 0, 0, 80_000, 0},
		{fdb.StreamingSerial, 0, 5, 80_000, 0},
		{fdb.StreamingSmall, 0, 0, 256, 0},
		{fdb.StreamingMedium, 0, 0, 1000, 0},
		{fdb.StreamingLarge, 0, 0, 4096, 0},
		{fdb.StreamingExact, 0, 7, 0, 0},
		{fdb.StreamingExact, 0, 0, 0, fdb.ExactModeWithoutLimits},
		{fdb.StreamingIterator, 0, 0, 0, fdb.ClientInvalidOperation},
		{fdb.StreamingWantAll, 0, -1, 0, fdb.RangeLimitsInvalid},
		{5, 0, 0, 0, fdb.ClientInvalidOperation},
		{-3, 0, 0, 0, fdb.ClientInvalidOperation},
	} {
		got, err := fdb.Range{Mode: c.mode, Iteration: c.iteration, Limit: c.limit}.Budget()
		if want := error(fdb.Error{Code: c.code}); got != c.want || c.code == 0 && err != nil || c.code != 0 && err != want {
			t.Errorf("mode %d, limit %d: %d, %v; want %d, %d", c.mode, c.limit, got, err, c.want, c.code)
		}
	}
	var got []int
	for i := 1; i <= 12; i++ {
		n, err := fdb.Range{Mode: fdb.StreamingIterator, Iteration: i}.Budget()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	want := []int{4096, 6144, 9216, 13_824, 20_736, 31_104, 46_656, 69_984, 80_000, 80_000, 80_000, 80_000}
	if !slices.Equal(got, want) {
		t.Errorf("the iterator: %v, want %v", got, want)
	}
}

// Transact tries again where it can, from the start, and gives every other error back.
func TestTransact(t *testing.T) {
	ctx, db := context.Background(), embedded.New(embedded.Options{})
	tries := 0
	err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
		tries++
		if _, err := tr.Get([]byte("a"), false).Wait(ctx); err != nil {
			return err
		}
		if tries < 3 { // someone else is first
			other := db.Begin()
			other.Set([]byte("a"), []byte{byte(tries)})
			if err := other.Commit(ctx); err != nil {
				return err
			}
		}
		tr.Set([]byte("b"), []byte{byte(tries)})
		return nil
	})
	v, getErr := db.Begin().Get([]byte("b"), false).Wait(ctx)
	if err != nil || getErr != nil || tries != 3 || !slices.Equal(v.Bytes, []byte{3}) {
		t.Errorf("%v, %v after %d tries; b is %v", err, getErr, tries, v)
	}
	want := errors.New("no")
	if err := fdb.Transact(ctx, db, func(fdb.Transaction) error { return want }); err != want {
		t.Errorf("%v, want %v", err, want)
	}
}

func TestErrorTexts(t *testing.T) {
	if got := (fdb.Error{Code: 1020}).Error(); got != "not committed: what was read has changed (1020)" {
		t.Error(got)
	}
	if got := (fdb.Error{Code: 9999}).Error(); got != "FoundationDB error 9999" {
		t.Error(got)
	}
}
