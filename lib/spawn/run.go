//go:build unix

package spawn

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Run runs one process to its end and leaves nothing of its tree behind. When the deadline passes or ctx is cancelled,
// the whole tree gets SIGTERM and, when the grace is over, SIGKILL. That a process cannot be started is a Result with
// StartErr; the error is of the declaration or the machine: a CPU that cannot be had, a file that cannot be created.
func Run(ctx context.Context, c Command) (Result, error) {
	res, err := run(ctx, &c)
	if err != nil {
		return res, fmt.Errorf("run %s: %w", c.Path, err)
	}
	return res, nil
}

func run(ctx context.Context, c *Command) (res Result, err error) {
	if err := c.validate(); err != nil {
		return res, err
	}
	if ctx.Err() != nil {
		return Result{Interrupted: true}, nil
	}
	stdio, err := c.open()
	if err != nil {
		return res, err
	}
	defer stdio.close()
	if stdio.startErr != nil {
		return Result{StartErr: stdio.startErr}, nil
	}
	s, err := c.Harness.begin(c)
	if err != nil {
		return res, err
	}
	defer func() {
		if e := s.release(); err == nil {
			err = e
		}
	}()

	started := make(chan birth, 1)
	ended := make(chan death, 1)
	go startAndWait(c, stdio, s, started, ended)
	b := <-started
	if b.err != nil {
		return res, b.err
	}
	if b.startErr != nil {
		return Result{StartErr: b.startErr}, nil
	}
	res.Started, res.CPUs = true, b.cpus
	return res, s.supervise(ctx, c, b, ended, &res)
}

// birth is how a start went.
type birth struct {
	at       time.Time
	pid      int
	pidfd    int // -1: none
	cpus     []int
	startErr error // of the command
	err      error // of the machine
}

// death is how the wait went.
type death struct {
	at     time.Time
	ending *ending // nil: not reaped yet
	err    error
}

// stdio is the child's descriptors 0, 1 and 2.
type stdio struct {
	files    [3]*os.File
	startErr error // standard input cannot be opened
}

func (c *Command) open() (s stdio, err error) {
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	in := c.Stdin
	if in == "" {
		in = os.DevNull
	}
	if s.files[0], err = os.Open(in); err != nil {
		if c.Stdin == "" {
			return s, err
		}
		s.startErr = fmt.Errorf("standard input: %w", err)
		return s, nil
	}
	for i, path := range []string{c.Stdout, c.Stderr} {
		if path == "" {
			s.files[i+1], err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		} else {
			s.files[i+1], err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", []string{"standard output", "standard error"}[i], err)
		}
	}
	return s, nil
}

func (s *stdio) fds() []uintptr {
	fds := make([]uintptr, len(s.files))
	for i, f := range s.files {
		fds[i] = f.Fd()
	}
	return fds
}

func (s *stdio) close() {
	for _, f := range s.files {
		if f != nil {
			f.Close()
		}
	}
}

// describe fills in how the process ended and what it used.
func (r *Result) describe(e ending, floor int64) {
	if r.Exited = e.status.Exited(); r.Exited {
		r.Exit = e.status.ExitStatus()
	} else if e.status.Signaled() {
		r.Signal = signalName(e.status.Signal())
	}
	u := &e.usage
	r.User, r.Sys = time.Duration(unix.TimevalToNsec(u.Utime)), time.Duration(unix.TimevalToNsec(u.Stime))
	r.MaxRSS = int64(u.Maxrss) * maxRSSUnit
	r.MaxRSSKnown = floor > 0 && r.MaxRSS > floor
	r.MinorFaults, r.MajorFaults = int64(u.Minflt), int64(u.Majflt)
	r.VoluntarySwitches, r.InvoluntarySwitches = int64(u.Nvcsw), int64(u.Nivcsw)
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig)) // a real-time signal
}
