package seal

import (
	"fmt"
	"os"
	"sync"
	"syscall"
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

// Cache verifies pins and remembers what it hashed by inode, size, mtime and ctime: a file is hashed again when any of them
// moves, and no write leaves the ctime as it was. It is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	hashed map[string]hashed
}

type hashed struct {
	stamp  stamp
	digest string
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{hashed: map[string]hashed{}} }

// Verify holds a file to its pin. It fails with a *BrokenError when the file is gone, cannot be read or has other bytes.
func (c *Cache) Verify(pin *Pin) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, err := stampOf(pin.Path)
	if err != nil {
		return &BrokenError{pin.Label, pin.SHA256, err.Error()}
	}
	if h, ok := c.hashed[pin.Path]; ok && h.stamp == before {
		return held(pin, h.digest)
	}
	digest, _, err := Digest(pin.Path)
	if err != nil {
		return &BrokenError{pin.Label, pin.SHA256, err.Error()}
	}
	if after, err := stampOf(pin.Path); err == nil && after == before {
		c.hashed[pin.Path] = hashed{before, digest}
	}
	return held(pin, digest)
}

func held(pin *Pin, digest string) error {
	if digest != pin.SHA256 {
		return &BrokenError{pin.Label, pin.SHA256, digest}
	}
	return nil
}

// stamp is what the file system says of a file; a write changes at least the ctime.
type stamp struct {
	device, inode uint64
	size          int64
	mtime, ctime  syscall.Timespec
}

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
