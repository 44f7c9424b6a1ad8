package sample_test

import (
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestOutcomes(t *testing.T) {
	expect := func(code int) []plan.Expect { return []plan.Expect{{Kind: plan.ExpectExit, Code: code, At: expectAt}} }
	for _, tt := range []struct {
		name    string
		outcome sample.Outcome
		expect  []plan.Expect
		stderr  string
		stdout  string
		kind    string // "": valid
		at      string
		parts   []string
	}{
		{name: "exit 0", outcome: exited(0)},
		{name: "exit 3", outcome: exited(3), kind: sample.FailExit, parts: []string{"exit status 3"}},
		{name: "exit 3, and why", outcome: exited(3), stderr: "\n  cannot open x\nmore\n", kind: sample.FailExit, parts: []string{`exit status 3; runs/0007/stderr:2: "cannot open x"`}},
		{name: "exit 3 as expected", outcome: exited(3), expect: expect(3)},
		{name: "exit 0, not as expected", outcome: exited(0), expect: expect(3), kind: sample.FailExpect, at: "p.star:30:5", parts: []string{"exit status 0, and 3 is expected"}},
		{name: "exit 4, not as expected", outcome: exited(4), expect: expect(3), kind: sample.FailExit, at: "p.star:30:5", parts: []string{"exit status 4, and 3 is expected"}},
		{name: "exit 3, 0 expected in words", outcome: exited(3), expect: expect(0), kind: sample.FailExit, at: "p.star:30:5", parts: []string{"exit status 3"}},
		{name: "signal", outcome: sample.Outcome{Signal: "SIGSEGV"}, kind: sample.FailSignal, parts: []string{"ended by SIGSEGV"}},
		{name: "deadline", outcome: sample.Outcome{TimedOut: true, Signal: "SIGKILL"}, kind: sample.FailTimeout, parts: []string{"its deadline of 3s passed"}},
		{name: "interrupted", outcome: sample.Outcome{Interrupted: true, Signal: "SIGTERM"}, kind: sample.FailInterrupted, parts: []string{"the harness was stopped"}},
		{name: "not started", outcome: sample.Outcome{StartError: "exec format error"}, kind: sample.FailStart, parts: []string{"could not be started: exec format error"}},
		{name: "no record of an end", outcome: sample.Outcome{CPUs: 1}, kind: sample.FailMissing, parts: []string{"not known"}},
		{
			name: "build output", outcome: exited(1), stdout: "# example.com/p\n./x.go:3:2: undefined: y\nFAIL\texample.com/p [build failed]\n", kind: sample.FailExit,
			parts: []string{"exit status 1; it printed build output", "[build failed]"},
		},
		{name: "a panic after a log", outcome: exited(2), stderr: "log line\npanic: boom\n", kind: sample.FailExit, parts: []string{`stderr:2: "panic: boom"`}},
		{name: "a panic after a long line", outcome: exited(2), stderr: strings.Repeat("x", 300_000) + "\npanic: boom\n", kind: sample.FailExit, parts: []string{`stderr:2: "panic: boom"`}},
		{name: "a long line without end", outcome: exited(2), stderr: strings.Repeat("x", 300_000), kind: sample.FailExit, parts: []string{`stderr:1: "xxx`, "…"}},
		{name: "binary rubbish on standard error", outcome: exited(2), stderr: "\xff\xfe\x00", kind: sample.FailExit, parts: []string{"exit status 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := given{units: []string{"ns/op"}, outcome: tt.outcome, expect: tt.expect, stderr: tt.stderr, stdout: row + tt.stdout}
			p, run := g.phase()
			run.Timeout = plan.Duration(3e9)
			proc, err := sample.Read(p, run, 1, tt.outcome, sample.Files{Stdout: text("runs/0007/stdout", g.stdout), Stderr: text("runs/0007/stderr", g.stderr)})
			if err != nil {
				t.Fatal(err)
			}
			if tt.kind == "" {
				if proc.Failure != nil {
					t.Fatal(proc.Failure)
				}
				return
			}
			at := tt.at
			if at == "" {
				at = "p.star:9:1"
			}
			if proc.Failure == nil || proc.Failure.Kind != tt.kind || proc.Failure.At != at || proc.Samples != nil {
				t.Fatalf("%+v, want %s at %s", proc.Failure, tt.kind, at)
			}
			if tt.name != "deadline" { // read again without the timeout
				g.fails(t, tt.kind, tt.parts...)
			}
		})
	}
}
