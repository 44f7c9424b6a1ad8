package engine_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestOutcomeOf(t *testing.T) {
	three, rss, segv, gone := 3, int64(20<<20), "SIGSEGV", "no such file"
	for name, c := range map[string]struct {
		event ledger.RunFinished
		want  sample.Outcome
	}{
		"exited": {ledger.RunFinished{
			Exit: &three, WallNS: 1, UserNS: 2, SysNS: 3, MaxRSSBytes: &rss, MinorFaults: 4, MajorFaults: 5,
			VoluntarySwitches: 6, InvoluntarySwitches: 7, CPUs: "0,2-4",
		}, sample.Outcome{
			Exit: &three, WallNS: 1, UserNS: 2, SysNS: 3,
			MaxRSSBytes: &rss, MinorFaults: 4, MajorFaults: 5, VoluntarySwitches: 6, InvoluntarySwitches: 7, CPUs: 4,
		}},
		"killed":           {ledger.RunFinished{Signal: &segv, TimedOut: true, CPUs: "1"}, sample.Outcome{Signal: "SIGSEGV", TimedOut: true, CPUs: 1}},
		"not started":      {ledger.RunFinished{StartError: &gone}, sample.Outcome{StartError: "no such file"}},
		"CPUs are unknown": {ledger.RunFinished{Exit: &three, CPUs: "none"}, sample.Outcome{Exit: &three}},
	} {
		if d := cmp.Diff(c.want, engine.OutcomeOf(&c.event)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Outputs are read where the folder is now and named as they lie in it.
func TestOutputOf(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "runs", "00012.2")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stdout", "stderr", "audit"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := engine.OutputOf(folder, 10_000, &ledger.RunFinished{Run: 12, Attempt: 2})
	for name, f := range map[string]sample.File{"stdout": files.Stdout, "stderr": files.Stderr, "audit": files.Audit} {
		if want := "runs/00012.2/" + name; f.Name != want {
			t.Errorf("%s is called %s", want, f.Name)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil || string(text) != "the "+name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

func TestDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if _, err := engine.Digest(path); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := engine.Digest(path)
	want := ledger.Output{Bytes: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"} // FIPS 180-4
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// What the ledger says of a run's output is what lies in the folder, and a failure names the file as it lies there.
func TestOutputIsJournalled(t *testing.T) {
	l := newLab(t, "stop-phase", "echo no; echo why >&2; exit 0").open()
	l.run(context.Background())
	e := l.log()[3].Body.(*ledger.RunFinished)
	for name, o := range map[string]ledger.Output{"stdout": e.Stdout, "stderr": e.Stderr} {
		got, err := engine.Digest(filepath.Join(l.folder, "runs", "0002", name))
		if err != nil || got != o {
			t.Errorf("%s: %+v, journalled %+v (%v)", name, got, o, err)
		}
	}
	if e.Audit != nil || !strings.HasPrefix(e.Message, "runs/0002/stdout:1: ") || strings.Contains(e.Message, l.folder) {
		t.Errorf("%+v", e)
	}
}
