package embedded

import (
	"bytes"
	"context"
	"slices"
	"sort"
)

// shard is the keys from begin to that of the next one, and the servers that hold them.
type shard struct {
	begin []byte
	team  []string
}

var oneServer = [][]string{{"127.0.0.1:4500"}}

func layOut(splits [][]byte, teams [][]string) []shard {
	if len(teams) == 0 {
		teams = oneServer
	}
	begins := [][]byte{{}}
	for _, b := range splits {
		begins = append(begins, bytes.Clone(b))
	}
	slices.SortFunc(begins, bytes.Compare)
	begins = slices.CompactFunc(begins, bytes.Equal)
	shards := make([]shard, len(begins))
	for i, b := range begins {
		shards[i] = shard{b, slices.Clone(teams[i%len(teams)])}
	}
	return shards
}

// shardOf is the index of the shard that holds a key. It wants the lock.
func (s *Store) shardOf(key []byte) int {
	return sort.Search(len(s.shards), func(i int) bool { return bytes.Compare(s.shards[i].begin, key) > 0 }) - 1
}

// Boundaries gives the keys at which shards start.
func (s *Store) Boundaries(_ context.Context, begin, end []byte) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil, errClosed
	}
	var out [][]byte
	for _, sh := range s.shards {
		if bytes.Compare(begin, sh.begin) <= 0 && bytes.Compare(sh.begin, end) < 0 {
			out = append(out, bytes.Clone(sh.begin))
		}
	}
	return out, nil
}

func (s *Store) addresses(key []byte) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return nil, errClosed
	}
	return slices.Clone(s.shards[s.shardOf(key)].team), nil
}

// MoveShard puts the shard that holds a key on other servers.
func (s *Store) MoveShard(key []byte, team []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shards[s.shardOf(key)].team = slices.Clone(team)
}
