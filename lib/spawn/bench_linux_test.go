package spawn_test

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/phaselock/phaselock/lib/spawn"
)

// BenchmarkProcess compares the whole of Run with a plain exec.Cmd. All take turns within each iteration, each time in
// another order, so that drift of the machine meets all alike; each reports the median of its own times.
func BenchmarkProcess(b *testing.B) {
	cpus := allowed(b)
	h, plain := newHarness(b), newHarness(b)
	spawn.WithoutCgroups(plain)
	run := func(h *spawn.Harness, cpus []int) func() {
		c := spawn.Command{Path: "/bin/true", Argv: []string{"true"}, Env: []string{"LANG=C"}, Dir: "/", CPUs: cpus, Harness: h}
		return func() {
			if r, err := spawn.Run(context.Background(), c); err != nil || r.Exit != 0 {
				b.Fatalf("%+v, %v", r, err)
			}
		}
	}
	last := cpus[len(cpus)-1:]
	variants := []struct {
		unit  string
		once  func()
		watch stopwatch
	}{
		{unit: "exec.Cmd-µs", once: func() {
			cmd := exec.Command("/bin/true")
			cmd.Env = []string{"LANG=C"}
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}},
		{unit: "unpinned-µs", once: run(h, nil)},
		{unit: "pinned-µs", once: run(h, last)},
		{unit: "pinned-no-cgroup-µs", once: run(plain, last)},
	}
	order := []int{0, 1, 2, 3}
	random := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			v := &variants[i]
			v.watch.time(v.once)
		}
	}
	b.ReportMetric(0, "ns/op")
	for i := range variants {
		b.ReportMetric(variants[i].watch.median(), variants[i].unit)
	}
}
