package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Copy makes a private, read-only, executable copy of a file in dir, named by its digest, and returns its path and digest. The
// digest is taken while copying, so that what runs is what was hashed, whatever happens to the source meanwhile.
func Copy(source, dir string) (path, digest string, err error) {
	in, err := openRegular(source)
	if err != nil {
		return "", "", err
	}
	defer in.Close()
	out, err := os.CreateTemp(dir, ".copy-")
	if err != nil {
		return "", "", err
	}
	defer os.Remove(out.Name()) // a name that is no longer there after the rename
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), in)
	if err == nil {
		err = out.Chmod(0o555)
	}
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return "", "", fmt.Errorf("copy of %s: %w", source, err)
	}
	digest = hex.EncodeToString(h.Sum(nil))
	path = filepath.Join(dir, digest)
	if _, err := os.Lstat(path); err == nil {
		return path, digest, reverify(path, digest)
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", "", err
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return "", "", err
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", "", err
	}
	defer d.Close()
	return path, digest, d.Sync()
}

// reverify holds a copy that was there already to its name.
func reverify(path, digest string) error {
	got, _, err := Digest(path)
	if err == nil && got != digest {
		err = &BrokenError{Label: path, Want: digest, Got: got}
	}
	return err
}
