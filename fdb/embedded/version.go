package embedded

import (
	"github.com/phaselock/phaselock/fdb"
)

const (
	perSecond    = 1_000_000 // versions, as FoundationDB counts them
	window       = 5 * perSecond
	firstVersion = 200 * window // so that a fresh store has versions that are too old
	pasts        = 16           // old snapshots that are kept for the next reader of the same version
)

// clock is the version that the time makes.
func (s *Store) clock() int64 { return firstVersion + s.now().Sub(s.start).Microseconds() }

// expired reports whether a version is older than five seconds.
func (s *Store) expired(version int64) bool { return s.clock()-version > window }

// read gives the version of now, and the data at it.
func (s *Store) read() (int64, *tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return 0, nil, errClosed
	}
	s.version = max(s.version, s.clock())
	s.count.readVersions.Add(1)
	return s.version, s.latest(), nil
}

// latest is the data as of the last commit, to be read by anyone. It wants the lock.
func (s *Store) latest() *tree {
	if s.shared == nil {
		s.shared = s.data.Copy()
	}
	return s.shared
}

// readAt gives the data as they were at a version that was given out before.
func (s *Store) readAt(version int64) (*tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	switch {
	case s.closed.Load():
		return nil, errClosed
	case version > max(s.version, now):
		return nil, fdb.Error{Code: fdb.FutureVersion}
	case now-version > window || version < s.oldest:
		return nil, fdb.Error{Code: fdb.TransactionTooOld}
	}
	s.version = max(s.version, version)
	later := s.after(version)
	if later == len(s.log) {
		return s.latest(), nil
	}
	next := s.log[later].version // the data were the same at all versions between two commits
	if t := s.past.find(next); t != nil {
		return t, nil
	}
	t := s.data.Copy()
	for i := len(s.log) - 1; i >= later; i-- {
		s.log[i].revert(t)
	}
	s.past.keep(next, t)
	return t, nil
}

// private gives a copy of a snapshot that may be written.
func (s *Store) private(t *tree) *tree {
	s.mu.Lock() // a copy marks the tree that it is made of
	defer s.mu.Unlock()
	return t.Copy()
}

// past keeps snapshots that readers had, each by the version of the commit that ended it, so that a reader which names its
// version finds the data as they were without anything being reverted.
type past struct {
	trees map[int64]*tree
	order []int64 // as they came
}

func (p *past) find(until int64) *tree { return p.trees[until] }

func (p *past) keep(until int64, t *tree) {
	if p.trees == nil {
		p.trees = map[int64]*tree{}
	}
	if p.trees[until] == nil {
		p.order = append(p.order, until)
	}
	p.trees[until] = t
	if len(p.order) > pasts {
		p.drop()
	}
}

// forget drops the snapshots that nobody may read any more.
func (p *past) forget(before int64) {
	for len(p.order) > 0 && p.order[0] < before {
		p.drop()
	}
}

func (p *past) drop() {
	delete(p.trees, p.order[0])
	p.order = p.order[1:]
}
