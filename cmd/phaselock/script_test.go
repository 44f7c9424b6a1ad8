package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the real binary on real scripts and looks at files, exit codes and messages.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			for name, path := range map[string]string{"REPLICATE": "../../docs/replicate.py", "EXAMPLES": "../../examples", "DOCS": "../../docs"} {
				abs, err := filepath.Abs(path)
				if err != nil {
					return err
				}
				env.Setenv(name, abs)
			}
			for name, text := range deepScripts {
				if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(text), 0o666); err != nil {
					return err
				}
			}
			if err := writeKeys(env.WorkDir); err != nil {
				return err
			}
			env.Setenv("GOCACHE", goCache())
			stub, err := exec.LookPath("stub")
			if err != nil {
				return err
			}
			return os.Symlink(stub, filepath.Join(env.WorkDir, "stub"))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
		},
		RequireUniqueNames: true,
	})
}

// deepScripts are nested deeper than an archive of texts has room for.
var deepScripts = map[string]string{
	"deep.star":  "x = " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "\n",
	"chain.star": "def f():\n    a = 1\n    return a" + strings.Repeat(".y", 480_000) + "\n",
}

// exits runs a command and holds it to an exit code: exits 3 phaselock run c2.star.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ee *exec.ExitError
	switch {
	case errors.As(err, &ee):
		got = ee.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
