package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/seal"
)

// afterRun calls f when a run has ended and its pins were found whole.
func (l *lab) afterRun(number int, f func()) {
	l.job.Progress = func(p engine.Progress) {
		if p.Finished && p.Run.Number == number {
			f()
		}
	}
}

// replace puts other bytes in the place of a file, under another inode.
func (l *lab) replace(path, content string) {
	l.t.Helper()
	other := path + ".other"
	if err := os.WriteFile(other, []byte(content), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		l.t.Fatal(err)
	}
}

// A pin that breaks stops the phase before the next process runs; what ran before stays.
func TestBrokenPins(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		spoil func(l *lab) // after run 1
		want  []string
		run   int
		got   string // of the event; "" is a digest
	}{
		"the private copy is swapped": {
			prints, func(l *lab) { l.replace(l.job.Resolver.Targets["sh"].Path, "#!/bin/true\n") },
			[]string{"start 1 x a", "end 1", "broken before run 2 (run 2): sh", "stopped, exit 3: before run 2: sh is not what was pinned"},
			2, "",
		},
		"the input is swapped": {
			prints, func(l *lab) { l.replace(filepath.Join(l.root, "in.txt"), "ni\n") },
			[]string{"start 1 x a", "end 1", "broken before run 2 (run 2): in.txt", "stopped, exit 3: before run 2: in.txt is not what was pinned"},
			2, "",
		},
		"the input is gone": {
			prints, func(l *lab) { os.Remove(filepath.Join(l.root, "in.txt")) },
			[]string{"start 1 x a", "end 1", "broken before run 2 (run 2): in.txt", "stopped, exit 3: before run 2: in.txt is not what was pinned"},
			2, "no such file",
		},
		"a run rewrites its input in place, in the same length": {
			"printf 'ni\\n' 1<> \"$1\"; " + prints, func(*lab) {},
			[]string{"start 1 x a", "end 1", "start 2 x b", "end 2", "broken after run 2 (run 2): in.txt", "stopped, exit 3: after run 2: in.txt is not what was pinned"},
			2, "",
		},
		"a run rewrites its input and fails": {
			"echo > \"$1\"; exit 1", func(*lab) {},
			[]string{"start 1 x a", "end 1", "start 2 x b", "end 2: exit", "broken after run 2 (run 2): in.txt", "stopped, exit 3: after run 2: in.txt is not what was pinned"},
			2, "",
		},
		"the interpreter of a script": {
			prints, func(l *lab) { l.replace(filepath.Join(l.root, "interpreter"), "other") },
			[]string{"start 1 x a", "end 1", "broken before run 2 (run 2): /interpreter", "stopped, exit 3: before run 2: /interpreter is not what was pinned"},
			2, "",
		},
	} {
		l := newLab(t, "stop-phase", c.line).open()
		interpreter := filepath.Join(l.root, "interpreter")
		l.replace(interpreter, "one")
		l.job.Pins["sh"] = append(l.job.Pins["sh"], l.pin("/interpreter", interpreter))
		l.afterRun(1, func() { c.spoil(l) })
		o, got := l.run(context.Background())
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !o.PinBroken || o.Interrupted || o.Stopped == "" {
			t.Errorf("%s: %+v", name, o)
		}
		entries := l.log()
		e := entries[len(entries)-2].Body.(*ledger.PinBroken)
		pin := l.job.Pins["sh"][1]
		switch e.Label {
		case "sh":
			pin = l.job.Pins["sh"][0]
		case "in.txt":
			pin = l.job.Pins["in.txt"][0]
		}
		if e.Want != pin.SHA256 {
			t.Errorf("%s: want %s, pinned %s", name, e.Want, pin.SHA256)
		}
		if digest, _, err := seal.Digest(pin.Path); err == nil && e.Got != digest || err != nil && !strings.Contains(e.Got, c.got) {
			t.Errorf("%s: got %s, the file has %s (%v)", name, e.Got, digest, err)
		}
		if _, err := os.Stat(filepath.Join(l.folder, "runs", "0003")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: run 3 ran", name)
		}
	}
}

// A file that another case uses breaks when that case comes, and not before.
func TestOnlyTheFilesOfARunAreVerified(t *testing.T) {
	l := newLab(t, "continue", prints)
	for arm, c := range l.phase.Cases[0].Commands {
		c.Argv = args("sh", "-c", prints)
		l.phase.Cases[0].Commands[arm] = c
	}
	l.open()
	l.afterRun(1, func() { l.replace(filepath.Join(l.root, "in.txt"), "ni\n") })
	_, got := l.run(context.Background())
	want := []string{
		"start 1 x a", "end 1", "start 2 x b", "end 2", "start 3 x b", "end 3", "start 4 x a", "end 4",
		"broken before run 5 (run 5): in.txt", "stopped, exit 3: before run 5: in.txt is not what was pinned",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// That a file cannot be verified for another reason than its bytes is the machine's fault.
func TestVerificationThatFails(t *testing.T) {
	l := newLab(t, "continue", prints).open()
	l.job.Verify = func(*seal.Pin) error { return errors.New("the disk is on fire") }
	if _, err := engine.Run(context.Background(), l.job); err == nil || !strings.Contains(err.Error(), "run 1: the disk is on fire") {
		t.Errorf("%v", err)
	}
	if got := l.events(); len(got) > 0 {
		t.Errorf("%v", got)
	}
}
