package spawn

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	const rest = " 30 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654321 3334144 128"
	for _, tt := range []struct {
		name, text string
		want       process
		ok         bool
	}{
		{"plain", "12 (cat) R 10 11" + rest, process{pid: 12, ppid: 10, pgid: 11, start: 987654321}, true},
		{"zombie", "12 (cat) Z 10 11" + rest, process{pid: 12, ppid: 10, pgid: 11, start: 987654321, zombie: true}, true},
		{"name like a field", "12 (a) R 1 (b c) S 10 11" + rest, process{pid: 12, ppid: 10, pgid: 11, start: 987654321}, true},
		{"name of parentheses", "12 ())))) S 10 11" + rest, process{pid: 12, ppid: 10, pgid: 11, start: 987654321}, true},
		{"cut short", "12 (cat) S 10 11 30", process{}, false},
		{"empty", "", process{}, false},
		{"letters", "12 (cat) S x 11" + rest, process{}, false},
	} {
		got, err := parseStat(12, []byte(tt.text))
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestPick(t *testing.T) {
	const self, own, root = 5, 4, 100
	all := []process{
		{pid: 1, ppid: 0, pgid: 1, start: 1},
		{pid: self, ppid: 1, pgid: own, start: 2},
		{pid: 6, ppid: self, pgid: own, start: 3}, // started by the harness otherwise
		{pid: root, ppid: self, pgid: root, start: 50, zombie: true},
		{pid: 101, ppid: root, pgid: root, start: 51},               // child
		{pid: 102, ppid: 1, pgid: root, start: 51},                  // its parent ended, in the group still
		{pid: 103, ppid: 101, pgid: 103, start: 52},                 // left the group
		{pid: 104, ppid: 103, pgid: 104, start: 53},                 // and its child
		{pid: 105, ppid: 1, pgid: 105, start: 54},                   // in the control group
		{pid: 106, ppid: 105, pgid: 106, start: 55},                 // its child, moved out
		{pid: 107, ppid: self, pgid: root, start: 55, zombie: true}, // adopted, ended
		{pid: 108, ppid: 103, pgid: root, start: 55, zombie: true},  // ended, its parent's to reap
		{pid: 200, ppid: 1, pgid: 200, start: 60},
	}
	pick := func(tr tree) []int {
		var pids []int
		for _, p := range tr.pick(all, map[int]bool{105: true}, self) {
			pids = append(pids, p.pid)
		}
		return pids
	}
	want := []int{101, 102, 103, 104, 105, 106, 107}
	if got := pick(tree{Root: root, Start: 50, Own: own}); !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	// The root's pid has gone to another process: only the control group counts.
	if got, want := pick(tree{Root: root, Start: 49, Own: own}), []int{105, 106}; !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	// Not started yet.
	if got, want := pick(tree{Own: own}), []int{105, 106}; !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
}

func TestOwnCgroup(t *testing.T) {
	const hybrid = `25 24 0:22 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
33 24 0:30 / /sys/fs/cgroup/unified rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw`
	const pure = `30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate`
	const container = `30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw`
	for _, tt := range []struct{ name, mounts, own, want string }{
		{"hybrid", hybrid, "3:cpuset:/\n0::/\n", "/sys/fs/cgroup/unified"},
		{"pure", pure, "0::/user.slice/user-0.slice/session-1.scope\n", "/sys/fs/cgroup/user.slice/user-0.slice/session-1.scope"},
		{"below the mount's root", container, "0::/docker/abc/run\n", "/sys/fs/cgroup/run"},
		{"at the mount's root", container, "0::/docker/abc\n", "/sys/fs/cgroup"},
		{"outside the mount's root", container, "0::/docker/abcdef\n", ""},
		{"outside the namespace", pure, "0::/../other\n", ""},
		{"v1 only", "25 24 0:22 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n", "1:cpu:/\n", ""},
		{"nothing", "", "", ""},
		{"not mounted", "", "0::/\n", ""},
	} {
		got, ok := ownCgroup([]byte(tt.mounts), []byte(tt.own))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestRunFolder(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{[]string{"HOME=/r/1", "A=b", "TMPDIR=/r/1"}, "/r/1"},
		{[]string{"HOME=/root", "TMPDIR=/tmp"}, ""},
		{[]string{"HOME=/root"}, ""},
		{[]string{"XHOME=/r/1", "TMPDIR=/r/1"}, ""},
		{nil, ""},
	} {
		if got := runFolder(tt.env); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestMarkIsInheritedAndTakenBack(t *testing.T) {
	before, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Fatal(err)
	}
	m, other := newMark(nil), newMark(nil)
	if m.Limit == other.Limit {
		t.Fatal("two runs have one mark")
	}
	restore, ok := m.set()
	if !ok {
		restore()
		t.Skip("RLIMIT_RTTIME is limited here, so runs are known by their environment")
	}
	if !m.on(os.Getpid()) || other.on(os.Getpid()) {
		t.Error("the mark is not on this process, or both are")
	}
	restore()
	if m.on(os.Getpid()) {
		t.Error("the mark stays")
	}
	after, err := os.ReadFile("/proc/self/limits")
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("limits before\n%s\nafter\n%s", before, after)
	}
}

// Older kernels have no close_range: the descriptors are marked one by one.
func TestMarkDescriptors(t *testing.T) {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	flags := func(fd int) int {
		n, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n & unix.FD_CLOEXEC
	}
	if flags(fd) != 0 {
		t.Fatal("the descriptor is close-on-exec from the start")
	}
	if err := markDescriptors("/proc/self/fd"); err != nil {
		t.Fatal(err)
	}
	if flags(fd) == 0 {
		t.Error("the descriptor would be inherited")
	}
	if flags(2) != 0 {
		t.Error("standard error would be closed")
	}
	if err := markDescriptors(t.TempDir() + "/none"); err == nil {
		t.Error("a folder that is not there is no error")
	}
}
