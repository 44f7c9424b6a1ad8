package spawn_test

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/phaselock/phaselock/lib/spawn"
)

// kinds of descendants, from the tame to one that has cut all ties.
var kinds = []string{"child", "session", "orphan", "bare"}

// harnesses returns the harnesses that a tree must be ended under: with and without control groups, and none at all.
func harnesses(t *testing.T) map[string]*spawn.Harness {
	plain := newHarness(t)
	spawn.WithoutCgroups(plain)
	all := map[string]*spawn.Harness{"no harness": nil, "no control groups": plain}
	if h := newHarness(t); spawn.HasCgroups(h) {
		all["control groups"] = h
	}
	return all
}

func TestDeadline(t *testing.T) {
	for name, h := range harnesses(t) {
		t.Run(name+"/polite", func(t *testing.T) {
			c := stubCommand(t, h, "polite")
			// Until the stub listens a SIGTERM would just kill it: the deadline passes when it does.
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c.Grace = stubLife
			c.OnStart = func(int, []int) {
				go func() {
					waitFor(t, "the stub is ready", func() bool { text, _ := os.ReadFile(c.Stdout); return string(text) == "ready\n" })
					cancel()
				}()
			}
			r, err := spawn.Run(ctx, c)
			if err != nil || !r.Interrupted || r.TimedOut || !r.Exited || r.Exit != 7 || r.Leftover != 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
		t.Run(name+"/sleeps on", func(t *testing.T) {
			c := stubCommand(t, h, "sleep", stubLife.String())
			c.Timeout, c.Grace = 50*time.Millisecond, stubLife
			r := mustRun(t, c)
			if !r.TimedOut || r.Interrupted || r.Exited || r.Signal != "SIGTERM" || r.Wall < c.Timeout {
				t.Errorf("%+v", r)
			}
		})
		for _, kind := range kinds {
			t.Run(name+"/deaf with "+kind, func(t *testing.T) {
				c := stubCommand(t, h, "family", kind, "deaf")
				c.Grace = 50 * time.Millisecond
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				c.OnStart = func(int, []int) {
					go func() {
						waitFor(t, "the stub is ready", func() bool { text, _ := os.ReadFile(c.Stdout); return string(text) == "ready\n" })
						cancel()
					}()
				}
				r, err := spawn.Run(ctx, c)
				if err != nil || !r.Interrupted || r.Signal != "SIGKILL" || r.Leftover != 1 {
					t.Errorf("%+v, %v", r, err)
				}
				mustBeGone(t, descendants(t, c.Dir)...)
			})
		}
	}
}

func TestTimeoutWithGrandchildInItsOwnSession(t *testing.T) {
	c := stubCommand(t, newHarness(t), "family", "orphan", "deaf")
	c.Timeout, c.Grace = 3*time.Second, 20*time.Millisecond // long enough for the family to be complete
	r := mustRun(t, c)
	if !r.TimedOut || r.Signal != "SIGKILL" || r.Leftover != 1 || r.Wall < c.Timeout+c.Grace {
		t.Errorf("%+v", r)
	}
	mustBeGone(t, descendants(t, c.Dir)...)
}

func TestDaemonLeftBehind(t *testing.T) {
	for name, h := range harnesses(t) {
		for _, kind := range kinds {
			t.Run(name+"/"+kind, func(t *testing.T) {
				c := stubCommand(t, h, "family", kind, "exit", "0")
				r := mustRun(t, c)
				if !r.Exited || r.Exit != 0 || r.Leftover != 1 || r.TimedOut || r.Interrupted {
					t.Errorf("%+v", r)
				}
				mustBeGone(t, descendants(t, c.Dir)...)
			})
		}
	}
}

// Nothing accumulates: no zombies, no descriptors.
func TestNothingStaysBehind(t *testing.T) {
	h := newHarness(t)
	run := func() { mustRun(t, stubCommand(t, h, "family", "bare", "exit", "0")) }
	run()
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := descriptors()
	for range 5 {
		run()
	}
	if after := descriptors(); after != before {
		t.Errorf("%d descriptors are open, before %d", after, before)
	}
	if got := children(t); len(got) != 1 || got[0] != itoa(spawn.WatchdogPid(h)) {
		t.Errorf("children %v, want the watchdog %d alone", got, spawn.WatchdogPid(h))
	}
}

func TestConcurrentRunsKeepTheirTreesApart(t *testing.T) {
	h := newHarness(t)
	long := stubCommand(t, h, "family", "bare", "polite")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var group errgroup.Group
	var r spawn.Result
	group.Go(func() (err error) {
		r, err = spawn.Run(ctx, long)
		return err
	})
	ready := func() bool { text, _ := os.ReadFile(long.Stdout); return string(text) == "ready\n" }
	waitFor(t, "the long run is ready", ready)
	innocent := exec.Command("sleep", "60") // started by other means while runs come and go
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	var short errgroup.Group
	for range 4 {
		c := stubCommand(t, h, "family", "bare", "exit", "0")
		short.Go(func() error {
			r, err := spawn.Run(context.Background(), c)
			if err == nil && (r.Leftover != 1 || r.Exit != 0) {
				t.Errorf("short run: %+v", r)
			}
			return err
		})
	}
	if err := short.Wait(); err != nil {
		t.Error(err)
	}
	for _, pid := range append(descendants(t, long.Dir), innocent.Process.Pid) {
		if !runs(pid) {
			t.Errorf("process %d, which is not theirs, was ended", pid)
		}
	}
	innocent.Process.Kill()
	innocent.Wait()
	cancel()
	if err := group.Wait(); err != nil || r.Exit != 7 || r.Leftover != 1 {
		t.Errorf("long run: %+v, %v", r, err)
	}
	mustBeGone(t, descendants(t, long.Dir)...)
}

func TestCancelledBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := stubCommand(t, nil, "exit", "0")
	r, err := spawn.Run(ctx, c)
	if err != nil || r.Started || !r.Interrupted {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(c.Stdout); err == nil {
		t.Error("a file was made for a process that never started")
	}
}
