package embedded_test

import (
	"fmt"
	"testing"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// loaded has 10,000 records of 100 bytes and their index.
func loaded(b *testing.B) *embedded.Store {
	b.Helper()
	s := embedded.New(embedded.Options{})
	for from := 0; from < 10_000; from += 1000 {
		err := fdb.Transact(ctx, s, func(tr fdb.Transaction) error {
			for id := from; id < from+1000; id++ {
				tr.Set(tuple.Tuple{1, 2, id, id}.Pack(), nil)
				tr.Set(tuple.Tuple{1, 1, id, 0}.Pack(), make([]byte, 100))
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkGet(b *testing.B) {
	s := loaded(b)
	keys := make([][]byte, 1000)
	for i := range keys {
		keys[i] = tuple.Tuple{1, 1, i * 7, 0}.Pack()
	}
	b.Run("one transaction each", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if v, err := s.Begin().Get(keys[i%1000], false).Wait(ctx); err != nil || !v.Present {
				b.Fatal(v, err)
			}
		}
	})
	b.Run("1000 in a transaction", func(b *testing.B) {
		for b.Loop() {
			tr := s.Begin()
			for _, k := range keys {
				if v, err := tr.Get(k, false).Wait(ctx); err != nil || !v.Present {
					b.Fatal(v, err)
				}
			}
		}
	})
}

func BenchmarkRange100(b *testing.B) {
	s := loaded(b)
	begin, end := tuple.Tuple{1, 1}.Range()
	for _, reverse := range []bool{false, true} {
		b.Run(fmt.Sprintf("reverse=%v", reverse), func(b *testing.B) {
			r := fdb.Keys(begin, end)
			r.Mode, r.Limit, r.Reverse = fdb.StreamingExact, 100, reverse
			for b.Loop() {
				if p, err := s.Begin().GetRange(r).Wait(ctx); err != nil || len(p.Pairs) != 100 {
					b.Fatal(len(p.Pairs), err)
				}
			}
		})
	}
}

func BenchmarkMapped1000(b *testing.B) {
	s := loaded(b)
	r := fdb.Keys(tuple.Tuple{1, 2}.Range())
	r.Limit, r.Mode = 1000, fdb.StreamingExact
	mapper := tuple.Tuple{1, 1, "{K[3]}", "{...}"}.Pack()
	for b.Loop() {
		if p, err := s.Begin().GetMappedRange(r, mapper).Wait(ctx); err != nil || len(p.Rows) != 1000 {
			b.Fatal(len(p.Rows), err)
		}
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, sets := range []int{1, 50} {
		b.Run(fmt.Sprintf("sets=%d", sets), func(b *testing.B) {
			s := loaded(b)
			value := make([]byte, 100)
			for i := 0; b.Loop(); i++ {
				tr := s.Begin()
				for j := range sets {
					tr.Set(tuple.Tuple{1, 1, (i*sets + j) * 7919 % 10_000, 0}.Pack(), value)
				}
				if err := tr.Commit(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
