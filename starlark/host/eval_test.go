package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// evalText evaluates a script that is given as text, with the standard library.
func evalText(t testing.TB, text string, o host.Options) (*host.Script, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.star")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Std = std.FS
	return host.Eval(context.Background(), path, o)
}

// ignorePlaces compares phases by what they say, not by where they say it.
var ignorePlaces = cmp.Options{
	cmpopts.IgnoreTypes(protocol.Place{}),
	cmpopts.EquateEmpty(),
}

func TestC2(t *testing.T) {
	s, err := host.Eval(context.Background(), "testdata/c2.star", host.Options{Std: std.FS})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Phases) != 1 {
		t.Fatalf("%d phases", len(s.Phases))
	}
	p := s.Phases[0]
	want := protocol.Command{
		Argv: []protocol.Arg{
			{File: "bin/planskip-final"},
			{Text: "-test.bench=^BenchmarkPlanSkip$/^skip=3$/^rows=10$/^method=USE_REMOTE_FETCH$"},
			{Text: "-test.benchtime=3s"},
			{Text: "-test.count=3"},
			{Text: "-test.run=^$"},
			{Text: "-test.benchmem"},
		},
		Format: protocol.FormatGobench,
		Names:  []string{"BenchmarkPlanSkip/skip=3/rows=10/method=USE_REMOTE_FETCH"},
	}
	if d := cmp.Diff(want, p.Cases[2].Commands["final-remote"], ignorePlaces); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]protocol.Contrast{{Arm: "final-remote", Base: "final-ordinary"}}, p.Contrasts); d != "" {
		t.Error(d)
	}
	rows := map[string]float64{"reverse-small-1000": 1000, "reverse-split-1000": 1000, "executor-skip3-small-10": 10, "executor-skip3-small-1000": 997}
	if d := cmp.Diff(rows, p.Metric("rows/op").Equals); d != "" {
		t.Error(d)
	}
	if got := p.Metric("prefix-B").At.String(); got != "c2.star:39:9" {
		t.Errorf("prefix-B at %s", got)
	}
}

func TestFlatFormGivesTheSamePhase(t *testing.T) {
	s, err := host.Eval(context.Background(), "testdata/c2.star", host.Options{Std: std.FS})
	if err != nil {
		t.Fatal(err)
	}
	flat := host.Print(s.Phases[0])
	again, err := evalText(t, string(flat), host.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, flat)
	}
	if d := cmp.Diff(s.Phases[0], again.Phases[0], ignorePlaces); d != "" {
		t.Errorf("%s\n%s", d, flat)
	}
	if d := cmp.Diff(string(flat), string(host.Print(again.Phases[0]))); d != "" {
		t.Error(d)
	}
}

func diagnostics(t testing.TB, err error) host.Diagnostics {
	t.Helper()
	var ds host.Diagnostics
	if !errors.As(err, &ds) {
		t.Fatalf("want Diagnostics, got %v", err)
	}
	return ds
}
