package campaign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/sample"
)

// A run that started and never finished gives no number, and is said to be cut short.
func TestRunThatNeverFinished(t *testing.T) {
	dir, _ := run(t, script(t, measured(2)))
	whole := lines(t, dir)
	cut := copyFolder(t, dir, "lock") // a crash leaves a lock that says nothing of the end
	// Up to run 4's start, and then some bytes of a line that a crash left.
	start := 0
	for i, line := range whole {
		if bytes.Contains(line, []byte(`"event":"run-started"`)) {
			start = i
		}
	}
	torn := append(bytes.Join(whole[:start+1], []byte("\n")), "\n{\"seq\":"...)
	write(t, torn, 0o644, cut, ledger.Name)
	f, err := campaign.Analyze(cut)
	if err != nil {
		t.Fatal(err)
	}
	if f.Log.Torn != len(`{"seq":`) {
		t.Errorf("%d bytes torn", f.Log.Torn)
	}
	if len(f.Processes) != 4 {
		t.Fatalf("%d processes", len(f.Processes))
	}
	for _, p := range f.Processes[:3] {
		if p.Failure != nil || len(p.Samples) != 1 || !p.Retained {
			t.Errorf("run %d: %+v", p.Run.Number, p)
		}
	}
	last := f.Processes[3]
	want := &sample.Failure{Kind: sample.FailInterrupted, Message: "the harness ended during this run and left no record of its end"}
	if d := cmp.Diff(want, last.Failure); d != "" || last.Samples != nil || last.Run.Number != 4 {
		t.Errorf("run %d: %s", last.Run.Number, d)
	}
	if c := f.Result.Completeness; c.ProcessesFinished != 3 || c.Samples != 3 || f.Result.ExitCode() != campaign.ExitInvalid {
		t.Errorf("%+v, exit %d", c, f.Result.ExitCode())
	}
	csv, err := f.MetricsCSV()
	if err != nil || bytes.Count(csv, []byte("\n")) != 4 {
		t.Errorf("metrics.csv: %v\n%s", err, csv)
	}
}

// A second attempt at a block stands in the place of the first one, which is kept and stands outside, runs that ended included.
func TestSecondAttemptReplacesTheFirst(t *testing.T) {
	dir, _ := run(t, script(t, phase(1, prints, prints)))
	again := rewritten(t, dir, func(all []ledger.Body) []ledger.Body {
		var out, second []ledger.Body
		for _, b := range all {
			switch b := b.(type) {
			case *ledger.RunStarted:
				s := *b
				s.Attempt = 2
				second = append(second, &s)
			case *ledger.RunFinished:
				s := *b
				s.Attempt = 2
				second = append(second, &s)
				if b.Run == 2 {
					out = append(out, &ledger.RunInterrupted{Run: 2, Attempt: 1, Why: "the lights went out"})
					continue
				}
			case *ledger.Closed:
				out = append(out, &ledger.BlockRerun{Case: "only", Block: 1, Attempt: 2, Why: "it was interrupted"})
				out = append(out, second...)
			}
			out = append(out, b)
		}
		return out
	})
	for _, name := range []string{"0001", "0002"} {
		if err := os.CopyFS(filepath.Join(again, "runs", name+".2"), os.DirFS(filepath.Join(again, "runs", name))); err != nil {
			t.Fatal(err)
		}
	}
	f, err := campaign.Analyze(again)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Processes {
		s := p.Run.Arm + " replaced"
		if p.Retained {
			s = p.Run.Arm + " retained"
		}
		if p.Failure != nil {
			s += ": " + p.Failure.Message
		}
		got = append(got, s)
	}
	first, second := f.Plan.Runs[0].Arm, f.Plan.Runs[1].Arm
	want := []string{first + " replaced", second + " replaced: the lights went out", first + " retained", second + " retained"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := f.Result.Completeness; c.ProcessesFinished != 2 || c.Samples != 2 || c.BlocksRerun != 1 {
		t.Errorf("%+v", c)
	}
}

// While a second attempt is under way, none of its runs is compared with one of the first.
func TestAttemptsAreNotCompared(t *testing.T) {
	dir, _ := run(t, script(t, phase(1, prints, prints)))
	again := rewritten(t, dir, func(all []ledger.Body) []ledger.Body {
		var out []ledger.Body
		for _, b := range all {
			if _, ok := b.(*ledger.Closed); !ok {
				out = append(out, b)
			}
		}
		return append(out, &ledger.RunStarted{
			Run: 1, Attempt: 2, Case: "only", Arm: all[2].(*ledger.RunStarted).Arm, Block: 1, Position: 1,
		})
	})
	f, err := campaign.Analyze(again)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Result.Completeness; c.ProcessesFinished != 0 || f.Result.Cases[0].Status != "incomplete" {
		t.Errorf("%+v, case %s", c, f.Result.Cases[0].Status)
	}
}
