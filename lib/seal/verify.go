package seal

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// BrokenError is a file that is not what was pinned.
type BrokenError struct {
	Label string
	Want  string // the pinned digest
	Got   string // the digest found, or why there is none
}

// Error names the file and both digests.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s is not what was pinned: want %s, got %s", e.Label, e.Want, e.Got)
}

// settled is how old a change must be before a file's times can be trusted to tell it from the next one: file systems count
// time in steps of up to two seconds, and two writes within one step leave the same ctime.
const settled = 2 * time.Second

// Cache verifies pins and remembers what it hashed by device, inode, size, mtime and ctime: a file is hashed again when any of
// them moves. Writing moves the ctime, and nothing sets it back; only stores into a page that was mapped and written before the
// last hash do not show until the kernel writes it out, so that a last verification wants a new Cache. It is safe for concurrent use.
type Cache struct {
	Clock func() time.Time // nil: time.Now

	mu     sync.Mutex
	hashed map[string]hashed
	last   map[string]stamp // of Watch
	count  int
}

type hashed struct {
	stamp  stamp
	digest string
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{hashed: map[string]hashed{}, last: map[string]stamp{}} }

// Hashed returns how often a file was read, and not only looked at.
func (c *Cache) Hashed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// Verify holds a file to its pin. It fails with a *BrokenError when the file is gone, cannot be read or has other bytes.
func (c *Cache) Verify(pin *Pin) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	before, err := stampOf(pin.Path)
	if err != nil {
		return &BrokenError{pin.Label, pin.SHA256, err.Error()}
	}
	if h, ok := c.hashed[pin.Path]; ok && h.stamp == before {
		return held(pin, h.digest)
	}
	c.count++
	digest, _, err := Digest(pin.Path)
	if err != nil {
		return &BrokenError{pin.Label, pin.SHA256, err.Error()}
	}
	if after, err := stampOf(pin.Path); err == nil && after == before && before.changed().Before(now.Add(-settled)) {
		c.hashed[pin.Path] = hashed{before, digest}
	}
	return held(pin, digest)
}

// MovedError is a file that is as it was pinned, and was written, replaced or touched since it was watched last.
type MovedError struct{ Label string }

// Error names the file.
func (e *MovedError) Error() string {
	return e.Label + " was written, replaced or touched, and is as it was pinned again"
}

// Watch is Verify, which also fails with a *MovedError when anything of the file but its bytes is not as it was at the last Watch: its
// inode, or the time of its last change, which a process cannot set back. What was changed and changed back is found by that.
func (c *Cache) Watch(pin *Pin) error {
	if err := c.Verify(pin); err != nil {
		return err
	}
	now, err := stampOf(pin.Path)
	if err != nil {
		return &BrokenError{pin.Label, pin.SHA256, err.Error()}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before, watched := c.last[pin.Path]
	c.last[pin.Path] = now
	if watched && before != now {
		return &MovedError{pin.Label}
	}
	return nil
}

func (c *Cache) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock()
}

func held(pin *Pin, digest string) error {
	if digest != pin.SHA256 {
		return &BrokenError{pin.Label, pin.SHA256, digest}
	}
	return nil
}

// stamp is what the file system says of a file.
type stamp struct {
	device, inode uint64
	size          int64
	mtime, ctime  syscall.Timespec
}

// changed is when anything of the file last changed.
func (s stamp) changed() time.Time { return time.Unix(s.ctime.Unix()) }

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, fmt.Errorf("%s: this system does not say when a file changed", path)
	}
	m, c := times(st)
	return stamp{uint64(st.Dev), st.Ino, info.Size(), m, c}, nil
}
