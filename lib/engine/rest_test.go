package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
)

// rest is what a ledger leaves to be done, in short.
func rest(r engine.Rest) []string {
	var out []string
	for _, d := range r.Dangling {
		out = append(out, fmt.Sprintf("dangling %d.%d", d.Run, d.Attempt))
	}
	for _, s := range r.LeftIncomplete {
		out = append(out, "left "+s)
	}
	for _, t := range r.Tasks {
		if t.Rerun != nil {
			out = append(out, fmt.Sprintf("rerun %s block %d as %d: %s", t.Rerun.Case, t.Rerun.Block, t.Rerun.Attempt, t.Rerun.Why))
		}
		out = append(out, fmt.Sprintf("%d.%d", t.Run.Number, t.Attempt))
	}
	if r.Stopped != "" {
		out = append(out, "stopped: "+r.Stopped)
	}
	return out
}

// Runs of the lab: 1 x a, 2 x b | 3 x b, 4 x a | 5 y a, 6 y b | 7 y b, 8 y a; a bar ends a block of a case.
func TestRest(t *testing.T) {
	const interrupted, lost = "it was interrupted", "the folder holds output of it that the ledger has no record of"
	for name, c := range map[string]struct {
		onFailure, interrupted string
		events                 string   // "s1 e1 f2 i3.2 r3.2": start, end, failed end, interrupted, the run's block announced again
		output                 []string // files below runs/ beside those of the events
		want                   []string
	}{
		"nothing": {want: []string{"1.1", "2.1", "3.1", "4.1", "5.1", "6.1", "7.1", "8.1"}},
		"all":     {events: "s1 e1 s2 e2 s3 e3 s4 e4 s5 e5 s6 e6 s7 e7 s8 e8"},
		"failed runs ended too": {events: "s1 e1 s2 f2 s3 f3 s4 e4 s5 e5 s6 e6 s7 e7", want: []string{
			"rerun y block 2 as 2: " + interrupted, "7.2", "8.2",
		}},
		"between blocks": {events: "s1 e1 s2 e2", want: []string{"3.1", "4.1", "5.1", "6.1", "7.1", "8.1"}},
		"within a block": {events: "s1 e1 s2 e2 s3 e3", want: []string{
			"rerun x block 2 as 2: " + interrupted, "3.2", "4.2", "5.1", "6.1", "7.1", "8.1",
		}},
		"within a run": {events: "s1 e1 s2 e2 s3 e3 s4 e4 s5 e5 s6", want: []string{
			"dangling 6.1", "rerun y block 1 as 2: " + interrupted, "5.2", "6.2", "7.1", "8.1",
		}},
		"told to stop": {events: "s1 e1 s2 e2 s3 e3 s4 e4 s5 i5", want: []string{"rerun y block 1 as 2: " + interrupted, "5.2", "6.2", "7.1", "8.1"}},
		"in the second attempt": {events: "s1 e1 s2 i2 r1.2 s1.2 e1.2 s2.2", want: []string{
			"dangling 2.2", "rerun x block 1 as 3: " + interrupted, "1.3", "2.3", "3.1", "4.1", "5.1", "6.1", "7.1", "8.1",
		}},
		"when the second attempt was announced": {events: "s1 e1 s2 i2 r1.2", want: []string{"1.2", "2.2", "3.1", "4.1", "5.1", "6.1", "7.1", "8.1"}},
		"after the second attempt":              {events: "s1 e1 s2 i2 r1.2 s1.2 e1.2 s2.2 e2.2 s3 e3 s4 e4 s5 e5 s6 e6", want: []string{"7.1", "8.1"}},
		"retained": {interrupted: "retain", events: "s1 e1 s2 e2 s3", want: []string{
			"dangling 3.1", `left case "x", block 2`, "5.1", "6.1", "7.1", "8.1",
		}},
		"the case stops": {onFailure: "stop-case", events: "s1 e1 s2 f2", want: []string{"5.1", "6.1", "7.1", "8.1"}},
		"the phase stops": {onFailure: "stop-phase", events: "s1 e1 s2 f2", want: []string{
			`stopped: run 2 failed (exit) and on_failure is "stop-phase"`,
		}},
		"a folder that was made": {events: "s1 e1 s2 e2", output: []string{"0003/home/x"}, want: []string{"3.1", "4.1", "5.1", "6.1", "7.1", "8.1"}},
		"lost events": {events: "s1 e1 s2 e2", output: []string{"0003/stdout", "0004/stdout", "0005/stdout"}, want: []string{
			"rerun x block 2 as 2: " + lost, "3.2", "4.2", "rerun y block 1 as 2: " + lost, "5.2", "6.2", "7.1", "8.1",
		}},
		"a lost second attempt": {events: "s1 e1 s2 e2 s3 e3 s4", output: []string{"0003.2/stdout"}, want: []string{
			"dangling 4.1", "rerun x block 2 as 3: " + lost, "3.3", "4.3", "5.1", "6.1", "7.1", "8.1",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "continue", prints)
			if c.onFailure != "" {
				l.phase.OnFailure = c.onFailure
			}
			if c.interrupted != "" {
				l.phase.Interrupted = c.interrupted
			}
			l.open()
			pl := l.job.Resolver.Plan
			for _, path := range c.output {
				file := filepath.Join(l.folder, "runs", filepath.FromSlash(path))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r, err := engine.RestOf(pl, l.history(c.events), l.folder)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, rest(r)); d != "" {
				t.Error(d)
			}
		})
	}
}

// history returns events written in short.
func (l *lab) history(text string) []ledger.Entry {
	l.t.Helper()
	var out []ledger.Entry
	for word := range strings.FieldsSeq(text) {
		var run int
		attempt := 1
		if n, _ := fmt.Sscanf(word[1:], "%d.%d", &run, &attempt); n == 0 {
			l.t.Fatalf("no event %q", word)
		}
		p := l.job.Resolver.Plan.Runs[run-1]
		var b ledger.Body
		switch word[0] {
		case 's':
			b = &ledger.RunStarted{Run: run, Attempt: attempt, Case: p.Case, Arm: p.Arm, Block: p.Block, Position: p.Position}
		case 'e':
			b = &ledger.RunFinished{Run: run, Attempt: attempt, Samples: 1}
		case 'f':
			b = &ledger.RunFinished{Run: run, Attempt: attempt, Failure: "exit"}
		case 'i':
			b = &ledger.RunInterrupted{Run: run, Attempt: attempt}
		case 'r':
			b = &ledger.BlockRerun{Case: p.Case, Block: p.Block, Attempt: attempt}
		}
		out = append(out, ledger.Entry{Header: ledger.Header{Event: b.Kind()}, Body: b})
	}
	return out
}
