//go:build unix && !linux

package spawn

import (
	"fmt"
	"runtime"
	"syscall"
)

// thread is the calling OS thread. Where affinity, layout and namespaces do not belong to threads, nothing can be set.
type thread struct{}

func (*thread) become(c *Command) error {
	for what, asked := range map[string]bool{
		"CPUs " + FormatCPUs(c.CPUs):        c.CPUs != nil,
		"address space layout":              c.ASLROff,
		"a nice value":                      c.Nice != nil,
		"network namespace " + c.Netns:      c.Netns != "",
		"limits (" + names(c.Rlimits) + ")": len(c.Rlimits) > 0,
	} {
		if asked {
			return fmt.Errorf("%s: %w: %s cannot set it for one process before it starts; leave it out, or use Linux", what, ErrUnsupported, runtime.GOOS)
		}
	}
	return nil
}

func (*thread) restore() error { return nil }

// enter fills in what a child of this session starts with.
func (s *session) enter(attr *syscall.ProcAttr, _ *int, _ bool) (release func()) {
	attr.Sys = &syscall.SysProcAttr{Setpgid: true}
	return func() {}
}

func limitStopped(int, map[string]int64) error { return ErrUnsupported }
