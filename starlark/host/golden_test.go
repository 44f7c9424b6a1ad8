package host_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

var update = flag.Bool("update", false, "write the golden diagnostics")

// TestGoldenDiagnostics holds whole diagnostics: testdata/golden/NAME/NAME.star gives NAME.txt, to the byte.
func TestGoldenDiagnostics(t *testing.T) {
	folders, err := filepath.Glob("testdata/golden/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			_, err := host.Eval(context.Background(), filepath.Join(folder, name+".star"), host.Options{Std: std.FS})
			got := diagnostics(t, err).Error() + "\n"
			golden := filepath.Join(folder, name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Error(d)
			}
		})
	}
}
