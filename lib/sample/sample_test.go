package sample_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

// given is one run to be read: what was declared, how the process ended and what it wrote.
type given struct {
	format   string // gobench if empty
	name     string // "" is any
	repeats  int    // 1 if 0
	units    []string
	metrics  []plan.Metric // beside units
	expect   []plan.Expect
	env      map[string]string
	outcome  sample.Outcome
	stdout   string
	stderr   string
	audit    string
	noStdout bool
}

// exited returns an outcome of a process that was allowed two CPUs.
func exited(code int) sample.Outcome { return sample.Outcome{Exit: &code, CPUs: 2} }

var (
	commandAt = plan.Place{File: "p.star", Line: 9, Col: 1}
	metricAt  = plan.Place{File: "p.star", Line: 20, Col: 5}
	expectAt  = plan.Place{File: "p.star", Line: 30, Col: 5}
)

func text(name, s string) sample.File {
	return sample.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }}
}

func (g given) phase() (*plan.Phase, plan.Run) {
	if g.format == "" {
		g.format = plan.FormatGobench
	}
	p := &plan.Phase{
		Arms:   []plan.Arm{{Name: "a"}},
		Cases:  []plan.Case{{Name: "c", Arms: []string{"a"}, Commands: map[string]plan.Command{"a": {Format: g.format, At: commandAt}}}},
		Expect: g.expect,
	}
	for _, u := range g.units {
		p.Metrics = append(p.Metrics, plan.Metric{Unit: u, Role: plan.RoleMetric, Better: "lower", At: metricAt})
	}
	p.Metrics = append(p.Metrics, g.metrics...)
	run := plan.Run{Number: 7, Case: "c", Arm: "a", Block: 1, Position: 1, Format: g.format, Env: g.env, Repeats: max(1, g.repeats)}
	if g.name != "" {
		run.Names = []string{g.name}
	}
	return p, run
}

func (g given) read(t *testing.T) sample.Process {
	t.Helper()
	p, run := g.phase()
	if g.outcome == (sample.Outcome{}) {
		g.outcome = exited(0)
	}
	f := sample.Files{Stdout: text("runs/0007/stdout", g.stdout), Stderr: text("runs/0007/stderr", g.stderr), Audit: text("runs/0007/audit", g.audit)}
	if g.noStdout {
		f.Stdout.Open = nil
	}
	proc, err := sample.Read(p, run, 1, g.outcome, f)
	if err != nil {
		t.Fatal(err)
	}
	if proc.Failure != nil && proc.Samples != nil {
		t.Errorf("a failed process has samples: %v", proc.Samples)
	}
	if proc.Failure == nil && len(proc.Samples) != run.Repeats {
		t.Errorf("%d samples of a valid process, want %d", len(proc.Samples), run.Repeats)
	}
	return proc
}

// fails reads the run and holds its failure to a kind, and its message to parts that it must have.
func (g given) fails(t *testing.T, kind string, parts ...string) sample.Process {
	t.Helper()
	proc := g.read(t)
	if proc.Failure == nil {
		t.Fatalf("it is valid, with %v; want failure %q with %q", proc.Samples, kind, parts)
	}
	if proc.Failure.Kind != kind {
		t.Errorf("failure %q (%s), want %q", proc.Failure.Kind, proc.Failure.Message, kind)
	}
	for _, p := range parts {
		if !strings.Contains(proc.Failure.Message, p) {
			t.Errorf("%q is missing in the message:\n%s", p, proc.Failure.Message)
		}
	}
	return proc
}

// gives reads the run and returns the samples of a valid process.
func (g given) gives(t *testing.T) []sample.Sample {
	t.Helper()
	proc := g.read(t)
	if proc.Failure != nil {
		t.Fatalf("failure %s: %s", proc.Failure.Kind, proc.Failure.Message)
	}
	return proc.Samples
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func column(samples []sample.Sample, unit string) []float64 {
	var out []float64
	for _, s := range samples {
		if v, ok := s.Values[unit]; ok {
			out = append(out, v)
		}
	}
	return out
}

// Trouble in reading our own files is an error, never a failure of the program.
func TestTroubleOfOurs(t *testing.T) {
	trouble := errors.New("input/output error")
	p, run := given{units: []string{"ns/op"}, expect: []plan.Expect{
		{Kind: plan.ExpectStdout, Matches: "x"}, {Kind: plan.ExpectAudit, Name: "path", PerRepeat: 1},
	}}.phase()
	good := text("stdout", "BenchmarkA 1 5 ns/op\nx\n")
	bad := sample.File{Name: "bad", Open: func() (io.ReadCloser, error) { return nil, trouble }}
	torn := sample.File{Name: "torn", Open: func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(trouble)), nil }}
	for name, f := range map[string]sample.Files{
		"stdout cannot be opened": {Stdout: bad}, "stdout cannot be read": {Stdout: torn},
		"stderr cannot be opened": {Stdout: good, Stderr: bad}, "stderr cannot be read": {Stdout: good, Stderr: torn},
		"audit cannot be opened": {Stdout: good, Audit: bad}, "audit cannot be read": {Stdout: good, Audit: torn},
	} {
		if _, err := sample.Read(p, run, 1, exited(0), f); !errors.Is(err, trouble) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, f := range map[string]sample.Files{"stdout": {Stdout: torn}, "stderr": {Stderr: torn}} {
		if _, err := sample.Read(p, run, 1, exited(1), f); !errors.Is(err, trouble) {
			t.Errorf("%s of a failed process: got %v", name, err)
		}
	}
}

func TestFileAt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stdout"), []byte("BenchmarkA 1 5 ns/op\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, run := given{units: []string{"ns/op"}}.phase()
	f := sample.Files{Stdout: sample.FileAt(filepath.Join(dir, "stdout"), "stdout"), Stderr: sample.FileAt(filepath.Join(dir, "none"), "stderr")}
	proc, err := sample.Read(p, run, 2, exited(0), f)
	if err != nil || proc.Failure != nil || proc.Samples[0].Values["ns/op"] != 5 {
		t.Fatalf("%+v, %v", proc, err)
	}
	if proc.Attempt != 2 || !proc.Retained || proc.Run.Number != 7 {
		t.Errorf("attempt %d, retained %v, run %d", proc.Attempt, proc.Retained, proc.Run.Number)
	}
}
