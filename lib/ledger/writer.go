package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Name is the ledger's file in a result folder.
const Name = "ledger.jsonl"

// MaxLine bounds a line, in bytes without its newline: the environment and argv of a run fit many times over.
const MaxLine = 16 << 20

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

// errClosed is the failure of a writer that was closed.
var errClosed = errors.New("the ledger is closed")

func newWriter(dir string, o Options) *Writer {
	w := &Writer{dir: filepath.Clean(dir), fs: o.FS, clock: o.Clock, head: genesis}
	if w.fs == nil {
		w.fs = disk{}
	}
	if w.clock == nil {
		w.clock = time.Now
	}
	w.opened = w.clock()
	return w
}

// Append journals one event: one write, fsynced before it returns. After a write or fsync that failed the writer is broken and
// every later call returns that first error, so that nothing is ever written behind a torn line, and no line a second time.
// Text that is no UTF-8 is written with U+FFFD in its place.
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
	if err != nil { // nothing was written: the writer is as it was
		return fmt.Errorf("%s: event %d: %w", filepath.Join(w.dir, Name), w.seq+1, err)
	}
	if err := writeAll(w.file, data); err != nil {
		w.broken = fmt.Errorf("%s: event %d (%s): %w", filepath.Join(w.dir, Name), w.seq+1, b.Kind(), err)
		return w.broken
	}
	w.seq++
	w.head = digest(data[:len(data)-1])
	return nil
}

// reserved are the names that WriteFile refuses.
var reserved = []string{Name, LockName}

// WriteFile puts a whole file into the folder, with the folders above it, or none of it: written beside its place, fsynced, then
// renamed. The name is a path below the folder, with slashes. A failure leaves the ledger as it was: the event that says what went
// wrong can still be written. What cannot be synced at the very end may be there after an error.
func (w *Writer) WriteFile(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) || slices.Contains(reserved, filepath.Clean(local)) {
		return fmt.Errorf("%s: %q is no name for a file in a result folder", w.dir, name)
	}
	path := filepath.Join(w.dir, local)
	if err := replace(w.fs, path, data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Head returns the digest of the last line, or 64 zeros before the first.
func (w *Writer) Head() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// Lines returns how many lines the ledger has.
func (w *Writer) Lines() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seq
}

// Dir returns the folder.
func (w *Writer) Dir() string { return w.dir }

// Close counts the lines and names the head in the lock file, and lets the next writer in. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	if w.broken == nil {
		w.broken = errClosed
		if w.seq > 0 && err == nil {
			err = w.lock.say(fmt.Sprintf(closedForm, w.seq, w.head))
		}
	}
	w.lock.release()
	if err != nil {
		return fmt.Errorf("%s: %w", w.dir, err)
	}
	return nil
}

// openAppend opens the ledger's file to be written at its end.
func (w *Writer) openAppend(flag int) (err error) {
	w.file, err = w.fs.OpenFile(filepath.Join(w.dir, Name), os.O_WRONLY|os.O_APPEND|flag, 0o644)
	return err
}
