package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// LockName is the file whose flock the one writer of a folder holds. While it is held it says by whom; afterwards it counts the
// ledger's lines and names its head, which is what covers the last line.
const LockName = "lock"

const closedForm = "closed with %d lines, head %s\n"

// BusyError says who writes in a folder.
type BusyError struct {
	Dir    string
	Holder string // "pid 4242 since 2026-10-14T10:15:00Z", or "" if it does not say
}

// Error names the folder and the holder.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: another process writes here (%s): wait for its end, or choose another folder with --out", e.Dir, e.holder())
}

func (e *BusyError) holder() string {
	if e.Holder == "" {
		return "it does not say which"
	}
	return e.Holder
}

type lock struct{ file File }

// acquire takes a folder's lock, or fails with a *BusyError. The kernel releases it when its holder ends, however that ends.
func acquire(fs FS, dir string, now time.Time) (*lock, error) {
	path := filepath.Join(dir, LockName)
	f, err := fs.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if err := flock(f); err != nil {
		f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s cannot be locked, and results are written by one process at a time: %w", path, err)
		}
		return nil, busy(dir)
	}
	l := &lock{f}
	if err := l.say(fmt.Sprintf("pid %d since %s\n", os.Getpid(), now.UTC().Format(time.RFC3339))); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func flock(f File) error {
	holder, ok := f.(interface{ Fd() uintptr })
	if !ok {
		return errors.ErrUnsupported
	}
	return flockFd(holder.Fd(), unix.LOCK_EX)
}

func flockFd(fd uintptr, how int) error {
	for {
		err := unix.Flock(int(fd), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// probe returns who holds a folder's lock, or nil; it changes nothing.
func probe(dir string) *BusyError {
	f, err := os.Open(filepath.Join(dir, LockName))
	if err != nil {
		return nil
	}
	defer f.Close()
	if err := flockFd(f.Fd(), unix.LOCK_SH); !errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	return busy(dir)
}

// Holder returns which process writes in a folder, and whether one does. It changes nothing.
func Holder(dir string) (holder string, held bool) {
	b := probe(dir)
	if b == nil {
		return "", false
	}
	return b.holder(), true
}

func busy(dir string) *BusyError {
	said, _ := os.ReadFile(filepath.Join(dir, LockName))
	return &BusyError{dir, strings.TrimSpace(string(said))}
}

// say replaces what the file says; it is open for appending.
func (l *lock) say(text string) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	return writeAll(l.file, []byte(text))
}

// release lets the next writer in. A child that is between fork and exec still has the file, so that closing is not enough.
func (l *lock) release() {
	if holder, ok := l.file.(interface{ Fd() uintptr }); ok {
		_ = unix.Flock(int(holder.Fd()), unix.LOCK_UN)
	}
	_ = l.file.Close()
}

// Closing returns what the file LockName says of a ledger that was closed as it is.
func (l *Log) Closing() string { return fmt.Sprintf(closedForm, len(l.Entries), l.Head) }

// state is what the last writer said of a ledger when it closed it.
type state struct {
	lines int // 0: it said nothing (one writes, a crash, a copy without the lock)
	head  string
}

func stateOf(dir string) state {
	said, err := os.ReadFile(filepath.Join(dir, LockName))
	if err != nil {
		return state{}
	}
	var s state
	if _, err := fmt.Sscanf(string(said), closedForm, &s.lines, &s.head); err != nil || string(said) != fmt.Sprintf(closedForm, s.lines, s.head) || s.lines < 1 {
		return state{}
	}
	return s
}
