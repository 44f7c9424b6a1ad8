package seal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/seal"
)

// Watch finds what was changed and changed back, whatever was done to the times that a process can set.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		moved  bool
		broken bool
	}{
		"nothing": {func(string) error { return nil }, false, false},
		"read":    {func(path string) error { _, err := os.ReadFile(path); return err }, false, false},
		"touched": {func(path string) error { return os.Chtimes(path, time.Now(), time.Now()) }, true, false},
		"written and written back, with the old times": {func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, os.WriteFile(path, []byte("abd"), 0o644), os.WriteFile(path, []byte("abc"), 0o644), os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, true, false},
		"moved away and back": {func(path string) error { return errors.Join(os.Rename(path, path+".x"), os.Rename(path+".x", path)) }, true, false},
		"replaced by the same bytes": {func(path string) error {
			return errors.Join(os.WriteFile(path+".x", []byte("abc"), 0o644), os.Rename(path+".x", path))
		}, true, false},
		"written": {func(path string) error { return os.WriteFile(path, []byte("abd"), 0o644) }, false, true},
		"removed": {os.Remove, false, true},
	} {
		path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644)
		pin, err := seal.PinFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cache := seal.NewCache()
		for range 2 {
			if err := cache.Watch(&pin); err != nil {
				t.Fatalf("%s: before: %v", name, err)
			}
		}
		time.Sleep(20 * time.Millisecond) // the kernel counts ctime in ticks of up to ten milliseconds
		if err := c.change(path); err != nil {
			t.Fatal(err)
		}
		err = cache.Watch(&pin)
		var moved *seal.MovedError
		var broken *seal.BrokenError
		if errors.As(err, &moved) != c.moved || errors.As(err, &broken) != c.broken || (err == nil) != (!c.moved && !c.broken) {
			t.Errorf("%s: %v", name, err)
		}
		if c.moved {
			if err := cache.Watch(&pin); err != nil {
				t.Errorf("%s: it is told twice: %v", name, err)
			}
		}
	}
}
