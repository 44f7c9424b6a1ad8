package host

import (
	"path"
	"strings"
)

// cgroupPaths is the control groups that this process is in: the one of version 2, and version 1's for cpu and cpuset.
func cgroupPaths(r reader) string {
	var parts []string
	for _, controller := range []string{"", "cpu", "cpuset"} {
		if group, ok := ownGroup(r, controller); ok {
			name := controller
			if name == "" {
				name = "v2"
			}
			parts = append(parts, name+"="+group)
		}
	}
	return strings.Join(parts, " ")
}

// cpuQuota is the share of CPU time that the control groups allow, from this process's own up to the root; "none" if
// all that can be read set none.
func cpuQuota(r reader) string {
	var limits []string
	known := false
	for _, dir := range groupDirs(r, "") {
		limit := r.text(path.Join(dir, "cpu.max")) // "max 100000" or "50000 100000"
		known = known || limit != ""
		if limit != "" && !strings.HasPrefix(limit, "max") {
			limits = append(limits, strings.Join(strings.Fields(limit), "/")+" us")
		}
	}
	for _, dir := range groupDirs(r, "cpu") {
		quota, period := r.text(path.Join(dir, "cpu.cfs_quota_us")), r.text(path.Join(dir, "cpu.cfs_period_us"))
		known = known || quota != ""
		if quota != "" && quota != "-1" {
			limits = append(limits, quota+"/"+period+" us")
		}
	}
	switch {
	case len(limits) > 0:
		return strings.Join(limits, ", ")
	case known:
		return "none"
	}
	return ""
}

func cpuThrottled(r reader) string {
	for _, controller := range []string{"", "cpu"} {
		for _, dir := range groupDirs(r, controller) {
			if n := statValue(r.text(path.Join(dir, "cpu.stat")), "nr_throttled"); n != "" {
				return n + " times"
			}
		}
	}
	return ""
}

func statValue(text, key string) string {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == key {
			return fields[1]
		}
	}
	return ""
}

// ownGroup returns this process's group in the hierarchy of a version 1 controller, or of version 2 for "".
func ownGroup(r reader, controller string) (string, bool) {
	for line := range strings.Lines(r.text("proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for name := range strings.SplitSeq(fields[1], ",") {
			if name == controller && (controller != "" || fields[0] == "0") {
				return fields[2], true
			}
		}
	}
	return "", false
}

// groupDirs returns the folders of this process's group and of its parents, the own first, below the root folder.
func groupDirs(r reader, controller string) []string {
	group, ok := ownGroup(r, controller)
	if !ok || strings.HasPrefix(group, "/..") {
		return nil
	}
	root, point, ok := groupMount(r, controller)
	if !ok {
		return nil
	}
	below, ok := strings.CutPrefix(group, strings.TrimSuffix(root, "/"))
	if !ok || below != "" && below[0] != '/' {
		below = "" // mounted from elsewhere, as in some containers: the mount's own root is what can be seen
	}
	top := strings.TrimPrefix(point, "/")
	var dirs []string
	for rel := path.Clean("/" + below); ; rel = path.Dir(rel) {
		dirs = append(dirs, path.Join(top, rel))
		if rel == "/" {
			return dirs
		}
	}
}

// groupMount returns the root and the mount point of a hierarchy, from mountinfo (proc_pid_mountinfo(5)).
func groupMount(r reader, controller string) (root, point string, ok bool) {
	for line := range strings.Lines(r.text("proc/self/mountinfo")) {
		before, after, found := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if !found || len(mount) < 5 || len(kind) < 3 {
			continue
		}
		if controller == "" && kind[0] == "cgroup2" {
			return mount[3], mount[4], true
		}
		if controller != "" && kind[0] == "cgroup" {
			for option := range strings.SplitSeq(kind[2], ",") {
				if option == controller {
					return mount[3], mount[4], true
				}
			}
		}
	}
	return "", "", false
}
