package embedded

import (
	"context"
	"testing"
	"time"
)

// What nobody can read any more is given up: commits and snapshots older than five seconds.
func TestOldCommitsAreForgotten(t *testing.T) {
	now := time.Unix(1000, 0)
	s := New(Options{Now: func() time.Time { return now }})
	var version int64
	for range 10 {
		tr := s.Start()
		tr.Set([]byte("a"), make([]byte, 1000))
		if err := tr.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		old := s.Start()
		old.SetReadVersion(max(version, 1))
		if version != 0 {
			if _, err := old.Get([]byte("a"), true).Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		version, _ = tr.CommittedVersion()
		now = now.Add(time.Second)
	}
	if len(s.log) != 6 { // at 4 to 9 seconds, of which the last was written at 9
		t.Errorf("%d commits are kept", len(s.log))
	}
	kept := 0
	for _, e := range s.past.entries {
		if e.tree != nil {
			kept++
		}
	}
	if kept != 6 {
		t.Errorf("%d snapshots are kept", kept)
	}
}
