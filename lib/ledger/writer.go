package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Name is the ledger's file in a result folder.
const Name = "ledger.jsonl"

// maxLine bounds a line: the environment and argv of a run fit many times over.
const maxLine = 16 << 20

// ErrUsed says that a folder holds something already; results are never overwritten.
var ErrUsed = errors.New("the folder is used already")

// Options of a writer; the zero value is what everyone but a test wants.
type Options struct {
	FS    FS               // nil: the disk
	Clock func() time.Time // nil: time.Now
}

// Writer appends to the ledger of one folder, of which it is the only writer. It is safe for concurrent use.
type Writer struct {
	mu     sync.Mutex
	dir    string
	fs     FS
	clock  func() time.Time
	lock   *lock
	file   File
	opened time.Time
	seq    int
	head   string
	broken error // the first failure; nothing is written after it
}

// Create makes a fresh result folder and takes its lock. It fails with ErrUsed if anything lies in the folder, and names
// the holder if another process writes there.
func Create(dir string, o Options) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	w, err := create(dir, l, o)
	if err != nil {
		l.release()
	}
	return w, err
}

func create(dir string, l *lock, o Options) (*Writer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != lockName {
			return nil, fmt.Errorf("%s: %w (%s lies there): results are never overwritten; choose another folder", dir, ErrUsed, e.Name())
		}
	}
	for _, sub := range []string{"bin", "phase", "runs"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	w := newWriter(dir, l, o)
	w.file, err = w.fs.OpenFile(filepath.Join(dir, Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := w.fs.SyncDir(d); err != nil {
			w.file.Close()
			return nil, err
		}
	}
	return w, nil
}

func newWriter(dir string, l *lock, o Options) *Writer {
	w := &Writer{dir: dir, fs: o.FS, clock: o.Clock, lock: l, head: genesis}
	if w.fs == nil {
		w.fs = disk{}
	}
	if w.clock == nil {
		w.clock = time.Now
	}
	w.opened = w.clock()
	return w
}

// Append journals one event: one write, fsynced before it returns. After a failure the writer is broken and every later
// call returns the first error, so that nothing is ever written behind a torn line.
func (w *Writer) Append(b Body) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	now := w.clock()
	data, err := line(Header{
		Seq: w.seq + 1, Time: now.UTC().Round(0), MonotonicNS: now.Sub(w.opened).Nanoseconds(), Event: b.Kind(), Prev: w.head,
	}, b)
	if err != nil {
		return err // nothing was written: the writer is as it was
	}
	n, err := w.file.Write(data)
	if err == nil && n < len(data) {
		err = fmt.Errorf("%d of %d bytes were written", n, len(data))
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.broken = fmt.Errorf("%s: event %d (%s): %w", filepath.Join(w.dir, Name), w.seq+1, b.Kind(), err)
		return w.broken
	}
	w.seq++
	w.head = digest(data[:len(data)-1])
	return nil
}

// WriteFile puts a whole file into the folder, or none of it: written beside its place, fsynced, then renamed.
func (w *Writer) WriteFile(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temporary := path + ".tmp"
	f, err := w.fs.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = fmt.Errorf("%s: %d of %d bytes were written", path, n, len(data))
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = w.fs.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("%s: %w", path, err)
	}
	return w.fs.SyncDir(filepath.Dir(path))
}

// Head returns the digest of the last line, or 64 zeros before the first.
func (w *Writer) Head() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// Dir returns the folder.
func (w *Writer) Dir() string { return w.dir }

// Close releases the folder. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	w.lock.release()
	if w.broken == nil {
		w.broken = errors.New("the ledger is closed")
	}
	return err
}
