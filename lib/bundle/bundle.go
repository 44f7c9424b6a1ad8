// Package bundle packs a folder into one file and opens it again: the same folder gives the same bytes on every machine, and
// a file from a stranger writes nothing outside of the folder that it is opened into.
//
// A bundle is a tar archive, compressed with zstd. Its members are regular files in the order of their names, with no times, no
// owners, and one of two modes.
package bundle

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Content is what is packed.
type Content struct {
	Files map[string][]byte // by name, beside those of the folder and instead of them
	Leave func(name string) bool
}

// Summary is what was packed or opened.
type Summary struct {
	Files   int
	Bytes   int64
	LeftOut []string // names of what is no regular file, and was not packed
}

// Pack writes the bundle of a folder.
func Pack(w io.Writer, dir string, c Content) (Summary, error) {
	var sum Summary
	names, err := list(dir, c, &sum)
	if err != nil {
		return sum, err
	}
	// One goroutine and one level: where blocks end, and with them the bytes, depends on both.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
	if err != nil {
		return sum, err
	}
	t := tar.NewWriter(z)
	for _, name := range names {
		n, err := add(t, dir, name, c.Files[name])
		if err != nil {
			return sum, errors.Join(fmt.Errorf("bundle %s: %w", name, err), z.Close())
		}
		sum.Files++
		sum.Bytes += n
	}
	return sum, errors.Join(t.Close(), z.Close())
}

// list returns the names of what is packed, in order.
func list(dir string, c Content, sum *Summary) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case c.Leave != nil && c.Leave(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case !d.Type().IsRegular():
			sum.LeftOut = append(sum.LeftOut, name)
		case check(name) != nil:
			return check(name)
		case c.Files[name] == nil:
			names = append(names, name)
		}
		return nil
	})
	for name := range c.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

// add writes one member.
func add(t *tar.Writer, dir, name string, data []byte) (int64, error) {
	var r io.Reader
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if data != nil {
		r, h.Size = strings.NewReader(string(data)), int64(len(data))
	} else {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return 0, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		if r, h.Size = f, info.Size(); info.Mode()&0o111 != 0 {
			h.Mode = 0o755
		}
	}
	if err := t.WriteHeader(h); err != nil {
		return 0, err
	}
	n, err := io.Copy(t, r)
	return n, err
}

// NotABundle says that a file is something else.
type NotABundle struct{ Err error }

func (e *NotABundle) Error() string { return "it is no bundle: " + e.Err.Error() }

// Unwrap returns what was found instead.
func (e *NotABundle) Unwrap() error { return e.Err }

// Damaged says that a bundle was cut off or changed, or that something else than Pack made it.
type Damaged struct{ Err error }

func (e *Damaged) Error() string { return "the bundle was cut off or changed: " + e.Err.Error() }

// Unwrap returns what was found.
func (e *Damaged) Unwrap() error { return e.Err }

// magic is how every zstd frame begins (RFC 8878, 3.1.1).
var magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Open writes the members of a bundle into a folder, which must exist and be empty; at most so many bytes in all. An error leaves what
// was written until then.
func Open(r io.Reader, dir string, most int64) (Summary, error) {
	var sum Summary
	first := make([]byte, len(magic))
	if n, err := io.ReadFull(r, first); err != nil || !slices.Equal(first, magic) {
		return sum, &NotABundle{fmt.Errorf("it begins with %x, a bundle with %x", first[:n], magic)}
	}
	z, err := zstd.NewReader(io.MultiReader(strings.NewReader(string(magic)), r), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return sum, err
	}
	defer z.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return sum, err
	}
	defer root.Close()
	t := tar.NewReader(z)
	for last := ""; ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sum, &Damaged{err}
		}
		if err := member(h, last); err != nil {
			return sum, &Damaged{err}
		}
		if h.Size > most-sum.Bytes {
			return sum, &Damaged{fmt.Errorf("%s: with it the bundle has more than %d bytes, the most that is opened", h.Name, most)}
		}
		if err := write(root, h, t); err != nil {
			return sum, err
		}
		last = h.Name
		sum.Files++
		sum.Bytes += h.Size
	}
	// Nothing but zeros follows the archive's end, and the checksum at the frame's end is read with them.
	if err := onlyZeros(z); err != nil {
		return sum, &Damaged{err}
	}
	if sum.Files == 0 {
		return sum, &NotABundle{errors.New("it has no files")}
	}
	return sum, nil
}

// member holds the header of a member to what Pack writes.
func member(h *tar.Header, last string) error {
	switch err := check(h.Name); {
	case err != nil:
		return err
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%q is no regular file", h.Name)
	case h.Name <= last:
		return fmt.Errorf("%q follows %q: names are in order, and each stands once", h.Name, last)
	case h.Size < 0:
		return fmt.Errorf("%q has a size of %d", h.Name, h.Size)
	}
	return nil
}

// check refuses names that another system would read as something else.
func check(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is no name of a file in a folder", name)
	}
	return nil
}

// write writes one member. os.Root follows no link out of the folder.
func write(root *os.Root, h *tar.Header, r io.Reader) error {
	name := filepath.FromSlash(h.Name)
	if dir := path.Dir(h.Name); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return &Damaged{err} // a member stands where a folder should
		}
	}
	mode := os.FileMode(0o644)
	if h.Mode&0o111 != 0 {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		var full *fs.PathError
		if errors.As(err, &full) {
			return err // of the file that is written
		}
		return &Damaged{err}
	}
	return f.Close()
}

func onlyZeros(r io.Reader) error {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		if slices.ContainsFunc(buf[:n], func(b byte) bool { return b != 0 }) {
			return errors.New("something follows the end of its archive")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
