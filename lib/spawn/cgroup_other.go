//go:build unix && !linux

package spawn

// cgroups and cgroup are control groups, which only Linux has.
type (
	cgroups struct{}
	cgroup  struct{ path string }
)

func findCgroups() *cgroups { return nil }

func (*cgroups) take() *cgroup      { return nil }
func (*cgroups) give(*cgroup, bool) {}
func (*cgroups) remove() error      { return nil }
func (*cgroups) paths() []string    { return nil }

func (t *tree) inCgroup() map[int]bool { return nil }
func (t *tree) killCgroup()            {}

func removeCgroups([]string) {}
