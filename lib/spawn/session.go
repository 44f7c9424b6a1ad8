//go:build unix

package spawn

// session is one run: its tree, and what must be told when it starts and ends.
type session struct {
	tree    tree
	harness *Harness // nil: no watchdog, and not the tree's subreaper
	cgroup  *cgroup  // that it starts in; nil: none
	taken   *cgroup  // that it has to give back; nil: none
	killed  bool     // kill was called
}

// started records the process that was started, so that the watchdog knows it.
func (s *session) started(pid int) error {
	p, err := readProcess(pid)
	s.harness.change(func() {
		s.tree.Root = pid
		if err == nil {
			s.tree.Start = p.start
		}
	})
	return s.harness.publish()
}

// leaveCgroup gives up control groups, for this session and those to come: processes cannot be started into them.
func (s *session) leaveCgroup() {
	s.harness.change(func() {
		s.cgroup, s.tree.Cgroup = nil, ""
		s.harness.noCgroups = true
	})
}

// release ends the session: its tree is gone.
func (s *session) release() error { return s.harness.end(s) }
