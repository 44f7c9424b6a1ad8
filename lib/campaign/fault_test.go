package campaign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
)

// faulted is the phase that is disturbed: six processes whose numbers depend on the arm only, so that every way to them has one answer.
func faulted(t testing.TB) campaign.Script {
	t.Helper()
	return script(t, phase(3, `echo '{"x/op": 7}'`, `echo '{"x/op": 8.5}'`))
}

// faultyFS fails its k-th operation.
type faultyFS struct {
	count, k int
	err      error
	short    bool     // a write that fails writes half
	writes   []int    // which operations are writes
	after    func()   // what happens after each line of the ledger; nil is nothing
	names    []string // what was opened to be written
}

func (f *faultyFS) step() error {
	f.count++
	if f.count == f.k {
		return f.err
	}
	return nil
}

func (f *faultyFS) OpenFile(name string, flag int, perm os.FileMode) (ledger.File, error) {
	if err := f.step(); err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		f.names = append(f.names, name)
	}
	return &faultyFile{file, f, filepath.Base(name) == ledger.Name}, nil
}

func (f *faultyFS) Mkdir(name string, perm os.FileMode) error {
	if err := f.step(); err != nil {
		return &os.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return os.Mkdir(name, perm)
}

func (f *faultyFS) Rename(from, to string) error {
	if err := f.step(); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return os.Rename(from, to)
}

type faultyFile struct {
	*os.File
	fs     *faultyFS
	ledger bool
}

func (f *faultyFile) Write(p []byte) (int, error) {
	f.fs.writes = append(f.fs.writes, f.fs.count+1)
	if err := f.fs.step(); err != nil {
		n := 0
		if f.fs.short {
			n, _ = f.File.Write(p[:len(p)/2])
		}
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: err}
	}
	return f.File.Write(p)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.step(); err != nil {
		return &os.PathError{Op: "fsync", Path: f.Name(), Err: err}
	}
	err := f.File.Sync()
	if f.ledger && f.fs.after != nil {
		f.fs.after()
	}
	return err
}

