package ledger_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// faulty is a disk whose k-th operation fails, or every one from the k-th on; it counts them all. It remembers what was fsynced, so
// that the power can be cut.
type faulty struct {
	count  int
	k      int // 0: none fails
	err    error
	short  bool // a failing write writes half
	silent bool // and says that it did, without an error
	all    bool // and everything after it fails
	synced map[string]int64
	names  map[string]string // made and not yet fsynced: path to its folder
	log    []string
}

func (f *faulty) step(what, name string) error {
	f.count++
	f.log = append(f.log, what+" "+filepath.Base(name))
	if f.count == f.k || f.all && f.k > 0 && f.count > f.k {
		return f.err
	}
	return nil
}

func (f *faulty) OpenFile(name string, flag int, perm os.FileMode) (ledger.File, error) {
	if err := f.step("open", name); err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		if _, err := os.Lstat(name); err != nil {
			f.made(name)
		}
	}
	file, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

func (f *faulty) Mkdir(name string, perm os.FileMode) error {
	if err := f.step("mkdir", name); err != nil {
		return err
	}
	f.made(name)
	return os.Mkdir(name, perm)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.step("rename", to); err != nil {
		return err
	}
	delete(f.names, from)
	f.made(to)
	if n, ok := f.synced[from]; ok {
		f.synced[to] = n
	}
	return os.Rename(from, to)
}

func (f *faulty) made(name string) {
	if f.names == nil {
		f.names, f.synced = map[string]string{}, map[string]int64{}
	}
	f.names[name] = filepath.Dir(name)
}

