package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Open goes on with a folder: it takes the lock, reads the ledger, and moves a torn last line into a file of its own
// (ledger.torn-1, -2, …) so that the chain goes on behind the last whole line. It fails as Read does, or with a *BusyError.
func Open(dir string, o Options) (*Writer, *Log, error) {
	w := newWriter(dir, o)
	if _, err := os.Stat(filepath.Join(w.dir, Name)); err != nil {
		return nil, nil, fmt.Errorf("%s is no result folder: %w", w.dir, err)
	}
	before := stateOf(w.dir) // the lock file says something else once it is ours
	var err error
	if w.lock, err = acquire(w.fs, w.dir, w.opened); err != nil {
		return nil, nil, err
	}
	log, err := w.resume(before)
	if err != nil {
		w.lock.release()
		return nil, nil, err
	}
	return w, log, nil
}

// resume reads the ledger, keeps its torn tail elsewhere and opens it for appending.
func (w *Writer) resume(before state) (*Log, error) {
	data, err := read(w.dir)
	if err != nil {
		return nil, err
	}
	log, err := parse(data, before)
	if err != nil {
		return nil, err
	}
	if log.Torn > 0 {
		name, err := tornName(w.dir)
		if err != nil {
			return nil, err
		}
		if err := replace(w.fs, name, data[len(data)-log.Torn:]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := w.openAppend(0); err != nil {
		return nil, err
	}
	if log.Torn > 0 {
		if err := w.file.Truncate(int64(len(data) - log.Torn)); err != nil { // it lasts with the next line, which is fsynced
			w.file.Close()
			return nil, err
		}
	}
	w.seq, w.head = len(log.Entries), log.Head
	return log, nil
}

// tornName returns the first free name for a torn line.
func tornName(dir string) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf("ledger.torn-%d", n))
		_, err := os.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}
