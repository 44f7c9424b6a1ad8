package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// FuzzEval holds that no script panics: it gives a phase that prints and evaluates again, or diagnostics that lie
// within the file.
func FuzzEval(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*.star")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(seeds, "testdata/c2.star", "testdata/ok.star") {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, chunk := range strings.Split(string(text), "\n---\n") {
			f.Add(chunk)
		}
	}
	ok, err := os.ReadFile("testdata/ok.star")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, script string) {
		root := tree(t, map[string]string{"ok.star": string(ok), "x.star": script})
		s, err := host.Eval(context.Background(), filepath.Join(root, "x.star"), host.Options{Std: std.FS, MaxSteps: 100_000})
		if err != nil {
			var ds host.Diagnostics
			if !errors.As(err, &ds) {
				t.Fatalf("not the script's: %v", err)
			}
			if strings.Contains(ds.Error(), "internal error") {
				t.Fatal(ds)
			}
			for _, d := range ds {
				if d.File == "x.star" && d.Line > strings.Count(script, "\n")+2 {
					t.Fatalf("beyond the file: %v", d)
				}
			}
			return
		}
		for _, p := range s.Phases {
			if _, err := evalText(t, string(host.Print(p)), host.Options{MaxSteps: 1_000_000}); err != nil {
				t.Fatalf("%v\n%s", err, host.Print(p))
			}
		}
	})
}
