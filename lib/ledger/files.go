package ledger

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// FS is every change that the ledger makes to a disk: what the tests make fail, one operation after the other.
type FS interface {
	// OpenFile opens a file as os.OpenFile does; folders are opened to be synced.
	OpenFile(name string, flag int, perm os.FileMode) (File, error)
	// Mkdir makes one folder.
	Mkdir(name string, perm os.FileMode) error
	// Rename puts a finished file in its place.
	Rename(from, to string) error
}

// File is an open file of the result folder. The one that is locked also has the Fd of *os.File.
type File interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// disk is the real FS.
type disk struct{}

func (disk) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // and no *os.File that is nil in an interface that is not
	}
	return f, nil
}

func (disk) Mkdir(name string, perm os.FileMode) error { return os.Mkdir(name, perm) }
func (disk) Rename(from, to string) error              { return os.Rename(from, to) }

// syncDir makes the names in a folder last.
func syncDir(fs FS, name string) error {
	d, err := fs.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // file systems that cannot sync a folder (CIFS, some of FUSE) say so
	}
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// makeDirs makes a folder and those above it that are missing, each with a name that lasts.
func makeDirs(fs FS, name string) error {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	}
	parent := filepath.Dir(name)
	if parent != name {
		if err := makeDirs(fs, parent); err != nil {
			return err
		}
	}
	if err := fs.Mkdir(name, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return syncDir(fs, parent)
}

// writeAll is one write, whole and fsynced.
func writeAll(f File, data []byte) error {
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}

// replace puts a whole file in its place, or none of it: written beside its place, fsynced, then renamed.
func replace(fs FS, path string, data []byte) error {
	if err := makeDirs(fs, filepath.Dir(path)); err != nil {
		return err
	}
	temporary := path + ".tmp"
	f, err := fs.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	err = writeAll(f, data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fs.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // to give a full disk its space back; nothing depends on it
		return err
	}
	return syncDir(fs, filepath.Dir(path))
}
