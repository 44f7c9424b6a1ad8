package spawn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cgroups makes control groups below this process's own, one for each run that is under way. They have no controllers:
// they limit nothing and only tell which processes belong together.
type cgroups struct {
	parent string // folder of this process's own group
	made   []*cgroup
	free   []*cgroup // of those made
}

// cgroup is one folder of the cgroup v2 tree.
type cgroup struct {
	path string
	fd   int
}

// findCgroups returns nil where this process may not make control groups.
func findCgroups() *cgroups {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	parent, ok := ownCgroup(mounts, own)
	if !ok {
		return nil
	}
	c := &cgroups{parent: parent}
	first, err := c.make()
	if err != nil {
		return nil
	}
	c.free = append(c.free, first)
	return c
}

// ownCgroup returns the folder of this process's own cgroup v2 group, from /proc/self/mountinfo and /proc/self/cgroup.
func ownCgroup(mountinfo, selfCgroup []byte) (string, bool) {
	var group string
	for line := range bytes.Lines(selfCgroup) {
		if path, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("0::")); ok {
			group = string(path)
		}
	}
	if group == "" || strings.HasPrefix(group, "/..") { // outside of this cgroup namespace
		return "", false
	}
	scanner := bufio.NewScanner(bytes.NewReader(mountinfo))
	for scanner.Scan() {
		fields := strings.Fields(scanner.Text()) // proc_pid_mountinfo(5)
		dash := 0
		for dash < len(fields) && fields[dash] != "-" {
			dash++
		}
		if dash < 6 || dash+1 >= len(fields) || fields[dash+1] != "cgroup2" {
			continue
		}
		root, point := fields[3], fields[4]
		if below, ok := strings.CutPrefix(group, strings.TrimSuffix(root, "/")); ok && (below == "" || below[0] == '/') {
			return filepath.Join(point, below), true
		}
	}
	return "", false
}

func (c *cgroups) make() (*cgroup, error) {
	path, err := os.MkdirTemp(c.parent, fmt.Sprintf("phaselock-%d-", os.Getpid()))
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		_, err = os.Stat(filepath.Join(path, "cgroup.kill")) // since Linux 5.14
		if err == nil {
			g := &cgroup{path: path, fd: fd}
			c.made = append(c.made, g)
			return g, nil
		}
		unix.Close(fd)
	}
	return nil, errors.Join(err, os.Remove(path))
}

// take returns a group that nothing is in, or nil.
func (c *cgroups) take() *cgroup {
	if c == nil {
		return nil
	}
	if n := len(c.free); n > 0 {
		g := c.free[n-1]
		c.free = c.free[:n-1]
		return g
	}
	g, err := c.make()
	if err != nil {
		return nil
	}
	return g
}

// paths returns the folders of all groups that were made.
func (c *cgroups) paths() []string {
	if c == nil {
		return nil
	}
	var paths []string
	for _, g := range c.made {
		paths = append(paths, g.path)
	}
	return paths
}

// give takes a group back, its processes being gone. One that was killed is not used again: from its cgroup.kill on the
// kernel kills whatever is started into it from outside (seen on Linux 6.18).
func (c *cgroups) give(g *cgroup, killed bool) {
	switch {
	case c == nil || g == nil:
	case killed:
		c.made = slices.DeleteFunc(c.made, func(o *cgroup) bool { return o == g })
		unix.Close(g.fd)
		removeCgroup(g.path) //nolint:errcheck // an empty folder that stays does no harm
	default:
		c.free = append(c.free, g)
	}
}

// remove removes all groups.
func (c *cgroups) remove() error {
	if c == nil {
		return nil
	}
	var errs []error
	for _, g := range c.made {
		unix.Close(g.fd)
		errs = append(errs, removeCgroup(g.path))
	}
	c.made, c.free = nil, nil
	return errors.Join(errs...)
}

// inCgroup returns the pids in the tree's control group.
func (t *tree) inCgroup() map[int]bool {
	if t.Cgroup == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(t.Cgroup, "cgroup.procs"))
	if err != nil {
		return nil
	}
	in := map[int]bool{}
	for _, field := range bytes.Fields(text) {
		if pid, err := strconv.Atoi(string(field)); err == nil {
			in[pid] = true
		}
	}
	return in
}

// killCgroup kills all of the control group at once, those included that are being born.
func (t *tree) killCgroup() {
	if t.Cgroup != "" {
		os.WriteFile(filepath.Join(t.Cgroup, "cgroup.kill"), []byte("1"), 0) //nolint:errcheck // the members are killed one by one as well
	}
}

// removeCgroups removes the control groups of a harness that is gone, as far as nothing is in them.
func removeCgroups(paths []string) {
	for _, path := range paths {
		removeCgroup(path) //nolint:errcheck // an empty folder that stays does no harm
	}
}

// removeCgroup removes a control group and those that its processes made below it. The files in it are the kernel's.
func removeCgroup(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeCgroup(filepath.Join(path, entry.Name())); err != nil {
				return err
			}
		}
	}
	return unix.Rmdir(path)
}
