//go:build unix

package spawn

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// Harness is what this process is set up with for running others: it is their subreaper, and a watchdog process ends
// their trees if it is killed. One a process. A nil *Harness has no watchdog.
type Harness struct {
	mu       sync.Mutex
	sessions []*session
	board    *board
	watchdog *watchdog
	cgroups  *cgroups // nil: none can be had

	noCgroups bool // processes cannot be started into them
}

// Setup marks this process's descriptors close-on-exec, makes it the subreaper of its descendants (Linux), and starts
// the watchdog, pinned to the housekeeping CPUs unless they are nil. main must have called WatchdogMain first.
func Setup(housekeeping []int) (*Harness, error) {
	if os.Args[0] == watchdogName {
		return nil, fmt.Errorf("set up: this process is the watchdog; the program's main must call spawn.WatchdogMain before all else")
	}
	if err := CloseOnExec(); err != nil {
		return nil, fmt.Errorf("set up: %w", err)
	}
	if err := becomeSubreaper(); err != nil {
		return nil, fmt.Errorf("set up: become a subreaper: %w", err)
	}
	b, err := newBoard()
	if err != nil {
		return nil, fmt.Errorf("set up: %w", err)
	}
	h := &Harness{board: b}
	if err := b.write(notice{}); err != nil {
		b.close()
		return nil, fmt.Errorf("set up: %w", err)
	}
	if h.watchdog, err = startWatchdog(b.file, housekeeping); err != nil {
		b.close()
		return nil, fmt.Errorf("set up: start the watchdog: %w", err)
	}
	h.cgroups = findCgroups()
	if err := h.publish(); err != nil {
		return nil, errors.Join(fmt.Errorf("set up: %w", err), h.Close())
	}
	return h, nil
}

// Close ends the watchdog and waits for it. No run may be under way.
func (h *Harness) Close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.sessions); n > 0 {
		return fmt.Errorf("close the harness: %d runs are under way", n)
	}
	return errors.Join(h.cgroups.remove(), h.watchdog.close(), h.board.close())
}

// begin opens the session of a run that is about to start. The watchdog knows of it from here on, so that there is no
// moment in which a process runs that nobody would end.
func (h *Harness) begin(c *Command) (*session, error) {
	s := &session{harness: h, tree: tree{Mark: newMark(c.Env), Own: unix.Getpgrp()}}
	if h == nil {
		return s, nil
	}
	h.mu.Lock()
	if err := h.watchdog.alive(); err != nil {
		h.mu.Unlock()
		return nil, err
	}
	if !h.noCgroups {
		s.taken = h.cgroups.take()
	}
	if s.cgroup = s.taken; s.cgroup != nil {
		s.tree.Cgroup = s.cgroup.path
	}
	h.sessions = append(h.sessions, s)
	h.mu.Unlock()
	if err := h.publish(); err != nil {
		return nil, errors.Join(err, h.end(s))
	}
	return s, nil
}

// end closes a session.
func (h *Harness) end(s *session) error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	h.sessions = slices.DeleteFunc(h.sessions, func(o *session) bool { return o == s })
	h.cgroups.give(s.taken, s.killed)
	h.mu.Unlock()
	return h.publish()
}

// change changes a session. Sessions are read by publish, whichever run it is called for.
func (h *Harness) change(f func()) {
	if h != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	f()
}

// publish writes all sessions where the watchdog will read them.
func (h *Harness) publish() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := notice{Cgroups: h.cgroups.paths()}
	for _, s := range h.sessions {
		n.Trees = append(n.Trees, s.tree)
	}
	return h.board.write(n)
}
