//go:build unix

package spawn

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// killPatience is how long a killed tree may take to be gone; longer than that it hangs in the kernel.
const killPatience = 30 * time.Second

// supervise waits until the process has ended, ends what is left of its tree, and fills in the result.
func (s *session) supervise(ctx context.Context, c *Command, b birth, ended chan death, res *Result) error {
	root := &root{pid: b.pid, fd: b.pidfd, ended: ended}
	defer root.close()
	if err := s.started(b.pid); err != nil {
		// The watchdog cannot be told of the process, so it must not go on.
		_, killErr := s.kill(root)
		root.reap()
		return firstError(err, killErr)
	}
	if c.OnStart != nil {
		c.OnStart(b.pid, b.cpus)
	}
	var deadline <-chan time.Time
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout - time.Since(b.at))
		defer timer.Stop()
		deadline = timer.C
	}
	select {
	case d := <-ended:
		root.died(d)
	case <-deadline:
		res.TimedOut = true
	case <-ctx.Done():
		res.Interrupted = true
	}
	if root.death == nil {
		s.terminate(root, c.Grace)
	}
	var err error
	if root.death == nil || s.mayHaveLeft() {
		res.Leftover, err = s.kill(root)
	}
	floor, _ := MaxRSSFloor()
	e, reapErr := root.reap()
	if err := firstError(err, reapErr); err != nil {
		return err
	}
	res.Wall = root.death.at.Sub(b.at)
	res.describe(e, floor)
	return nil
}

// terminate sends SIGTERM to the whole tree and waits until it is gone or the grace is over. It does what it can: kill
// follows, and says what went wrong.
func (s *session) terminate(root *root, grace time.Duration) {
	over := time.NewTimer(grace)
	defer over.Stop()
	members, _ := s.tree.members()
	root.signal(unix.SIGTERM)
	for _, p := range members {
		p.signal(unix.SIGTERM)
	}
	select {
	case d := <-root.ended:
		root.died(d)
	case <-over.C:
		return
	}
	for {
		members, err := s.tree.members()
		if err != nil || len(members) == 0 {
			return
		}
		reapAdopted(members)
		select {
		case <-time.After(5 * time.Millisecond):
		case <-over.C:
			return
		}
	}
}

// kill ends the whole tree with SIGKILL and returns how many processes, the root excepted, had to be killed. It returns
// when nothing is left.
func (s *session) kill(root *root) (int, error) {
	s.killed = true
	patience := time.Now().Add(killPatience)
	killed := map[process]bool{}
	empty := 0
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 50*time.Millisecond) {
		root.signal(unix.SIGKILL)
		members, err := s.tree.killOnce(killed)
		// A listing of processes is no snapshot: a process may be born behind it. Two in a row must find nothing.
		if len(members) > 0 {
			empty = 0
		} else if empty++; empty >= 2 && root.death != nil {
			return len(killed), err
		}
		if time.Now().After(patience) {
			return len(killed), fmt.Errorf("processes %v do not end %v after SIGKILL: they hang in the kernel", pids(members, root), killPatience)
		}
		select {
		case d := <-root.ended:
			root.died(d)
		case <-time.After(pause):
		}
	}
}

// root is the process that was started, until it is reaped.
type root struct {
	pid, fd int
	ended   chan death
	death   *death // nil: it runs
}

// died records the end of the root: from now on its pid is kept only until reap.
func (r *root) died(d death) { r.death = &d }

func (r *root) signal(sig unix.Signal) {
	if r.death == nil {
		sendSignal(r.pid, r.fd, sig)
	}
}

func (r *root) reap() (ending, error) {
	switch {
	case r.death == nil:
		return ending{}, fmt.Errorf("process %d has not ended", r.pid)
	case r.death.err != nil:
		return ending{}, fmt.Errorf("wait for process %d: %w", r.pid, r.death.err)
	case r.death.ending != nil:
		return *r.death.ending, nil
	}
	return wait4(r.pid)
}

func (r *root) close() {
	if r.fd >= 0 {
		unix.Close(r.fd)
	}
}

func pids(members []process, r *root) []int {
	var out []int
	if r.death == nil {
		out = append(out, r.pid)
	}
	for _, p := range members {
		out = append(out, p.pid)
	}
	return out
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
