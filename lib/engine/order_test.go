package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/seal"
)

// What is journalled, in order, for each way in which a run can fail and each rule of what follows.
func TestOrderOfEvents(t *testing.T) {
	for name, c := range map[string]struct {
		onFailure, line string
		want            []string
		outcome         engine.Outcome
	}{
		"nothing fails": {"stop-phase", prints, []string{
			"start 1 x a", "end 1", "start 2 x b", "end 2", "start 3 x b", "end 3", "start 4 x a", "end 4",
			"start 5 y a", "end 5", "start 6 y b", "end 6", "start 7 y b", "end 7", "start 8 y a", "end 8",
		}, engine.Outcome{Finished: 8}},
		"the others go on": {"continue", "exit 3", []string{
			"start 1 x a", "end 1", "start 2 x b", "end 2: exit", "start 3 x b", "end 3: exit", "start 4 x a", "end 4",
			"start 5 y a", "end 5", "start 6 y b", "end 6", "start 7 y b", "end 7", "start 8 y a", "end 8",
		}, engine.Outcome{Finished: 6, Failed: 2}},
		"the case stops": {"stop-case", "kill -KILL $$", []string{
			"start 1 x a", "end 1", "start 2 x b", "end 2: signal",
			"start 5 y a", "end 5", "start 6 y b", "end 6", "start 7 y b", "end 7", "start 8 y a", "end 8",
		}, engine.Outcome{Finished: 5, Failed: 1}},
		"the phase stops": {"stop-phase", "echo no rows", []string{
			"start 1 x a", "end 1", "start 2 x b", "end 2: parse", `stopped, exit 3: run 2 failed (parse) and on_failure is "stop-phase"`,
		}, engine.Outcome{Finished: 1, Failed: 1, Stopped: `run 2 failed (parse) and on_failure is "stop-phase"`}},
		"too few rows": {"stop-phase", "true", []string{
			"start 1 x a", "end 1", "start 2 x b", "end 2: rows", `stopped, exit 3: run 2 failed (rows) and on_failure is "stop-phase"`,
		}, engine.Outcome{Finished: 1, Failed: 1, Stopped: `run 2 failed (rows) and on_failure is "stop-phase"`}},
	} {
		l := newLab(t, c.onFailure, c.line).open()
		o, got := l.run(context.Background())
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(c.outcome, o); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTimeoutIsAFailure(t *testing.T) {
	l := newLab(t, "stop-phase", "sleep 600")
	l.phase.Process.Timeout /= 600 // 100 ms, which the other runs must keep too
	for i := range l.phase.Cases {
		l.phase.Cases[i].Commands["a"] = l.phase.Cases[i].Commands["b"]
	}
	_, got := l.open().run(context.Background())
	want := []string{"start 1 x a", "end 1: timeout", `stopped, exit 3: run 1 failed (timeout) and on_failure is "stop-phase"`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if e := l.log()[1].Body.(*ledger.RunFinished); !e.TimedOut || e.Signal == nil || *e.Signal != "SIGTERM" || e.Samples != 0 {
		t.Errorf("%+v", e)
	}
}

// A program that cannot be started is a failed run, not the end of the harness.
func TestProgramThatCannotStart(t *testing.T) {
	l := newLab(t, "stop-phase", prints).open()
	broken := filepath.Join(l.root, "broken")
	if err := os.WriteFile(broken, []byte("\x7fELF and no more"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.job.Resolver.Targets["sh"] = engine.Target{Path: broken}
	l.job.Verify = nil
	_, got := l.run(context.Background())
	if d := cmp.Diff([]string{"start 1 x a", "end 1: start", `stopped, exit 3: run 1 failed (start) and on_failure is "stop-phase"`}, got); d != "" {
		t.Error(d)
	}
	if e := l.log()[1].Body.(*ledger.RunFinished); e.StartError == nil || e.Exit != nil || e.Signal != nil {
		t.Errorf("%+v", e)
	}
}

// Everything that happens in one run, in order: pins, what is told, what is journalled, what the process itself sees.
func TestOrderWithinARun(t *testing.T) {
	journal := `tail -n 1 ` // of the ledger, by the process: the start must be on the disk before it runs
	l := newLab(t, "continue", "")
	journal += filepath.Join(l.folder, ledger.Name) + ` | grep -q '"event":"run-started".*"run":'$R || exit 9; ` + prints
	for i := range l.phase.Cases {
		for arm, c := range l.phase.Cases[i].Commands {
			c.Argv = args("sh", "-c", "R=${HOME%/home}; R=${R##*/}; R=${R#000}; "+journal, "sh", "file:in.txt")
			l.phase.Cases[i].Commands[arm] = c
		}
	}
	l.open()
	var trace []string
	seen := 0
	note := func(s string) {
		for _, e := range l.log()[seen:] {
			trace = append(trace, short(e.Body))
			seen++
		}
		trace = append(trace, s)
	}
	verify := l.job.Verify
	l.job.Verify = func(pin *seal.Pin) error {
		note("verify " + pin.Label)
		return verify(pin)
	}
	l.job.Progress = func(p engine.Progress) {
		word := "starts"
		if p.Finished {
			word = "ended"
		}
		note(fmt.Sprintf("%s %d, %d of %d done", word, p.Run.Number, p.Done, p.Total))
	}
	if o, _ := l.run(context.Background()); o.Finished != 8 {
		t.Errorf("%+v: a start was not on the disk before its process ran", o)
	}
	var want []string
	for i, arm := range []string{"x a", "x b", "x b", "x a", "y a", "y b", "y b", "y a"} {
		want = append(want,
			"verify sh", "verify in.txt", fmt.Sprintf("starts %d, %d of 8 done", i+1, i),
			fmt.Sprintf("start %d %s", i+1, arm), fmt.Sprintf("end %d", i+1),
			"verify sh", "verify in.txt", fmt.Sprintf("ended %d, %d of 8 done", i+1, i+1))
	}
	if d := cmp.Diff(want, trace); d != "" {
		t.Error(d)
	}
}

// A clock that goes on by a second whenever it is read: the estimate is the mean of the runs that ended times those left.
func TestProgress(t *testing.T) {
	l := newLab(t, "stop-case", "exit 1").open()
	now := time.Unix(0, 0)
	l.job.Clock = func() time.Time {
		now = now.Add(time.Second)
		return now
	}
	var got []string
	l.job.Progress = func(p engine.Progress) {
		failure := ""
		if p.Failure != nil {
			failure = " " + p.Failure.Kind
		}
		got = append(got, fmt.Sprintf("%d: %d/%d %v left %v%s", p.Run.Number, p.Done, p.Total, p.Elapsed, p.Remaining.Round(time.Microsecond), failure))
	}
	l.run(context.Background())
	want := []string{
		"1: 0/8 1s left 0s", "1: 1/8 2s left 14s",
		"2: 1/8 3s left 21s", "2: 2/8 4s left 12s exit",
		"5: 2/6 5s left 10s", "5: 3/6 6s left 6s",
		"6: 3/6 7s left 7s", "6: 4/6 8s left 4s",
		"7: 4/6 9s left 4.5s", "7: 5/6 10s left 2s",
		"8: 5/6 11s left 2.2s", "8: 6/6 12s left 0s",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A ledger that cannot be written is the machine's fault, and no further process runs.
func TestLedgerThatFails(t *testing.T) {
	l := newLab(t, "continue", prints).open()
	l.job.Progress = func(p engine.Progress) {
		if p.Run.Number == 2 && !p.Finished {
			l.job.Ledger.Close()
		}
	}
	o, err := engine.Run(context.Background(), l.job)
	if err == nil || !strings.Contains(err.Error(), "run 2: ") || o.Finished != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := os.Stat(filepath.Join(l.folder, "runs", "0002", "stdout")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("run 2 ran: %v", err)
	}
}

// The start event says all that the process got.
func TestStartIsRecordedInFull(t *testing.T) {
	l := newLab(t, "stop-phase", "exit 1")
	l.phase.Process.Env = map[string]string{"GOGC": "100", "EMPTY": ""}
	l.phase.Process.Calibrate = 100_000
	l.phase.Expect = []plan.Expect{{Kind: plan.ExpectAudit, Name: "n", PerRepeat: 1}}
	show := `env | sort; pwd; echo "$0 $*" ` // on standard error, so that it can be compared
	c := l.phase.Cases[0].Commands["a"]
	c.Argv = args("sh", "-c", "("+show+") >&2; "+prints, "name", "file:in.txt", "")
	c.Dir = "."
	l.phase.Cases[0].Commands["a"] = c
	l.open().run(context.Background())
	e := l.log()[0].Body.(*ledger.RunStarted)
	home := filepath.Join(l.folder, "runs", "0001", "home")
	want := []string{
		"EMPTY=", "GOGC=100", "HOME=" + home, "LANG=C", "PATH=/usr/local/bin:/usr/bin:/bin",
		"PHASELOCK_AUDIT=" + filepath.Join(l.folder, "runs", "0001", "audit"), "PHASELOCK_PAD=" + e.Env["PHASELOCK_PAD"], "TMPDIR=" + home,
	}
	var env []string
	for name, value := range e.Env {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	if d := cmp.Diff(want, env); d != "" {
		t.Error(d)
	}
	printed, err := os.ReadFile(filepath.Join(l.folder, "runs", "0001", "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range append(want, "PWD="+l.root, l.root, "name "+filepath.Join(l.root, "in.txt")+" ") {
		if !slices.Contains(strings.Split(string(printed), "\n"), line) {
			t.Errorf("the process did not see %q:\n%s", line, printed)
		}
	}
	if e.Exec != l.job.Resolver.Targets["sh"].Path || e.Argv[0] != "sh" || e.Argv[4] != filepath.Join(l.root, "in.txt") || e.Argv[5] != "" || e.Dir != l.root ||
		e.CPUs != "" || e.Attempt != 1 || e.Block != 1 || e.Position != 1 || e.SpinNS <= 0 || e.Total != engine.Total(e.Exec, e.Argv, env) {
		t.Errorf("%+v", e)
	}
}

// HOME and TMPDIR are there while a run lasts and go after it, unless something was left there.
func TestHome(t *testing.T) {
	l := newLab(t, "continue", `[ -d "$HOME" ] && echo kept > "$TMPDIR/left"; `+prints).open()
	l.run(context.Background())
	for run, kept := range map[string]bool{"0001": false, "0002": true, "0003": true, "0004": false} {
		_, err := os.Stat(filepath.Join(l.folder, "runs", run, "home", "left"))
		if kept != (err == nil) {
			t.Errorf("run %s: %v", run, err)
		}
		if _, err := os.Stat(filepath.Join(l.folder, "runs", run, "home")); kept != (err == nil) {
			t.Errorf("home of run %s: %v", run, err)
		}
	}
}
