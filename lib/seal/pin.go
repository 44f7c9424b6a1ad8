// Package seal pins files by digest: what a phase runs and reads is what was hashed, before, between and after the runs; and it
// writes the seal, a text that names all of them.
package seal

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Pin is a file by its digest.
type Pin struct {
	Label     string
	Kind      string
	Path      string // where it is verified
	SHA256    string // lower-case hex
	Size      int64  // bytes
	BuildInfo map[string]string
}

// PinFile digests a regular file, following links, and reads a Go binary's build information: "go", "path", "version" and the
// settings by Go's own names ("vcs.revision", "vcs.modified", "-trimpath", "GOARCH", …).
func PinFile(path string) (Pin, error) {
	f, err := openRegular(path)
	if err != nil {
		return Pin{}, err
	}
	defer f.Close()
	digest, size, err := digestOf(f)
	if err != nil {
		return Pin{}, err
	}
	return Pin{Path: path, SHA256: digest, Size: size, BuildInfo: goBuild(f)}, nil
}

// Digest returns the SHA-256 (lower-case hex) and the length in bytes of a regular file, following links.
func Digest(path string) (digest string, size int64, err error) {
	f, err := openRegular(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	return digestOf(f)
}

func digestOf(f *os.File) (string, int64, error) {
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// openRegular opens a file that can be hashed: a folder, pipe or device has no bytes of its own. A pipe is not waited for.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file (%s)", path, info.Mode().Type())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// goBuild returns what a Go binary says of its build; nil for any other file.
func goBuild(f io.ReaderAt) map[string]string {
	info, err := buildinfo.Read(f)
	if err != nil {
		return nil
	}
	m := map[string]string{"go": info.GoVersion, "path": info.Path}
	if info.Main.Version != "" {
		m["version"] = info.Main.Version
	}
	for _, s := range info.Settings {
		m[s.Key] = s.Value
	}
	return m
}
