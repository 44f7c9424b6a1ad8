package embedded

import (
	"sort"

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
	case now-version > window:
		return nil, fdb.Error{Code: fdb.TransactionTooOld}
	}
	s.version = max(s.version, version)
	later := sort.Search(len(s.log), func(i int) bool { return s.log[i].version > version })
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

// past keeps some snapshots, each by the version of the commit that ended it.
type past struct {
	next    int
	entries [pasts]struct {
		until int64
		tree  *tree
	}
}

func (p *past) find(until int64) *tree {
	for i := range p.entries {
		if p.entries[i].until == until {
			return p.entries[i].tree
		}
	}
	return nil
}

// forget drops the snapshots that nobody may read any more.
func (p *past) forget(before int64) {
	for i := range p.entries {
		if p.entries[i].until < before {
			p.entries[i].tree = nil
		}
	}
}

func (p *past) keep(until int64, t *tree) {
	p.entries[p.next].until, p.entries[p.next].tree = until, t
	p.next = (p.next + 1) % pasts
}
