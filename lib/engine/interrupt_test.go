package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
)

func TestInterruption(t *testing.T) {
	const stopped = "stopped, exit 130: interrupted"
	for name, c := range map[string]struct {
		stop func(l *lab, cancel func())
		want []string
	}{
		"before the first run": {func(_ *lab, cancel func()) { cancel() }, []string{stopped}},
		"between two runs":     {func(l *lab, cancel func()) { l.afterRun(1, cancel) }, []string{"start 1 x a", "end 1", stopped}},
		"just before a process starts": {func(l *lab, cancel func()) {
			l.job.Progress = func(p engine.Progress) {
				if p.Run.Number == 2 && !p.Finished {
					cancel()
				}
			}
		}, []string{"start 1 x a", "end 1", "start 2 x b", "interrupted 2: the harness was told to stop", stopped}},
		"while a process runs": {func(l *lab, cancel func()) {
			sign := filepath.Join(l.root, "sign")
			go func() {
				for {
					if _, err := os.Stat(sign); err == nil {
						cancel()
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
		}, []string{"start 1 x a", "end 1", "start 2 x b", "interrupted 2: the harness was told to stop", stopped}},
		"after the last run": {func(l *lab, cancel func()) {
			l.job.Resolver.Plan.Runs = l.job.Resolver.Plan.Runs[:1]
			l.afterRun(1, cancel)
		}, []string{"start 1 x a", "end 1"}},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		line := prints
		if name == "while a process runs" {
			line = "echo > sign; sleep 600"
		}
		l := newLab(t, "stop-phase", line).open()
		c.stop(l, cancel)
		o, got := l.run(ctx)
		cancel()
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if want := name != "after the last run"; o.Interrupted != want || (o.Stopped == "interrupted") != want || o.PinBroken || o.Failed != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
