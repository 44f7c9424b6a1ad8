package spawn_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/spawn"
)

func describeSelf() self { return self{} }
func family(string)      {}

func TestSmoke(t *testing.T) {
	h, err := spawn.Setup(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	exe, _ := os.Executable()
	a, _ := spawn.Allowed()
	for _, args := range [][]string{{"exit", "3"}, {"segv"}, {"deaf"}} {
		r, err := spawn.Run(context.Background(), spawn.Command{Path: exe, Argv: append([]string{stubName}, args...), Dir: "/", CPUs: a[:1], Harness: h, Timeout: time.Second, Grace: 100 * time.Millisecond,
			ASLROff: true, Rlimits: map[string]int64{"nofile": 100}})
		t.Logf("%+v %v", r, err)
	}
	b, _ := os.ReadFile("/proc/self/cgroup")
	t.Logf("%s", b)
}
