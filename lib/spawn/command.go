//go:build unix

// Package spawn runs one pinned process: exact argv, affinity, limits, resource usage, and its whole process tree ended.
//
// # How a tree is known
//
// Every process of a run is found again, whatever it did since, by the union of
//
//   - its control group, where a cgroup v2 folder can be had (Linux);
//   - the run's mark, a soft RLIMIT_RTTIME of more than a hundred thousand years whose low bits are random: it limits
//     nothing, and is inherited through fork, exec, setsid and a cleared environment (Linux);
//   - where no such limit can be set, HOME and TMPDIR in its initial environment, if the run gives both the same folder;
//   - its process group, and descent from any process found so.
//
// What escapes: without a control group, a process that resets its RLIMIT_RTTIME, leaves its group and outlives its
// parents. Where there is no /proc (other than Linux), one that leaves its group and outlives its parents.
package spawn

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Command is a process to run. Nothing of it is interpreted: no shell, no search path, no inherited environment.
type Command struct {
	Path string   // the file that is executed; absolute
	Argv []string // whole, argv[0] included
	Env  []string // whole, "NAME=value"
	Dir  string   // working folder; absolute

	Stdin  string // a file to read; "" is /dev/null
	Stdout string // a file to create, which must not exist; "" is /dev/null
	Stderr string // likewise

	CPUs    []int            // nil: unpinned, on all CPUs that this process was started with
	Timeout time.Duration    // until SIGTERM; 0: none
	Grace   time.Duration    // from SIGTERM to SIGKILL
	ASLROff bool             // no address space layout randomization (Linux)
	Nice    *int             // absolute nice value, -20 to 19
	Rlimits map[string]int64 // soft and hard, by name ("nofile", "as", …); -1 is unlimited (Linux)
	Netns   string           // network namespace: a name under /run/netns, or an absolute path (Linux)

	OnStart func(pid int, cpus []int) // called once, soon after the process started, while it runs

	Harness *Harness // what ends the tree if this process is killed; nil: nothing does
}

// Result is how a process ended.
type Result struct {
	Started  bool
	StartErr error // why it could not be started: no such file, not executable, standard input or folder missing

	Exit   int    // its exit status; meaningful if Exited
	Exited bool   // it ended by itself, not by a signal
	Signal string // "SIGSEGV"; "" if Exited

	TimedOut    bool // its deadline passed and it was told to end
	Interrupted bool // the context was cancelled before it ended

	Wall      time.Duration // monotonic, from just before the start until the wait returned
	User, Sys time.Duration // CPU time of the process and of its descendants that were waited for

	MaxRSS      int64 // peak resident set, bytes
	MaxRSSKnown bool  // false where MaxRSS is not above this process's own peak, from which the kernel starts counting (vfork)

	MinorFaults, MajorFaults               int64
	VoluntarySwitches, InvoluntarySwitches int64

	CPUs     []int // its affinity, read back from it after the start; nil where it cannot be read
	Leftover int   // other processes of its tree that did not end by themselves and were killed
}

// ErrUnsupported says that this system cannot do what a command asks for.
var ErrUnsupported = errors.New("not possible on this system")

// validate finds what no machine could run.
func (c *Command) validate() error {
	switch {
	case !filepath.IsAbs(c.Path):
		return fmt.Errorf("path %q is not absolute", c.Path)
	case len(c.Argv) == 0:
		return errors.New("argv is empty; its first element is the program's name")
	case !filepath.IsAbs(c.Dir):
		return fmt.Errorf("working folder %q is not absolute", c.Dir)
	case c.CPUs != nil && len(c.CPUs) == 0:
		return errors.New("the set of CPUs is empty; nil is unpinned")
	case c.Nice != nil && (*c.Nice < -20 || *c.Nice > 19):
		return fmt.Errorf("nice %d is not between -20 and 19", *c.Nice)
	case c.Timeout < 0 || c.Grace < 0:
		return fmt.Errorf("timeout %v and grace %v must not be negative", c.Timeout, c.Grace)
	case c.Stdout != "" && c.Stdout == c.Stderr:
		return fmt.Errorf("standard output and standard error are one file, %s; give each its own", c.Stdout)
	}
	for what, values := range map[string][]string{"argv": c.Argv, "environment": c.Env, "path": {c.Path, c.Dir}} {
		if i := slices.IndexFunc(values, func(s string) bool { return strings.ContainsRune(s, 0) }); i >= 0 {
			return fmt.Errorf("%s: %q contains a NUL byte", what, values[i])
		}
	}
	if i := slices.IndexFunc(c.Env, func(s string) bool { return strings.IndexByte(s, '=') < 1 }); i >= 0 {
		return fmt.Errorf("environment: %q is not NAME=value", c.Env[i])
	}
	return checkRlimits(c.Rlimits)
}
