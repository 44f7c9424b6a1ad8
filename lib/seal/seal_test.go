package seal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	for _, bad := range []string{filepath.Dir(path), "/dev/null", filepath.Join(path, "no"), "no"} {
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
			time.Sleep(20 * time.Millisecond) // more than the kernel's tick, by which files are stamped
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

func TestProgram(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write(t, filepath.Join(a, "tool"), "not executable", 0o644)
	want := write(t, filepath.Join(b, "tool"), "#!/bin/sh\n", 0o755)
	got, err := seal.Program("tool", a+":"+b)
	if resolved, _ := filepath.EvalSymlinks(want); err != nil || got != resolved {
		t.Errorf("%s, %v; want %s", got, err, resolved)
	}
	for _, name := range []string{"", "a/b", "nosuchprogram"} {
		if _, err := seal.Program(name, a); err == nil {
			t.Errorf("%q was found", name)
		}
	}
}

func TestInterpreter(t *testing.T) {
	dir := t.TempDir()
	python := write(t, filepath.Join(dir, "python9"), "x", 0o755)
	python, _ = filepath.EvalSymlinks(python)
	sh, _ := filepath.EvalSymlinks("/bin/sh")
	for _, tc := range []struct{ first, want, err string }{
		{"#!/bin/sh\n", sh, ""},
		{"#! /bin/sh -e\n", sh, ""},
		{"#!/usr/bin/env python9\n", python, ""},
		{"#!/usr/bin/env -S A=b python9 -u\n", python, ""},
		{"\x7fELF", "", ""},
		{"", "", ""},
		{"#", "", ""},
		{"\xef\xbb\xbf#!/bin/sh\n", "", ""}, // the kernel runs no script with a byte order mark
		{"#!\n", "", "no interpreter"},
		{"#!/usr/bin/env\n", "", "behind env"},
		{"#!/no/such\n", "", "no such file"},
		{"#!/usr/bin/env nosuch\n", "", "no program"},
	} {
		got, err := seal.Interpreter(write(t, filepath.Join(dir, "script"), tc.first, 0o755), dir)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%q: %q, %v; want %q, %q", tc.first, got, err, tc.want, tc.err)
		}
	}
}
