package seal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/seal"
)

// The SHA-256 of "abc", from FIPS 180-4.
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

func write(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDigest(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644)
	digest, size, err := seal.Digest(path)
	if err != nil || digest != abc || size != 3 {
		t.Errorf("%s, %d, %v", digest, size, err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Dir(path), "/dev/null", pipe, filepath.Join(path, "no"), "no"} {
		if _, _, err := seal.Digest(bad); err == nil {
			t.Errorf("%s was digested", bad)
		}
	}
}

func TestPinFileReadsBuildInformation(t *testing.T) {
	pin, err := seal.PinFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(pin.BuildInfo["go"], "go1.") || pin.BuildInfo["GOARCH"] == "" {
		t.Errorf("build information %v", pin.BuildInfo)
	}
	pin, err = seal.PinFile(write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644))
	if err != nil || pin.BuildInfo != nil || pin.SHA256 != abc {
		t.Errorf("%+v, %v", pin, err)
	}
}

func TestCopyIsPrivate(t *testing.T) {
	dir := t.TempDir()
	source := write(t, filepath.Join(dir, "x"), "abc", 0o644)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(source, link); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	path, digest, err := seal.Copy(link, bin)
	if err != nil || digest != abc || path != filepath.Join(bin, abc) {
		t.Fatalf("%s, %s, %v", path, digest, err)
	}
	if info, _ := os.Lstat(path); info.Mode() != 0o555 {
		t.Errorf("mode %v", info.Mode())
	}
	write(t, source, "abd", 0o644)
	if data, _ := os.ReadFile(path); string(data) != "abc" {
		t.Errorf("the copy followed its source: %q", data)
	}
	write(t, source, "abc", 0o644)
	if again, _, err := seal.Copy(source, bin); err != nil || again != path {
		t.Errorf("a second copy: %s, %v", again, err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, "evil", 0o755)
	var broken *seal.BrokenError
	if _, _, err := seal.Copy(source, bin); !errors.As(err, &broken) {
		t.Errorf("error %v, want a changed copy to be found", err)
	}
	if entries, _ := os.ReadDir(bin); len(entries) != 1 {
		t.Errorf("%d files were left behind", len(entries))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(source, path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := seal.Copy(source, bin); !errors.As(err, &broken) {
		t.Errorf("error %v, want a link in the copy's place to be found", err)
	}
}

// A copy that may be written again is made read-only again, and what cannot be copied leaves nothing.
func TestCopyAgain(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	source := write(t, filepath.Join(dir, "x"), "abc", 0o600)
	path, _, err := seal.Copy(source, bin)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := seal.Copy(source, bin); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(path); info.Mode() != 0o555 {
		t.Errorf("mode %v", info.Mode())
	}
	for _, bad := range []string{dir, filepath.Join(dir, "no"), "/dev/null"} {
		if _, _, err := seal.Copy(bad, bin); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: error %v", bad, err)
		}
	}
	if _, _, err := seal.Copy(source, filepath.Join(dir, "nofolder")); err == nil {
		t.Error("a copy was made in a folder that there is not")
	}
	if entries, _ := os.ReadDir(bin); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// A source that is written while it is copied: what lies in the folder has the digest that it is named by.
func TestCopyOfAMovingSource(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	source := write(t, filepath.Join(dir, "x"), strings.Repeat("a", 1<<20), 0o644)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(source, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for i := int64(0); ; i++ {
			select {
			case <-stop:
				return
			default:
				_, _ = f.WriteAt([]byte{byte(i)}, i*7919%(1<<20))
			}
		}
	}()
	defer func() { close(stop); <-done }()
	for range 20 {
		path, digest, err := seal.Copy(source, bin)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := seal.Digest(path); err != nil || got != digest || filepath.Base(path) != digest {
			t.Fatalf("%s has the digest %s (%v)", path, got, err)
		}
	}
}

func TestVerify(t *testing.T) {
	for _, tc := range []struct {
		name  string
		alter func(t *testing.T, path string)
		want  bool // it still holds
	}{
		{"untouched", func(*testing.T, string) {}, true},
		{"touched", func(t *testing.T, path string) {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"written with its times set back", func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, "abd", 0o644)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"swapped", func(t *testing.T, path string) {
			if err := os.Rename(write(t, path+".new", "abd", 0o644), path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"swapped and back", func(t *testing.T, path string) {
			write(t, path, "abd", 0o644)
			write(t, path, "abc", 0o644)
		}, true},
		{"behind a link that leads elsewhere", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(write(t, path+".other", "abd", 0o644), path); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"one byte written in place", func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte("d"), 2); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"cut short", func(t *testing.T, path string) {
			if err := os.Truncate(path, 2); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"removed", func(t *testing.T, path string) { os.Remove(path) }, false},
		{"a folder now", func(t *testing.T, path string) {
			os.Remove(path)
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644)
			pin := &seal.Pin{Label: "x", Path: path, SHA256: abc}
			c := seal.NewCache()
			if err := c.Verify(pin); err != nil {
				t.Fatal(err)
			}
			tc.alter(t, path)
			err := c.Verify(pin)
			var broken *seal.BrokenError
			switch {
			case tc.want && err != nil:
				t.Errorf("error %v", err)
			case !tc.want && !errors.As(err, &broken):
				t.Errorf("error %v, want a broken pin", err)
			case !tc.want && (broken.Want != abc || broken.Got == abc || broken.Label != "x"):
				t.Errorf("%+v", broken)
			}
		})
	}
}

// A file that changes again within the step of its file system's clock has the times that it had: it is hashed until its last
// change is old enough to be told from the next.
func TestVerifyWithinOneTick(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644)
	pin := &seal.Pin{Label: "x", Path: path, SHA256: abc}
	c := seal.NewCache()
	for i := range 200 {
		write(t, path, "abc", 0o644)
		if err := c.Verify(pin); err != nil {
			t.Fatal(err)
		}
		write(t, path, "abd", 0o644)
		if err := c.Verify(pin); err == nil {
			t.Fatalf("write %d was not seen", i)
		}
	}
}

// What was hashed is looked at, and read again when anything of it moved.
func TestVerifyReadsOnce(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "x"), "abc", 0o644)
	pin := &seal.Pin{Label: "x", Path: path, SHA256: abc}
	c := seal.NewCache()
	later := time.Now().Add(time.Hour)
	c.Clock = func() time.Time { return later }
	verify := func(want int) {
		t.Helper()
		for range 3 {
			if err := c.Verify(pin); err != nil {
				t.Fatal(err)
			}
		}
		if c.Hashed() != want {
			t.Fatalf("hashed %d times, want %d", c.Hashed(), want)
		}
	}
	verify(1)
	if err := os.Chtimes(path, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	verify(2)
	if err := os.Rename(write(t, filepath.Join(dir, "y"), "abc", 0o644), path); err != nil {
		t.Fatal(err)
	}
	verify(3)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(write(t, filepath.Join(dir, "z"), "abc", 0o644), path); err != nil {
		t.Fatal(err)
	}
	verify(4) // a link is followed
}

// Times tell a change from the next only when it is older than the steps in which the file system counts.
func TestVerifyTrustsOldChanges(t *testing.T) {
	before := time.Now()
	path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o644)
	after := time.Now()
	pin := &seal.Pin{Label: "x", Path: path, SHA256: abc}
	for _, tc := range []struct {
		name string
		now  time.Time
		want int
	}{
		{"a change of the last two seconds", before.Add(1900 * time.Millisecond), 3},
		{"an older one", after.Add(2100 * time.Millisecond), 1},
		{"a change in the future: the clocks differ", before.Add(-time.Hour), 3},
	} {
		c := seal.NewCache()
		c.Clock = func() time.Time { return tc.now }
		for range 3 {
			if err := c.Verify(pin); err != nil {
				t.Fatal(err)
			}
		}
		if c.Hashed() != tc.want {
			t.Errorf("%s: hashed %d times, want %d", tc.name, c.Hashed(), tc.want)
		}
	}
}

func TestVerifyUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("everything is readable by root")
	}
	path := write(t, filepath.Join(t.TempDir(), "x"), "abc", 0o200)
	var broken *seal.BrokenError
	if err := seal.NewCache().Verify(&seal.Pin{Label: "x", Path: path, SHA256: abc}); !errors.As(err, &broken) || !strings.Contains(broken.Got, "permission denied") {
		t.Errorf("error %v", err)
	}
}
