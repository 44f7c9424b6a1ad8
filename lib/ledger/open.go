package ledger

import (
	"fmt"
	"os"
	"path/filepath"
)

// Open goes on with a folder: it takes the lock, reads the ledger, and moves a torn last line into a file of its own
// (ledger.torn-1, -2, …) so that the chain goes on behind the last whole line.
func Open(dir string, o Options) (*Writer, *Log, error) {
	if _, err := os.Stat(filepath.Join(dir, Name)); err != nil {
		return nil, nil, fmt.Errorf("%s is no result folder: %w", dir, err)
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, nil, err
	}
	w, log, err := open(dir, l, o)
	if err != nil {
		l.release()
	}
	return w, log, err
}

func open(dir string, l *lock, o Options) (*Writer, *Log, error) {
	path := filepath.Join(dir, Name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	log, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	w := newWriter(dir, l, o)
	if log.Torn > 0 {
		whole := len(data) - log.Torn
		if err := w.WriteFile(tornName(dir), data[whole:]); err != nil {
			return nil, nil, err
		}
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, nil, err
		}
	}
	w.seq, w.head = len(log.Entries), log.Head
	w.file, err = w.fs.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return w, log, err
}

// tornName returns the first free name for a torn line.
func tornName(dir string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("ledger.torn-%d", n)
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return name
		}
	}
}
