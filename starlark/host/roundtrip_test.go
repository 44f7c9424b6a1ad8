package host_test

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
	"pgregory.net/rapid"
)

// roundTrip holds that the flat form of a phase evaluates to the same phase and prints the same, and returns the
// parameters that it sets to something else than their default.
func roundTrip(t rapid.TB, folder string, want *protocol.Phase) map[string]bool {
	t.Helper()
	flat := host.Print(want)
	path := filepath.Join(folder, "flat.star")
	if err := os.WriteFile(path, flat, 0o666); err != nil {
		t.Fatal(err)
	}
	s, set, err := host.EvalSet(path, std.FS)
	if err != nil {
		t.Fatalf("%v\n%s", err, flat)
	}
	equalBig := cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	if d := cmp.Diff(want, s.Phases[0], ignorePlaces, equalBig); d != "" {
		t.Fatalf("%s\n%s", d, flat)
	}
	if d := cmp.Diff(string(flat), string(host.Print(s.Phases[0]))); d != "" {
		t.Fatal(d)
	}
	return set
}

// TestPrintEvalRoundTrip draws phases, and shrinks one whose flat form is another phase.
func TestPrintEvalRoundTrip(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		want := drawPhase(rt)
		if problems := protocol.Validate(want); len(problems) > 0 {
			rt.Fatalf("the drawn phase is not valid: %v", problems)
		}
		roundTrip(rt, folder, want)
	})
}

// TestRoundTripReachesEveryParameter holds the round trip of 1,000 phases, in which each parameter of the tables is set to
// something else than its default in at least 1%.
func TestRoundTripReachesEveryParameter(t *testing.T) {
	const phases = 1000
	folder := t.TempDir()
	draw := rapid.Custom(drawPhase)
	times := map[string]int{}
	for i := range phases {
		for name := range roundTrip(t, folder, draw.Example(i)) {
			times[name]++
		}
	}
	for _, name := range host.Parameters() {
		if times[name] < phases/100 {
			t.Errorf("%s is set in %d of %d phases; want at least 1%%", name, times[name], phases)
		}
	}
}

// scripts are the examples, and the published phase.
func scripts(t testing.TB) []string {
	t.Helper()
	paths, err := host.FindScripts([]string{"../../examples", "testdata/c2.star"})
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	var phases []string
	for _, p := range paths {
		if name := filepath.Base(p); !strings.HasSuffix(name, "_test.star") && !strings.HasSuffix(name, "_phase.star") && name != "store.star" {
			phases = append(phases, p)
		}
	}
	return phases
}

// TestExamplesRoundTrip holds the flat form of every phase of every example.
func TestExamplesRoundTrip(t *testing.T) {
	for _, path := range scripts(t) {
		s, err := host.Eval(context.Background(), path, host.Options{Std: std.FS})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, p := range s.Phases {
			roundTrip(t, t.TempDir(), p)
		}
	}
}

// TestCommentChangesTheSourceAlone holds that a comment, and the empty line before it, change the digest of the script
// and nothing else.
func TestCommentChangesTheSourceAlone(t *testing.T) {
	for _, path := range scripts(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.star")) // what it loads
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range beside {
			data, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		commented := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(commented, append([]byte("# A comment.\n\n"), text...), 0o666); err != nil {
			t.Fatal(err)
		}
		before, err := host.Eval(context.Background(), path, host.Options{Std: std.FS})
		if err != nil {
			t.Fatal(err)
		}
		after, err := host.Eval(context.Background(), commented, host.Options{Std: std.FS})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range before.Phases {
			if d := cmp.Diff(string(host.Print(p)), string(host.Print(after.Phases[i]))); d != "" {
				t.Errorf("%s: %s", path, d)
			}
		}
		changed := 0
		for i, src := range before.Sources {
			if src.SHA256 != after.Sources[i].SHA256 {
				changed++
			}
		}
		if changed != 1 {
			t.Errorf("%s: %d digests of sources changed, want that of the script alone", path, changed)
		}
	}
}
