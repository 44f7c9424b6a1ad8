package host_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// TestBadScripts evaluates the chunks of testdata/bad: scripts apart by lines of "---", in which a comment
// "### regexp" stands on every line that must be refused. The diagnostics of a chunk are exactly those; a chunk
// without such comments is good. testdata/ok.star can be loaded.
func TestBadScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.star")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for _, chunk := range strings.Split(string(text), "\n---\n") {
			name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimLeft(chunk, "\n"), "# "), "\n")
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) { badChunk(t, path, strings.Repeat("\n", line)+chunk+"\n") })
			line += strings.Count(chunk, "\n") + 2
		}
	}
}

func badChunk(t *testing.T, path, chunk string) {
	root := t.TempDir()
	ok, err := os.ReadFile("testdata/ok.star")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"ok.star": string(ok), filepath.Base(path): chunk} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = host.Eval(context.Background(), filepath.Join(root, filepath.Base(path)), host.Options{Std: std.FS})
	var ds host.Diagnostics
	if err != nil {
		ds = diagnostics(t, err)
	}
	for i, line := range strings.Split(chunk, "\n") {
		for _, want := range strings.Split(line, "### ")[1:] {
			re := regexp.MustCompile(strings.TrimSpace(want))
			found := false
			for j, d := range ds {
				if d.Line == i+1 && d.File == filepath.Base(path) && re.MatchString(d.Error()) {
					ds, found = append(ds[:j:j], ds[j+1:]...), true
					break
				}
			}
			if !found {
				t.Errorf("%s:%d: no diagnostic matches %q", path, i+1, want)
			}
		}
	}
	if len(ds) > 0 {
		t.Errorf("not expected:\n%v", ds)
	}
}
