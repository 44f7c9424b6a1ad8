//go:build unix

package host_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/starlark/host"
)

// TestPipesAreNotWaitedFor loads a pipe to which nobody writes.
func TestPipesAreNotWaitedFor(t *testing.T) {
	root := tree(t, map[string]string{"x.star": "load(\":pipe.star\", \"a\")\n", "y.star": "load(\":dir\", \"a\")\n", "dir/z.star": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.star"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"x.star":    "x.star:1:6: load: //pipe.star: is no regular file",
		"y.star":    "y.star:1:6: load: //dir: is no regular file",
		"pipe.star": "pipe.star: //pipe.star: is no regular file",
	} {
		_, err := host.Eval(context.Background(), filepath.Join(root, name), host.Options{})
		if ds := diagnostics(t, err); !strings.HasPrefix(ds[0].Error(), want) {
			t.Errorf("%s: %v", name, ds)
		}
	}
}
