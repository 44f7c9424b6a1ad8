package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// copyMode is what a private copy may be used for: to be read and executed.
const copyMode = 0o555

// Copy makes a private, read-only, executable copy of a file in dir, named by its digest, and returns its path and digest. The
// digest is taken while copying, so that what runs is what was hashed, whatever happens to the source meanwhile. A copy that is
// there already is hashed again; it fails with a *BrokenError if it is not what its name says.
func Copy(source, dir string) (path, digest string, err error) {
	out, err := os.CreateTemp(dir, ".copy-")
	if err != nil {
		return "", "", err
	}
	defer os.Remove(out.Name()) // a name that is no longer there after the rename
	digest, err = copyTo(out, source)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", "", fmt.Errorf("private copy of %s: %w", source, err)
	}
	path = filepath.Join(dir, digest)
	info, err := os.Lstat(path)
	switch {
	case err == nil:
		return path, digest, holdCopy(path, digest, info)
	case !errors.Is(err, os.ErrNotExist):
		return "", "", err
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return "", "", err
	}
	return path, digest, syncDir(dir)
}

// copyTo fills out from a file, makes it last, and returns its digest.
func copyTo(out *os.File, source string) (string, error) {
	in, err := openRegular(source)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), in); err != nil {
		return "", err
	}
	if err := out.Chmod(copyMode); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), out.Sync()
}

// holdCopy holds a copy that was there already to its name: a link could lead to something that changes.
func holdCopy(path, digest string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &BrokenError{path, digest, fmt.Sprintf("no regular file (%s)", info.Mode().Type())}
	}
	got, _, err := Digest(path)
	if err != nil {
		return err
	}
	if got != digest {
		return &BrokenError{path, digest, got}
	}
	if info.Mode().Perm() != copyMode {
		return os.Chmod(path, copyMode)
	}
	return nil
}

// syncDir makes the names in a folder last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// File systems that cannot sync a folder (CIFS, some of FUSE) say so.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
