package embedded

import (
	"sort"

	"github.com/phaselock/phaselock/fdb"
)

// commit is what one transaction changed.
type commit struct {
	version int64
	writes  spans
	before  []was // of each mutation, in order
}

// revert takes the commit out of a tree that holds it as the last.
func (c *commit) revert(t *tree) {
	for i := len(c.before) - 1; i >= 0; i-- {
		if w := c.before[i]; w.present {
			t.Set(w.key, w.value)
		} else {
			t.Delete(w.key)
		}
	}
}

// trim forgets the commits before a version. It wants the lock.
func (s *Store) trim(before int64) {
	old := sort.Search(len(s.log), func(i int) bool { return s.log[i].version >= before })
	clear(s.log[:old]) // else what they changed would be held as long as the array
	s.log = s.log[old:]
	s.past.forget(before)
}

// commit writes mutations, unless a span that was read at a version has been written since.
func (s *Store) commit(version int64, reads spans, mutations []mutation, writes spans) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return 0, errClosed
	}
	now := s.clock()
	s.trim(now - window)
	if len(reads) > 0 {
		if now-version > window {
			return 0, fdb.Error{Code: fdb.TransactionTooOld}
		}
		for i := len(s.log) - 1; i >= 0 && s.log[i].version > version; i-- {
			for _, w := range s.log[i].writes {
				if reads.meets(w) {
					s.count.conflicts.Add(1)
					return 0, fdb.Error{Code: fdb.NotCommitted}
				}
			}
		}
	}
	s.version = max(s.version+1, now)
	c := commit{version: s.version, writes: writes}
	keep := func(w was) { c.before = append(c.before, w) }
	for i := range mutations {
		mutations[i].apply(s.data, keep)
		s.count.bytesWritten.Add(int64(len(mutations[i].key) + len(mutations[i].param)))
	}
	s.count.commits.Add(1)
	s.log = append(s.log, c)
	s.shared = nil
	return s.version, nil
}
