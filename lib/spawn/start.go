//go:build unix

package spawn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// startAndWait starts the process and waits for it, all on one OS thread: the thread takes on what the child is to
// inherit, starts it, and goes back; it lives until the child has ended, since the parent-death signal follows it.
func startAndWait(c *Command, stdio stdio, s *session, started chan<- birth, ended chan<- death) {
	runtime.LockOSThread()
	var t thread
	err := t.become(c)
	if err != nil {
		if t.restore() == nil {
			runtime.UnlockOSThread()
		}
		started <- birth{err: err}
		return
	}
	b := start(c, &stdio, s)
	restored := t.restore() == nil
	started <- b
	if b.pid != 0 {
		e, err := await(b.pid)
		ended <- death{at: time.Now(), ending: e, err: err}
	}
	if restored {
		runtime.UnlockOSThread()
	} // else the thread ends with this goroutine, so that nothing else runs with the child's attributes
}

func start(c *Command, stdio *stdio, s *session) birth {
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: stdio.fds()}
	if attr.Env == nil {
		attr.Env = []string{}
	}
	pidfd := -1
	b := birth{pidfd: -1}
	enter := func() (pid int, err error) {
		release := s.enter(attr, &pidfd, len(c.Rlimits) > 0)
		defer release()
		b.at = time.Now()
		pid, _, err = syscall.StartProcess(c.Path, c.Argv, attr)
		return pid, err
	}
	pid, err := enter()
	if err != nil && s.cgroup != nil {
		// Where a control group can be made but not entered, the error is that of the clone; nothing has run.
		group := s.cgroup
		s.cgroup = nil
		if pid, err = enter(); err == nil {
			s.leaveCgroup()
		} else {
			s.cgroup = group
		}
	}
	if err != nil {
		b.startErr = explain(c, err)
		return b
	}
	b.pid, b.pidfd = pid, pidfd
	if len(c.Rlimits) > 0 {
		if err := limitStopped(pid, c.Rlimits); err != nil {
			sendSignal(pid, pidfd, syscall.SIGKILL)
			wait4(pid) //nolint:errcheck // it was killed before its first instruction
			if pidfd >= 0 {
				syscall.Close(pidfd)
			}
			return birth{err: err}
		}
	}
	b.cpus, _ = affinity(pid) // nil where it cannot be read
	return b
}

// explain says which file an error of fork, chdir and exec means; the system gives only a number.
func explain(c *Command, err error) error {
	if info, e := os.Stat(c.Dir); e != nil {
		return fmt.Errorf("working folder: %w", e)
	} else if !info.IsDir() {
		return fmt.Errorf("working folder %s: %w", c.Dir, syscall.ENOTDIR)
	}
	info, e := os.Stat(c.Path)
	switch {
	case e != nil:
		return e
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("exec %s: the interpreter that it names does not exist: %w", c.Path, err)
	case info.IsDir():
		return fmt.Errorf("exec %s: it is a folder: %w", c.Path, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("exec %s: neither a program for this machine nor a script with a #! line: %w", c.Path, err)
	case errors.Is(err, syscall.E2BIG):
		return fmt.Errorf("exec %s: argv and environment are longer than the system allows: %w", c.Path, err)
	case errors.Is(err, syscall.EPERM) && len(c.Rlimits) > 0:
		return fmt.Errorf("exec %s: %w; limits are set through ptrace, which a tracer (strace, a debugger) or a sandbox around this process forbids", c.Path, err)
	}
	return fmt.Errorf("exec %s: %w", c.Path, err)
}
