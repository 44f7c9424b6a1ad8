package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrUsed says that a folder holds something already; results are never overwritten.
var ErrUsed = errors.New("the folder is used already")

// layout is what a fresh result folder holds beside its ledger.
var layout = []string{"bin", "phase", "runs"}

// Create makes a fresh result folder and takes its lock. It fails with ErrUsed if anything lies in the folder, which is then left
// as it is, and with a *BusyError if another process writes there.
func Create(dir string, o Options) (*Writer, error) {
	w := newWriter(dir, o)
	if err := unused(w.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := makeDirs(w.fs, w.dir); err != nil {
		return nil, err
	}
	var err error
	if w.lock, err = acquire(w.fs, w.dir, w.opened); err != nil {
		return nil, err
	}
	if err := w.create(); err != nil {
		w.lock.release()
		return nil, err
	}
	return w, nil
}

func (w *Writer) create() error {
	if err := unused(w.dir); err != nil { // again, now that nobody else can write here
		return err
	}
	for _, sub := range layout {
		if err := w.fs.Mkdir(filepath.Join(w.dir, sub), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	if err := w.openAppend(os.O_CREATE | os.O_EXCL); err != nil {
		return err
	}
	if err := syncDir(w.fs, w.dir); err != nil {
		w.file.Close()
		return err
	}
	return nil
}

// unused returns ErrUsed if anything lies in a folder but what a Create that failed may have left: a lock and empty folders. They
// hold nothing, and a full disk is no reason to choose another name.
func unused(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isLeftLock(dir, e) || isEmptyLayout(dir, e) {
			continue
		}
		return fmt.Errorf("%s: %w (%s lies there%s); results are never overwritten: choose another folder with --out, or resume the phase in this one",
			dir, ErrUsed, e.Name(), writing(dir))
	}
	return nil
}

// isLeftLock reports whether an entry is a lock that no ledger was closed under.
func isLeftLock(dir string, e os.DirEntry) bool {
	if e.Name() != LockName || !e.Type().IsRegular() {
		return false
	}
	said, err := os.ReadFile(filepath.Join(dir, LockName))
	return err == nil && (len(said) == 0 || strings.HasPrefix(string(said), "pid "))
}

// writing says who writes in a folder, if somebody does.
func writing(dir string) string {
	if busy := probe(dir); busy != nil {
		return ", and " + busy.holder() + " writes there now"
	}
	return ""
}

func isEmptyLayout(dir string, e os.DirEntry) bool {
	if !e.IsDir() || !slices.Contains(layout, e.Name()) {
		return false
	}
	inside, err := os.ReadDir(filepath.Join(dir, e.Name()))
	return err == nil && len(inside) == 0
}
