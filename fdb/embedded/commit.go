package embedded

import "github.com/phaselock/phaselock/fdb"

// commit writes mutations, unless a span that was read at a version has been written since.
func (s *Store) commit(version int64, reads spans, mutations []mutation, writes spans) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return 0, errClosed
	}
	now := s.clock()
	s.trim(now - window)
	s.past.forget(max(now-window, s.oldest))
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
	keep := func(w was) {
		c.before = append(c.before, w)
		c.bytes += len(w.key) + len(w.value)
	}
	for i := range mutations {
		mutations[i].apply(s.data, keep)
		s.count.bytesWritten.Add(int64(len(mutations[i].key) + len(mutations[i].param)))
	}
	s.count.commits.Add(1)
	s.add(c)
	if s.shared != nil {
		s.past.keep(s.version, s.shared)
		s.shared = nil
	}
	return s.version, nil
}
