package embedded

import (
	"context"
	"sync/atomic"

	"github.com/phaselock/phaselock/fdb"
)

type counters struct {
	readVersions, gets, ranges, mapped, rows, loads, commits, conflicts, bytesRead, bytesWritten atomic.Int64
}

// Counters are what the store has served.
func (s *Store) Counters(context.Context) (fdb.Counters, error) {
	c := &s.count
	return fdb.Counters{
		ReadVersions: c.readVersions.Load(), Gets: c.gets.Load(), Ranges: c.ranges.Load(), MappedRanges: c.mapped.Load(),
		Rows: c.rows.Load(), Loads: c.loads.Load(), Commits: c.commits.Load(), Conflicts: c.conflicts.Load(),
		BytesRead: c.bytesRead.Load(), BytesWritten: c.bytesWritten.Load(),
	}, nil
}
