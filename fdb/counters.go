package fdb

import "context"

// Counters are what a store has served since it was opened.
type Counters struct {
	ReadVersions int64 `json:"read-versions"`
	Gets         int64 `json:"gets"`          // keys read, selectors among them
	Ranges       int64 `json:"ranges"`        // replies with pages of ranges
	MappedRanges int64 `json:"mapped-ranges"` // replies with pages of mapped ranges
	Rows         int64 `json:"rows"`          // of ranges, and of the indexes of mapped ranges, as they were returned
	Loads        int64 `json:"loads"`         // of records, within mapped ranges: one for each row of the index that was looked up
	Commits      int64 `json:"commits"`       // that wrote
	Conflicts    int64 `json:"conflicts"`     // commits refused
	BytesRead    int64 `json:"bytes-read"`    // keys and values in replies
	BytesWritten int64 `json:"bytes-written"` // keys and values of commits
}

// Counting is a database that counts what it serves.
type Counting interface {
	Counters(ctx context.Context) (Counters, error)
}
