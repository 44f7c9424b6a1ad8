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

// A second attempt stands in the place of the first one, which is kept and stands outside.
func TestSecondAttemptReplacesTheFirst(t *testing.T) {
	dir, _ := run(t, script(t, phase(1, prints, prints)))
	again := rewritten(t, dir, func(all []ledger.Body) []ledger.Body {
		var out []ledger.Body
		for _, b := range all {
			switch b := b.(type) {
			case *ledger.RunFinished:
				if b.Run == 1 {
					out = append(out, &ledger.RunInterrupted{Run: 1, Attempt: 1, Why: "the lights went out"})
					continue
				}
			case *ledger.Closed:
				for _, first := range all {
					switch first := first.(type) {
					case *ledger.RunStarted:
						if first.Run == 1 {
							second := *first
							second.Attempt = 2
							out = append(out, &second)
						}
					case *ledger.RunFinished:
						if first.Run == 1 {
							second := *first
							second.Attempt = 2
							out = append(out, &second)
						}
					}
				}
			}
			out = append(out, b)
		}
		return out
	})
	if err := os.Rename(filepath.Join(again, "runs", "0001"), filepath.Join(again, "runs", "0001.2")); err != nil {
		t.Fatal(err)
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
	want := []string{first + " replaced: the lights went out", second + " retained", first + " retained"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := f.Result.Completeness; c.ProcessesFinished != 2 || c.Samples != 2 {
		t.Errorf("%+v", c)
	}
}
