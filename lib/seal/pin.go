// Package seal pins files by digest: what a phase runs and reads is what was hashed, before, between and after the runs.
package seal

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
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

// PinFile digests a regular file, following links, and reads a Go binary's build information.
func PinFile(path string) (Pin, error) {
	digest, size, err := Digest(path)
	if err != nil {
		return Pin{}, err
	}
	return Pin{Path: path, SHA256: digest, Size: size, BuildInfo: goBuild(path)}, nil
}

// Digest returns the SHA-256 (hex) and the length of a regular file.
func Digest(path string) (string, int64, error) {
	f, err := openRegular(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// openRegular opens a file that can be hashed: a folder, pipe or device has no bytes of its own.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file (%s)", path, info.Mode().Type())
	}
	return os.Open(path)
}

// goBuild returns what a Go binary says of its build; nil for any other file.
func goBuild(path string) map[string]string {
	info, err := buildinfo.ReadFile(path)
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