// cutPower leaves on the disk what was fsynced and nothing else: the least that may be there afterwards.
func (f *faulty) cutPower(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		return os.Truncate(path, f.synced[path])
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for name := range f.names {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

type faultyFile struct {
	*os.File
	fs *faulty
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.fs.step("write", f.Name()); err != nil {
		if f.fs.short {
			n, _ := f.File.Write(b[:len(b)/2])
			if f.fs.silent {
				err = nil
			}
			return n, err
		}
		return 0, err
	}
	return f.File.Write(b)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.fs.step("truncate", f.Name()); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.step("sync", f.Name()); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		for name, dir := range f.fs.names {
			if dir == f.Name() {
				delete(f.fs.names, name)
			}
		}
		return nil
	}
	if f.fs.synced == nil {
		f.fs.synced = map[string]int64{}
	}
	f.fs.synced[f.Name()] = info.Size()
	return nil // what lasts is remembered, so that nobody waits for a disk
}

// acknowledged is what a writer said it did.
type acknowledged struct {
	events int
	files  []string
	closed bool
}

// journal writes a small phase, whatever fails.
func journal(dir string, fs ledger.FS) (done acknowledged) {
	w, err := ledger.Create(dir, ledger.Options{FS: fs, Clock: clock()})
	if err != nil {
		return done
	}
	for run := 1; run <= 2; run++ {
		for _, b := range []ledger.Body{&ledger.RunStarted{Run: run, Attempt: 1}, &ledger.RunFinished{Run: run, Attempt: 1}} {
			if w.Append(b) == nil {
				done.events++
			}
		}
		if name := fmt.Sprintf("runs/%d/x", run); w.WriteFile(name, []byte("whole")) == nil {
			done.files = append(done.files, name)
		}
	}
	done.closed = w.Close() == nil
	return done
}

var faults = []struct {
	name  string
	err   error
	short bool
	all   bool
}{
	{"ENOSPC", syscall.ENOSPC, false, false},
	{"EIO", syscall.EIO, false, false},
	{"short write", syscall.ENOSPC, true, false},
	{"ENOSPC from then on", syscall.ENOSPC, false, true},
	{"short write, then nothing", syscall.EIO, true, true},
}

// Every operation fails, in every way. After each, what was acknowledged is there, in order and whole, nothing else is read as true,
// and a file is whole or not there; the same once the power was cut.
func TestEveryFault(t *testing.T) {
	counted := &faulty{}
	if done := journal(filepath.Join(t.TempDir(), "a", "p"), counted); done.events != 4 || len(done.files) != 2 || !done.closed {
		t.Fatalf("without faults: %+v", done)
	}
	for _, fault := range faults {
		for k := 1; k <= counted.count; k++ {
			for _, power := range []bool{false, true} {
				name := fmt.Sprintf("%s at operation %d (%s), power cut %v", fault.name, k, counted.log[k-1], power)
				dir := filepath.Join(t.TempDir(), "a", "p")
				fs := &faulty{k: k, err: fault.err, short: fault.short, all: fault.all}
				done := journal(dir, fs)
				if done.events == 4 && len(done.files) == 2 && done.closed {
					t.Errorf("%s: nothing failed", name)
				}
				if power {
					fs.cutPower(t, dir)
				}
				checkFolder(t, name, dir, done)
			}
		}
	}
}

func checkFolder(t *testing.T, name, dir string, done acknowledged) {
	t.Helper()
	log, err := ledger.Read(dir)
	if errors.Is(err, os.ErrNotExist) && done.events == 0 {
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	// A line whose fsync failed may be there, unacknowledged; nothing may follow it.
	if n := len(log.Entries); n < done.events || n > done.events+1 {
		t.Fatalf("%s: %d events acknowledged, %d read", name, done.events, n)
	}
	for i, e := range log.Entries {
		var run int
		switch b := e.Body.(type) {
		case *ledger.RunStarted:
			run = b.Run
		case *ledger.RunFinished:
			run = b.Run
		}
		if run != i/2+1 {
			t.Fatalf("%s: event %d is %s of run %d", name, i+1, e.Event, run)
		}
	}
	for _, file := range done.files {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for run := 1; run <= 2; run++ {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("runs/%d/x", run)))
		if err == nil && string(data) != "whole" {
			t.Fatalf("%s: file %d is %q", name, run, data)
		}
	}
}

// Going on behind a torn line fails at every operation: no whole line is lost, the torn bytes are somewhere, and the next try works.
func TestEveryFaultOfResuming(t *testing.T) {
	torn := func() string {
		dir := written(t, ledger.Options{Clock: clock()}, events()...)
		f, err := os.OpenFile(filepath.Join(dir, ledger.Name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(`{"seq":12,"ti`); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	resume := func(dir string, fs ledger.FS) (int, error) {
		w, log, err := ledger.Open(dir, ledger.Options{FS: fs, Clock: clock()})
		if err != nil {
			return 0, err
		}
		defer w.Close()
		return log.Torn, w.Append(&ledger.Resumed{Torn: log.Torn})
	}
	counted := &faulty{}
	if n, err := resume(torn(), counted); n != 13 || err != nil {
		t.Fatalf("without faults: %d torn bytes, %v", n, err)
	}
	for _, fault := range faults {
		for k := 1; k <= counted.count; k++ {
			name := fmt.Sprintf("%s at operation %d (%s)", fault.name, k, counted.log[k-1])
			dir := torn()
			_, _ = resume(dir, &faulty{k: k, err: fault.err, short: fault.short, all: fault.all})
			log, err := ledger.Read(dir)
			if err != nil || len(log.Entries) < len(events()) {
				t.Fatalf("%s: %+v, %v", name, log, err)
			}
			if _, err := resume(dir, nil); err != nil {
				t.Fatalf("%s, then without: %v", name, err)
			}
			kept, _ := filepath.Glob(filepath.Join(dir, "ledger.torn-*"))
			found := false
			for _, path := range kept {
				data, _ := os.ReadFile(path)
				found = found || string(data) == `{"seq":12,"ti`
			}
			if !found {
				t.Fatalf("%s: the torn line is in none of %v", name, kept)
			}
		}
	}
}

// Nothing is written behind a failed line: the writer stays broken.
func TestAfterAFailureNothingIsWritten(t *testing.T) {
	for _, what := range []string{"write ledger.jsonl", "sync ledger.jsonl"} {
		counted := &faulty{}
		journal(filepath.Join(t.TempDir(), "p"), counted)
		k := 1
		for counted.log[k-1] != what {
			k++
		}
		dir := filepath.Join(t.TempDir(), "p")
		fs := &faulty{k: k, err: syscall.ENOSPC, short: true}
		w, err := ledger.Create(dir, ledger.Options{FS: fs, Clock: clock()})
		if err != nil {
			t.Fatal(err)
		}
		first := w.Append(&ledger.Note{Text: "one"})
		second := w.Append(&ledger.Note{Text: "two"})
		if !errors.Is(first, syscall.ENOSPC) || !errors.Is(second, first) {
			t.Errorf("%s: errors %v, then %v", what, first, second)
		}
		if err := w.WriteFile("x", nil); !errors.Is(err, first) {
			t.Errorf("%s: a file was written: %v", what, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if n := fs.count; n != k {
			t.Errorf("%s: %d operations after the failed one: %v", what, n-k, fs.log[k:])
		}
		if log, err := ledger.Read(dir); err != nil || len(log.Entries) > 1 || len(log.Entries) == 0 && log.Torn == 0 {
			t.Errorf("%s: %+v, %v", what, log, err)
		}
	}
}

// A write that says that it wrote less is a failure, error or not.
func TestSilentShortWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	fs := &faulty{err: syscall.ENOSPC, short: true, silent: true}
	w, err := ledger.Create(dir, ledger.Options{FS: fs, Clock: clock()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fs.k = fs.count + 2 // open, write
	if err := w.WriteFile("x", []byte("whole")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
	fs.k = fs.count + 1
	for range 2 {
		if err := w.Append(&ledger.Note{Text: "one"}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("error %v", err)
		}
	}
	if log, err := ledger.Read(dir); err != nil || len(log.Entries) != 0 || log.Torn == 0 {
		t.Errorf("%+v, %v", log, err)
	}
}

// A disk that refuses everything leaves nothing behind: what is written goes through it.
func TestNothingBypassesTheDisk(t *testing.T) {
	parent := t.TempDir()
	if _, err := ledger.Create(filepath.Join(parent, "a", "p"), ledger.Options{FS: &faulty{k: 1, err: syscall.EROFS, all: true}}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("error %v", err)
	}
	if entries, _ := os.ReadDir(parent); len(entries) != 0 {
		t.Errorf("%v was made", entries)
	}
}

// Calls that change a disk stand in the real FS and nowhere else, so that the faults above reach all of them. Removing what a
// failed write left is the one exception.
func TestOnlyTheDiskWrites(t *testing.T) {
	changing := strings.Fields("Chmod Chown Chtimes CopyFS Create CreateTemp Link Mkdir MkdirAll MkdirTemp NewFile OpenFile OpenRoot RemoveAll Rename Symlink Truncate WriteFile")
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	in := map[string]string{} // os.X to the function that calls it
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			onDisk := fn.Recv != nil && fmt.Sprint(fn.Recv.List[0].Type) == "disk"
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, _ := call.X.(*ast.Ident)
				if pkg == nil || pkg.Name != "os" && pkg.Name != "unix" && pkg.Name != "syscall" && pkg.Name != "ioutil" {
					return true
				}
				for _, c := range changing {
					if call.Sel.Name == c {
						in[pkg.Name+"."+c] = fn.Name.Name
						if !onDisk {
							t.Errorf("%s: %s calls %s.%s", name, fn.Name.Name, pkg.Name, c)
						}
					}
				}
				return true
			})
		}
	}
	for _, want := range []string{"os.OpenFile", "os.Mkdir", "os.Rename"} {
		if in[want] == "" {
			t.Errorf("%s is called nowhere: this test sees nothing", want)
		}
	}
}
