package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/phaselock/phaselock/lib/bundle"
)

var files = map[string]string{
	"ledger.jsonl": "{}\n", "runs/0001/stdout": strings.Repeat("a row\n", 5000), "runs/0001/stderr": "", "bin/ab": "#!/bin/sh\n",
	"with space/ünï": "x",
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o600)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o500
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pack(t *testing.T, dir string, c bundle.Content) ([]byte, bundle.Summary) {
	t.Helper()
	var b bytes.Buffer
	sum, err := bundle.Pack(&b, dir, c)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), sum
}

// Another folder with the same files, other times, owners' modes and an order of its own gives the same bytes, and so does the
// folder that a bundle was opened into.
func TestTheSameBytes(t *testing.T) {
	a, b := folder(t), folder(t)
	old := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(filepath.Join(b, "ledger.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	one, sum := pack(t, a, bundle.Content{})
	two, _ := pack(t, b, bundle.Content{})
	if !bytes.Equal(one, two) || sum.Files != len(files) {
		t.Errorf("%d and %d bytes differ; %+v", len(one), len(two), sum)
	}
	into := t.TempDir()
	if got, err := bundle.Open(bytes.NewReader(one), into, 1<<20); err != nil || got.Files != sum.Files || got.Bytes != sum.Bytes {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(into, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(into, "bin", "ab")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if again, _ := pack(t, into, bundle.Content{}); !bytes.Equal(one, again) {
		t.Error("packed again it has other bytes")
	}
}

// What is left out, added, or no regular file.
func TestContent(t *testing.T) {
	dir := folder(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	data, sum := pack(t, dir, bundle.Content{
		Files: map[string][]byte{"ledger.jsonl": []byte("other\n"), "bundle.json": []byte("{}")},
		Leave: func(name string) bool { return name == "runs" },
	})
	if len(sum.LeftOut) != 1 || sum.LeftOut[0] != "link" {
		t.Errorf("%+v", sum)
	}
	into := t.TempDir()
	if _, err := bundle.Open(bytes.NewReader(data), into, 1<<20); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(into, "ledger.jsonl")); err != nil || string(text) != "other\n" {
		t.Errorf("%q, %v", text, err)
	}
	for _, gone := range []string{"runs", "link"} {
		if _, err := os.Lstat(filepath.Join(into, gone)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", gone, err)
		}
	}
}

// A bundle that is cut off anywhere, or has any byte changed, is not opened, and is told from a file that is none.
func TestDamage(t *testing.T) {
	data, _ := pack(t, folder(t), bundle.Content{})
	for i := range data {
		for what, bad := range map[string][]byte{"cut": data[:i], "changed": append(append(bytes.Clone(data[:i]), data[i]^0x10), data[i+1:]...)} {
			into := t.TempDir()
			_, err := bundle.Open(bytes.NewReader(bad), into, 1<<20)
			var damaged *bundle.Damaged
			var none *bundle.NotABundle
			if err == nil {
				if again, _ := pack(t, into, bundle.Content{}); bytes.Equal(again, data) {
					continue // a bit of the frame that says nothing of its content
				}
			}
			if !errors.As(err, &damaged) && !(i < 4 && errors.As(err, &none)) {
				t.Errorf("%s at %d of %d: %v", what, i, len(data), err)
			}
		}
	}
	if _, err := bundle.Open(bytes.NewReader(append(bytes.Clone(data), "more"...)), t.TempDir(), 1<<20); err == nil {
		t.Error("with more behind its end: no error")
	}
	if _, err := bundle.Open(bytes.NewReader(data), t.TempDir(), 1000); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("larger than allowed: %v", err)
	}
}

// A hostile archive writes nothing outside of the folder.
func TestHostile(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"parent":       {{Name: "../evil", Typeflag: tar.TypeReg}},
		"absolute":     {{Name: "/tmp/evil", Typeflag: tar.TypeReg}},
		"inner":        {{Name: "a/../../evil", Typeflag: tar.TypeReg}},
		"backslash":    {{Name: `..\evil`, Typeflag: tar.TypeReg}},
		"link":         {{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, {Name: "a/evil", Typeflag: tar.TypeReg}},
		"hard link":    {{Name: "a", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"device":       {{Name: "a", Typeflag: tar.TypeChar}},
		"folder":       {{Name: "a/", Typeflag: tar.TypeDir}},
		"twice":        {{Name: "a", Typeflag: tar.TypeReg}, {Name: "a", Typeflag: tar.TypeReg}},
		"below":        {{Name: "a", Typeflag: tar.TypeReg}, {Name: "a/b", Typeflag: tar.TypeReg}},
		"out of order": {{Name: "b", Typeflag: tar.TypeReg}, {Name: "a", Typeflag: tar.TypeReg}},
		"empty":        {},
	} {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(z)
		for i := range headers {
			if err := w.WriteHeader(&headers[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		outside := t.TempDir()
		into := filepath.Join(outside, "into")
		if err := os.Mkdir(into, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := bundle.Open(bytes.NewReader(b.Bytes()), into, 1<<20); err == nil {
			t.Errorf("%s: it was opened", name)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	w := tar.NewWriter(z)
	_ = w.WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 1})
	_, _ = io.WriteString(w, "x")
	_ = errors.Join(w.Close(), z.Close())
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = bundle.Open(bytes.NewReader(data), t.TempDir(), 1<<16)
	})
}
