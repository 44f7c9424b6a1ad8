package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// folder is a private folder among the system's temporary files, which a killed process may leave behind. It is known
// by its name, phaselock-RECIPE-PID-NUMBER, and held by a lock on the file of the same name and .lock beside it, which
// is made first and removed last. The lock ends with the process, however that ends; a pid may be another's by then,
// or of another container's that shares the place, so it decides only where files cannot be locked.
type folder struct {
	path   string       // absolute, without links
	remove func() error // the folder, what is in it, and the lock; a second time does nothing
}

var folderName = regexp.MustCompile(`^phaselock-(?:[0-9a-f]{16}|patch)-([0-9]+)-[0-9]+(\.lock)?$`)

const lockSuffix = ".lock"

// newFolder makes a folder and holds it. what is the first 16 digits of a recipe, or "patch".
func newFolder(what string) (*folder, error) {
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return nil, err
	}
	if temp, err = filepath.Abs(temp); err != nil {
		return nil, err
	}
	for {
		lock, err := os.CreateTemp(temp, fmt.Sprintf("phaselock-%s-%d-*%s", what, os.Getpid(), lockSuffix))
		if err != nil {
			return nil, err
		}
		switch err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EWOULDBLOCK) || err == nil && !named(lock):
			lock.Close() // another process has just taken it for a dead one's and removes it
			continue
		case err != nil: // no locks here: without the file, the pid decides
			if err := errors.Join(os.Remove(lock.Name()), lock.Close()); err != nil {
				return nil, err
			}
		}
		f := &folder{path: strings.TrimSuffix(lock.Name(), lockSuffix)}
		f.remove = sync.OnceValue(func() error {
			err := removeAll(f.path)
			if err == nil {
				err = ignoreMissing(os.Remove(lock.Name()))
			}
			lock.Close() // the lock ends with it; nothing was written. It may be closed already
			return err
		})
		if err := os.Mkdir(f.path, 0o700); err != nil {
			return nil, errors.Join(err, os.Remove(lock.Name()), lock.Close())
		}
		return f, nil
	}
}

// removeStale removes the folders that dead processes have left. What cannot be removed is left: it harms no build.
func removeStale() {
	temp := os.TempDir()
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		m := folderName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		path := filepath.Join(temp, e.Name())
		if m[2] != "" {
			removeUnheld(path)
			continue
		}
		_, err := os.Lstat(path + lockSuffix)
		if pid, perr := strconv.Atoi(m[1]); perr == nil && errors.Is(err, fs.ErrNotExist) && !alive(pid) {
			_ = removeAll(path)
		}
	}
}

// removeUnheld removes a folder whose lock nobody holds, and then the lock.
func removeUnheld(lockPath string) {
	lock, err := os.OpenFile(lockPath, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0) // somebody else's link or pipe must not stop us
	if err != nil {
		return
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !named(lock) {
		return
	}
	if removeAll(strings.TrimSuffix(lockPath, lockSuffix)) == nil {
		_ = os.Remove(lockPath)
	}
}

// named reports whether an open file still has its name.
func named(f *os.File) bool {
	here, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(here, there)
}

// removeAll removes a folder with what is in it, be it in folders that a test has made read-only.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700) // before it is read; RemoveAll says what it could not
		}
		return nil
	})
	return os.RemoveAll(path)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// alive reports whether a process of that number exists.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}
