package ledger

import (
	"io"
	"os"
)

// File is an open file of the result folder that is written once, from its start to its end.
type File interface {
	io.WriteCloser
	Sync() error
}

// FS is every change that the ledger makes to a disk: what the tests make fail, one after the other.
type FS interface {
	// OpenFile opens a file as os.OpenFile does.
	OpenFile(name string, flag int, perm os.FileMode) (File, error)
	// Rename puts a finished file in its place.
	Rename(from, to string) error
	// SyncDir makes the names in a folder last.
	SyncDir(name string) error
}

// disk is the real FS.
type disk struct{}

func (disk) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	return os.OpenFile(name, flag, perm)
}

func (disk) Rename(from, to string) error { return os.Rename(from, to) }

func (disk) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