// answered is what an analysis says that does not depend on how its samples came about.
func answered(t *testing.T, dir string) string {
	t.Helper()
	f, err := campaign.Analyze(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := f.Result
	r.Metrics = nil // metrics.csv has a column for the attempt
	r.Completeness.BlocksRerun, r.Completeness.ProcessesFailed = 0, 0
	for i := range r.Cases {
		r.Cases[i].Processes = nil
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(x analysis.Finding) bool { return x.ID == "block-rerun" || x.ID == "noise" })
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// ended returns the runs that ended with samples, "3.2" for the second attempt of the third.
func ended(t *testing.T, dir string) []string {
	t.Helper()
	log, err := ledger.Read(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range log.Entries {
		if b, ok := e.Body.(*ledger.RunFinished); ok && b.Failure == "" {
			out = append(out, fmt.Sprintf("%d.%d", b.Run, b.Attempt))
		}
	}
	return out
}

// recovers goes on with a folder that was disturbed, and holds it to this: no run that ended is lost, the answer is that of an
// undisturbed run, and the audit holds.
func recovers(t *testing.T, what, dir string, s campaign.Script, want string) {
	t.Helper()
	before := ended(t, dir)
	o, err := campaign.Resume(context.Background(), dir, campaign.Options{Tool: "phaselock test"})
	if campaign.Code(err) == campaign.ExitUsage { // the phase was not opened: nothing was run
		if len(before) > 0 {
			t.Errorf("%s: %v were run, and it is not gone on with: %v", what, before, err)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		o, err = campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test"})
	}
	if err != nil || o.Code != campaign.ExitOK {
		t.Errorf("%s: %+v, %v", what, o, err)
		return
	}
	after := ended(t, dir)
	if len(after) < len(before) || !slices.Equal(after[:len(before)], before) {
		t.Errorf("%s: the runs were %v and are %v", what, before, after)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(after)))) != len(after) {
		t.Errorf("%s: a run was done twice under one number: %v", what, after)
	}
	if d := cmp.Diff(want, answered(t, dir)); d != "" {
		t.Errorf("%s: the answer is another: %s", what, d)
	}
	if a, err := campaign.RunAudit(dir, ""); err != nil || !a.Holds() {
		t.Errorf("%s: the audit does not hold: %+v, %v", what, a, err)
	}
}

// Every operation on the disk fails once, in every way: nothing is lost, no number is false, and what was stopped can be gone on with.
func TestEveryFaultOfTheDisk(t *testing.T) {
	s := faulted(t)
	whole := &faultyFS{}
	dir := filepath.Join(t.TempDir(), "results")
	if o, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test", FS: whole}); err != nil || o.Code != campaign.ExitOK {
		t.Fatalf("%+v, %v", o, err)
	}
	want := answered(t, dir)
	t.Logf("%d operations, %d of them writes", whole.count, len(whole.writes))
	for k := 1; k <= whole.count; k++ {
		faults := []faultyFS{{k: k, err: syscall.ENOSPC}}
		if slices.Contains(whole.writes, k) {
			faults = append(faults, faultyFS{k: k, err: syscall.EIO, short: true}, faultyFS{k: k, err: io.ErrShortWrite, short: true})
		} else if k%2 == 0 {
			faults[0].err = syscall.EIO // an operation that is no write does not know one from the other
		}
		for i := range faults {
			f := &faults[i]
			what := fmt.Sprintf("%v at operation %d of %d", f.err, k, whole.count)
			dir := filepath.Join(t.TempDir(), "results")
			o, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test", FS: f})
			if err == nil && o.Code == campaign.ExitOK && f.count >= k {
				if _, serr := os.Stat(filepath.Join(dir, "report.md")); serr != nil {
					t.Errorf("%s: it says that all is well, and %v", what, serr)
				}
			} else if code := campaign.Code(err); code != campaign.ExitMachine {
				t.Errorf("%s: exit %d, %v", what, code, err)
			}
			recovers(t, what, dir, s, want)
		}
	}
}

// dieAt is the variable by which the test binary is told after how many lines of the ledger it is killed.
const dieAt = "PHASELOCK_TEST_DIE_AT"

// dies runs the phase into the folder that follows the number, and kills itself after that many lines.
func dies(at string) {
	number, dir, _ := strings.Cut(at, " ")
	lines, _ := strconv.Atoi(number)
	fs := &faultyFS{after: func() {
		if lines--; lines == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // it is on its way
		}
	}}
	s := faulted(testing.TB(&dying{}))
	_, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir, Tool: "phaselock test", FS: fs})
	fmt.Fprintln(os.Stderr, "it was not killed:", err)
	os.Exit(99)
}

// dying is a testing.TB for what comes before any test.
type dying struct{ testing.TB }

func (*dying) Helper() {}
func (*dying) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(98)
}
func (*dying) TempDir() string { return os.TempDir() }

// The harness is killed after every line of the ledger.
func TestKilledAtEveryEvent(t *testing.T) {
	s := faulted(t)
	whole, o := run(t, s)
	if o.Code != campaign.ExitOK {
		t.Fatalf("%+v", o)
	}
	log, err := ledger.Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	want := answered(t, whole)
	t.Logf("%d events", len(log.Entries))
	for k := 1; k <= len(log.Entries); k++ {
		dir := filepath.Join(t.TempDir(), "results")
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", dieAt, k, dir))
		out, err := c.CombinedOutput()
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Fatalf("event %d: %v\n%s", k, err, out)
		}
		if got, err := ledger.Read(dir); err != nil || len(got.Entries) != k {
			t.Fatalf("event %d: %v", k, err)
		}
		recovers(t, fmt.Sprintf("killed after %s (event %d of %d)", log.Entries[k-1].Event, k, len(log.Entries)), dir, s, want)
	}
}
