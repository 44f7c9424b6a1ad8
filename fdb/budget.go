package fdb

// What one reply of a server holds, in bytes (CLIENT_KNOBS REPLY_BYTE_LIMIT and the tables of fdb_transaction_get_range).
const ReplyBytes = 80_000

// RowBytes is what a server counts for a pair beside its key and its value.
const RowBytes = 24

var (
	modeBytes     = map[StreamingMode]int{StreamingSmall: 256, StreamingMedium: 1000, StreamingLarge: 4096, StreamingSerial: 80_000, StreamingWantAll: 80_000}
	iteratorBytes = []int{4096, 6144, 9216, 13_824, 20_736, 31_104, 46_656, 69_984, 80_000, 120_000}
)

// Budget is how many bytes of rows end a page: it ends with the row that reaches them. 0 is no bound, which only
// StreamingExact has, and never without a limit of rows.
func (r Range) Budget() (int, error) {
	switch {
	case r.Limit < 0:
		return 0, Error{RangeLimitsInvalid}
	case r.Mode == StreamingExact && r.Limit == 0:
		return 0, Error{ExactModeWithoutLimits}
	case r.Mode == StreamingExact:
		return 0, nil
	case r.Mode == StreamingIterator && r.Iteration < 1:
		return 0, Error{ClientInvalidOperation}
	case r.Mode == StreamingIterator:
		return min(iteratorBytes[min(r.Iteration, len(iteratorBytes))-1], ReplyBytes), nil
	}
	bytes, known := modeBytes[r.Mode]
	if !known {
		return 0, Error{ClientInvalidOperation}
	}
	return bytes, nil
}
