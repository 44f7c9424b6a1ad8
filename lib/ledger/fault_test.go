package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// faulty is a disk whose k-th operation fails; it counts them all.
type faulty struct {
	count int
	k     int // 0: none fails
	err   error
	short bool // a failing write writes half
}

func (f *faulty) step() error {
	f.count++
	if f.count == f.k {
		return f.err
	}
	return nil
}

func (f *faulty) OpenFile(name string, flag int, perm os.FileMode) (ledger.File, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, flag, perm)
	return &faultyFile{file, f}, err
}

func (f *faulty) Rename(from, to string) error {
	if err := f.step(); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (f *faulty) SyncDir(name string) error { return f.step() }

type faultyFile struct {
	*os.File
	fs *faulty
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.fs.step(); err != nil {
		if f.fs.short {
			n, _ := f.File.Write(b[:len(b)/2])
			return n, err
		}
		return 0, err
	}
	return f.File.Write(b)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.step(); err != nil {
		return err
	}
	return f.File.Sync()
}

// journal writes a small phase and returns how many events and files were acknowledged.
func journal(dir string, fs ledger.FS) (events, files int) {
	w, err := ledger.Create(dir, ledger.Options{FS: fs, Clock: clock()})
	if err != nil {
		return 0, 0
	}
	defer w.Close()
	for run := 1; run <= 4; run++ {
		for _, b := range []ledger.Body{&ledger.RunStarted{Run: run, Attempt: 1}, &ledger.RunFinished{Run: run, Attempt: 1}} {
			if w.Append(b) == nil {
				events++
			}
		}
		if w.WriteFile(fmt.Sprintf("phase/%d", run), []byte("whole")) == nil {
			files++
		}
	}
	return events, files
}

// Every operation fails once, in every way. After each, what was acknowledged is there, in order and whole, nothing else is read
// as true, and a file is whole or not there.
func TestEveryFault(t *testing.T) {
	counted := &faulty{}
	if events, files := journal(filepath.Join(t.TempDir(), "p"), counted); events != 8 || files != 4 {
		t.Fatalf("without faults: %d events, %d files", events, files)
	}
	t.Logf("%d operations", counted.count)
	for _, fault := range []struct {
		name  string
		err   error
		short bool
	}{{"ENOSPC", syscall.ENOSPC, false}, {"EIO", syscall.EIO, false}, {"short write", syscall.ENOSPC, true}} {
		for k := 1; k <= counted.count; k++ {
			dir := filepath.Join(t.TempDir(), "p")
			events, files := journal(dir, &faulty{k: k, err: fault.err, short: fault.short})
			if events == 8 && files == 4 {
				t.Errorf("%s at operation %d: nothing failed", fault.name, k)
			}
			log, err := ledger.Read(dir)
			if errors.Is(err, os.ErrNotExist) && events == 0 {
				continue
			}
			if err != nil {
				t.Fatalf("%s at operation %d: %v", fault.name, k, err)
			}
			// A line whose fsync failed may be there, unacknowledged; nothing may follow it.
			if n := len(log.Entries); n < events || n > events+1 {
				t.Fatalf("%s at operation %d: %d events acknowledged, %d read", fault.name, k, events, n)
			}
			for run := 1; run <= 4; run++ {
				data, err := os.ReadFile(filepath.Join(dir, "phase", fmt.Sprint(run)))
				if err == nil && string(data) != "whole" {
					t.Fatalf("%s at operation %d: file %d is %q", fault.name, k, run, data)
				}
			}
		}
	}
}

// Nothing is written behind a failed line: the writer stays broken.
func TestAfterAFailureNothingIsWritten(t *testing.T) {
	counted := &faulty{}
	journal(filepath.Join(t.TempDir(), "p"), counted)
	dir := filepath.Join(t.TempDir(), "p")
	fs := &faulty{k: 4, err: syscall.ENOSPC, short: true} // the first line's write
	w, err := ledger.Create(dir, ledger.Options{FS: fs, Clock: clock()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	first := w.Append(&ledger.Note{Text: "one"})
	second := w.Append(&ledger.Note{Text: "two"})
	if !errors.Is(first, syscall.ENOSPC) || second == nil || second.Error() != first.Error() {
		t.Errorf("errors %v, then %v", first, second)
	}
	if err := w.WriteFile("x", nil); err == nil {
		t.Error("a file was written")
	}
	if log, err := ledger.Read(dir); err != nil || len(log.Entries) != 0 || log.Torn == 0 {
		t.Errorf("%+v, %v", log, err)
	}
}
