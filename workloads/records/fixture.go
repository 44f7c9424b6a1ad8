package records

import (
	"fmt"
	"math/rand/v2"
)

// Size is how large the records of a fixture are.
type Size string

// The sizes.
const (
	Small      Size = "small" // 100 bytes
	SplitSized Size = "split" // 100,000 bytes, which makes two pieces: the fields beside it do not fit into the first
)

// stride is prime to every number of rows below it, so that ids come in another order than the index's.
const stride = 7919

// Fixture makes n records with A from 0 to n-1. Ids are a permutation of 0 to n-1, so that neighbours in the index are not
// neighbours among the records; payloads are random, by the seed.
func Fixture(n int, size Size, seed uint64) ([]Record, error) {
	bytes := map[Size]int{Small: 100, SplitSized: Split}[size]
	if bytes == 0 {
		return nil, fmt.Errorf("no size %q; there are %s and %s", size, Small, SplitSized)
	}
	if n < 0 || n >= stride {
		return nil, fmt.Errorf("%d records: want 0 to %d", n, stride-1)
	}
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24), byte(seed >> 32), byte(seed >> 40), byte(seed >> 48), byte(seed >> 56)})
	list := make([]Record, n)
	for i := range list {
		list[i] = Record{ID: int64(i*stride) % int64(n), A: int64(i), C: fmt.Sprintf("c-%04d", i), Payload: make([]byte, bytes)}
		_, _ = random.Read(list[i].Payload) // it never fails
	}
	return list, nil
}

// Check holds what a query gave to the fixture: every record, field by field, in order, and the reason of the end.
func Check(fixture []Record, q Query, got []Record, reason Reason) error {
	want, wantReason := Expected(fixture, q)
	if len(got) != len(want) {
		return fmt.Errorf("%s gave %d records, want %d", q.Method, len(got), len(want))
	}
	for i := range want {
		g, w := &got[i], &want[i]
		if g.ID != w.ID || g.A != w.A || g.C != w.C || string(g.Payload) != string(w.Payload) {
			return fmt.Errorf("%s: record %d has id %d, a %d, c %q and %d bytes, want %d, %d, %q and %d of the fixture's", q.Method, i, g.ID, g.A, g.C, len(g.Payload), w.ID, w.A, w.C, len(w.Payload))
		}
	}
	if reason != wantReason {
		return fmt.Errorf("%s ended with %q, want %q", q.Method, reason, wantReason)
	}
	return nil
}

// Expected is what a query gives of a fixture whose A ascend, computed without a store.
func Expected(fixture []Record, q Query) ([]Record, Reason) {
	var in []Record
	for i := range fixture {
		if r := fixture[i]; r.A >= q.Low && r.A < q.High {
			in = append(in, r)
		}
	}
	if q.Reverse {
		for i, j := 0, len(in)-1; i < j; i, j = i+1, j-1 {
			in[i], in[j] = in[j], in[i]
		}
	}
	in = in[min(q.Skip, len(in)):]
	if q.Limit > 0 && len(in) >= q.Limit {
		return in[:q.Limit], AtLimit
	}
	return in, Exhausted
}
