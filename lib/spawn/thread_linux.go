package spawn

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// thread is the calling OS thread: what a child of it is to inherit, and the way back.
type thread struct{ undo []func() error }

// become sets the command's affinity, address space layout, nice value and network namespace on the calling thread,
// which must be locked.
func (t *thread) become(c *Command) error {
	for _, set := range []func(*Command) error{t.affinity, t.layout, t.nice, t.netns} {
		if err := set(c); err != nil {
			return err
		}
	}
	return nil
}

// restore undoes become, the last first. After an error the thread must not run anything else.
func (t *thread) restore() error {
	var errs []error
	for i := len(t.undo) - 1; i >= 0; i-- {
		errs = append(errs, t.undo[i]())
	}
	t.undo = nil
	return errors.Join(errs...)
}

func (t *thread) affinity(c *Command) error {
	cpus := c.CPUs
	if cpus == nil {
		before := startedWith.Load()
		if before == nil {
			return nil // this process was never pinned: the child inherits what it was started with
		}
		cpus = *before
	}
	now, err := affinity(0)
	if err != nil {
		return err
	}
	back, err := cpuSet(now)
	if err != nil {
		return err
	}
	set, err := cpuSet(cpus)
	if err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { return unix.SchedSetaffinityDynamic(0, back) })
	return setAffinity(0, set, cpus)
}

func (t *thread) layout(c *Command) error {
	if !c.ASLROff {
		return nil
	}
	const query, noRandomize = 0xffffffff, 0x0040000 // personality(2), ADDR_NO_RANDOMIZE
	now, err := personality(query)
	if err != nil {
		return err
	}
	t.undo = append(t.undo, func() error { _, err := personality(now); return err })
	_, err = personality(now | noRandomize)
	return err
}

func personality(p uintptr) (uintptr, error) {
	old, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, p, 0, 0)
	if errno != 0 {
		return 0, fmt.Errorf("address space layout: personality: %w", errno)
	}
	return old, nil
}

func (t *thread) nice(c *Command) error {
	if c.Nice == nil {
		return nil
	}
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 0 is the thread; the system call gives 20 - nice
	if err != nil {
		return fmt.Errorf("nice %d: %w", *c.Nice, err)
	}
	now := 20 - raw
	t.undo = append(t.undo, func() error { return unix.Setpriority(unix.PRIO_PROCESS, 0, now) })
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, *c.Nice); err != nil {
		return fmt.Errorf("nice %d: %w; values below %d need CAP_SYS_NICE", *c.Nice, err, now)
	}
	return nil
}

func (t *thread) netns(c *Command) error {
	if c.Netns == "" {
		return nil
	}
	path := c.Netns
	if !filepath.IsAbs(path) {
		if strings.ContainsRune(path, '/') {
			return fmt.Errorf("network namespace %q: write a name under /run/netns or an absolute path", path)
		}
		path = filepath.Join("/run/netns", path)
	}
	there, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("network namespace %q: %w; `ip netns list` shows those there are", c.Netns, err)
	}
	defer there.Close()
	here, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	t.undo = append(t.undo, func() error {
		defer here.Close()
		return unix.Setns(int(here.Fd()), unix.CLONE_NEWNET)
	})
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("network namespace %q: setns: %w; it needs CAP_SYS_ADMIN", c.Netns, err)
	}
	return nil
}
