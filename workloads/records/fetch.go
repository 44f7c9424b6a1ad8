package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// Method is a way to fetch the records of an index scan.
type Method string

// The methods, by the names that the Record Layer gives them.
const (
	ScanAndFetch   Method = "SCAN_AND_FETCH"   // reads a page of the index, then loads its records, all of them under way together
	UseRemoteFetch Method = "USE_REMOTE_FETCH" // asks the server for the mapped range, which loads the records beside the index
)

// Query is what is fetched: the records whose A is from Low to before High, in the order of A and then of the id, or from the end.
type Query struct {
	Low, High int64
	Limit     int // records; 0 is all
	Skip      int // records before the first, passed over inside the index, so that they are never loaded
	Reverse   bool
	Method    Method
}

// Reason is why a fetch ended.
type Reason string

// The reasons.
const (
	Exhausted Reason = "exhausted" // nothing follows
	AtLimit   Reason = "limit"     // as many as were asked for; more may follow
)

// Trace counts what a fetch did, for an audit of its path. A nil one counts nothing.
type Trace struct {
	Openings int // of remote fetches
	Scans    int // of the index, by the client
	Loads    int // of records, by the client
	Entries  int // of the index that were passed, the skipped included
	Pages    int // of the index or of the mapped range
}

// Fetch appends the records of a query to dst, in a transaction of its own.
func (s *Store) Fetch(ctx context.Context, q Query, dst []Record, trace *Trace) ([]Record, Reason, error) {
	tr := s.db.Begin()
	defer tr.Cancel()
	return s.FetchIn(ctx, tr, q, dst, trace)
}

// FetchIn appends the records of a query to dst.
func (s *Store) FetchIn(ctx context.Context, tr fdb.Transaction, q Query, dst []Record, trace *Trace) ([]Record, Reason, error) {
	if trace == nil {
		trace = new(Trace)
	}
	r, err := s.scan(q)
	if err != nil {
		return dst, "", err
	}
	before := len(dst)
	switch q.Method {
	case ScanAndFetch:
		trace.Scans++
		dst, err = s.scanAndFetch(ctx, tr, r, dst, trace)
	case UseRemoteFetch:
		trace.Openings++
		dst, err = s.remoteFetch(ctx, tr, r, dst, trace)
	default:
		err = fmt.Errorf("no method %q; there are %s and %s", q.Method, ScanAndFetch, UseRemoteFetch)
	}
	switch {
	case err != nil:
		return dst, "", fmt.Errorf("fetch: %w", err)
	case len(dst) > before:
		trace.Entries += q.Skip
	}
	if q.Limit > 0 && len(dst)-before == q.Limit {
		return dst, AtLimit, nil
	}
	return dst, Exhausted, nil
}

// scan is the range of the index. Its mode is exact where there is a limit, which the client then reads to in one call, else as much
// as one reply holds.
func (s *Store) scan(q Query) (fdb.Range, error) {
	low, err := tuple.Append(slices.Clone(s.index), tuple.Tuple{q.Low})
	if err != nil {
		return fdb.Range{}, err
	}
	high, err := tuple.Append(slices.Clone(s.index), tuple.Tuple{q.High})
	if err != nil {
		return fdb.Range{}, err
	}
	if q.Low > q.High || q.Limit < 0 || q.Skip < 0 {
		return fdb.Range{}, fmt.Errorf("fetch: want a range of A, a limit and a skip that are not negative, got [%d, %d), %d and %d", q.Low, q.High, q.Limit, q.Skip)
	}
	r := fdb.Keys(low, high)
	r.Limit, r.Reverse, r.Mode = q.Limit, q.Reverse, fdb.StreamingWantAll
	if q.Limit > 0 {
		r.Mode = fdb.StreamingExact
	}
	if q.Reverse {
		r.End.Offset -= q.Skip
	} else {
		r.Begin.Offset += q.Skip
	}
	return r, nil
}

// scanAndFetch loads the records of each page of the index together, and waits for them in the index's order.
func (s *Store) scanAndFetch(ctx context.Context, tr fdb.Transaction, r fdb.Range, dst []Record, trace *Trace) ([]Record, error) {
	var loads []fdb.Future[fdb.Page]
	for page, err := range fdb.Pages(ctx, tr, r) {
		if err != nil {
			return dst, err
		}
		trace.Pages++
		loads = loads[:0]
		for _, entry := range page.Pairs {
			record, err := s.recordOf(entry.Key)
			if err != nil {
				return dst, err
			}
			loads = append(loads, tr.GetRange(record))
		}
		trace.Entries += len(loads)
		trace.Loads += len(loads)
		for _, load := range loads {
			pieces, err := load.Wait(ctx)
			if err != nil {
				return dst, err
			}
			if pieces.More && len(pieces.Pairs) > 0 {
				if pieces.Pairs, err = s.rest(ctx, tr, pieces.Pairs); err != nil {
					return dst, err
				}
			}
			rec, err := s.decode(pieces.Pairs)
			if err != nil {
				return dst, err
			}
			dst = append(dst, rec)
		}
	}
	return dst, nil
}

// recordOf is the range of all pieces of the record of an entry.
func (s *Store) recordOf(entry []byte) (fdb.Range, error) {
	elements, err := tuple.Elements(entry)
	if err != nil {
		return fdb.Range{}, fmt.Errorf("entry %x: %w", entry, err)
	}
	if len(elements) != len(s.path)+3 {
		return fdb.Range{}, fmt.Errorf("entry %x: want %d elements, has %d", entry, len(s.path)+3, len(elements))
	}
	begin := append(slices.Clone(s.records), elements[len(elements)-1]...)
	end, err := tuple.Strinc(begin)
	if err != nil {
		return fdb.Range{}, err
	}
	r := fdb.Keys(begin, end)
	r.Mode = fdb.StreamingWantAll
	return r, nil
}

// rest reads the pieces that follow the first page of a record, which a record of several pieces has: a page of one reply ends with
// the piece that fills it.
func (s *Store) rest(ctx context.Context, tr fdb.Transaction, first []fdb.KeyValue) ([]fdb.KeyValue, error) {
	last := first[len(first)-1].Key
	elements, err := tuple.Elements(last)
	if err != nil {
		return nil, err
	}
	end, err := tuple.Strinc(last[:len(last)-len(elements[len(elements)-1])])
	if err != nil {
		return nil, err
	}
	r := fdb.Range{Begin: fdb.FirstGreaterThan(last), End: fdb.FirstGreaterOrEqual(end), Mode: fdb.StreamingWantAll}
	more, _, err := fdb.All(ctx, tr, r)
	return append(slices.Clone(first), more...), err
}

// remoteFetch reads the mapped range.
func (s *Store) remoteFetch(ctx context.Context, tr fdb.Transaction, r fdb.Range, dst []Record, trace *Trace) ([]Record, error) {
	for page, err := range fdb.MappedPages(ctx, tr, r, s.mapper) {
		if err != nil {
			return dst, err
		}
		trace.Pages++
		trace.Entries += len(page.Rows)
		for i := range page.Rows {
			rec, err := s.decode(page.Rows[i].Pairs)
			if err != nil {
				return dst, errors.Join(fmt.Errorf("entry %x", page.Rows[i].Key), err)
			}
			dst = append(dst, rec)
		}
	}
	return dst, nil
}
