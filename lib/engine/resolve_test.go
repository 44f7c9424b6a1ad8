package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// targets are what the labels of these tests resolved to.
var targets = map[string]engine.Target{
	"tool":      {Path: "/results/q/bin/0a1b"},
	"x.test":    {Path: "/results/q/bin/2c3d", Dir: "/root/pkg"},
	"sh":        {Path: "/results/q/bin/4e5f"},
	"in.bin":    {Path: "/root/in.bin"},
	"parts/*.c": {Matches: []string{"/root/parts/a.c", "/root/parts/b.c"}},
	"one/*.c":   {Matches: []string{"/root/one/a.c"}},
}

// resolver returns a resolver of these runs.
func resolver(pad bool, runs ...plan.Run) *engine.Resolver {
	for i := range runs {
		runs[i].Number = i + 1
	}
	p := &plan.Plan{Phase: &protocol.Phase{Process: protocol.Process{Pad: pad}}, Runs: runs}
	return &engine.Resolver{Plan: p, Root: "/root", Folder: "/results/q", Targets: targets}
}

func resolve(t *testing.T, r *engine.Resolver, run, attempt int) engine.Resolved {
	t.Helper()
	res, err := r.Resolve(&r.Plan.Runs[run-1], attempt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func args(words ...string) (out []protocol.Arg) {
	for _, w := range words {
		a := protocol.Arg{Text: w}
		if label, ok := strings.CutPrefix(w, "file:"); ok {
			a = protocol.Arg{File: label}
		}
		out = append(out, a)
	}
	return out
}

func TestResolve(t *testing.T) {
	file := func(label string) *protocol.Arg { return &protocol.Arg{File: label} }
	for name, c := range map[string]struct {
		run  plan.Run
		want engine.Resolved
	}{
		"a label": {
			plan.Run{Argv: args("file:tool", "-n", "")},
			engine.Resolved{Exec: "/results/q/bin/0a1b", Argv: []string{"tool", "-n", ""}, Dir: "/root"},
		},
		"a program": {
			plan.Run{Argv: args("sh", "-c", "{run}")},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh", "-c", "{run}"}, Dir: "/root"},
		},
		"a test binary runs in its package": {
			plan.Run{Argv: args("file:x.test")},
			engine.Resolved{Exec: "/results/q/bin/2c3d", Argv: []string{"x.test"}, Dir: "/root/pkg"},
		},
		"unless the command says where": {
			plan.Run{Argv: args("file:x.test"), Dir: "sub"},
			engine.Resolved{Exec: "/results/q/bin/2c3d", Argv: []string{"x.test"}, Dir: "/root/sub"},
		},
		"an absolute folder": {
			plan.Run{Argv: args("sh"), Dir: "/var"},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh"}, Dir: "/var"},
		},
		"inputs": {
			plan.Run{Argv: args("sh", "file:in.bin", "file:parts/*.c", "end")},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh", "/root/in.bin", "/root/parts/a.c", "/root/parts/b.c", "end"}, Dir: "/root"},
		},
		"standard input": {
			plan.Run{Argv: args("sh"), Stdin: file("in.bin")},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh"}, Dir: "/root", Stdin: "/root/in.bin"},
		},
		"standard input by its path": {
			plan.Run{Argv: args("sh"), Stdin: &protocol.Arg{Text: "data/x"}},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh"}, Dir: "/root", Stdin: "/root/data/x"},
		},
		"a pattern of one file": {
			plan.Run{Argv: args("sh"), Stdin: file("one/*.c")},
			engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh"}, Dir: "/root", Stdin: "/root/one/a.c"},
		},
		"the run's folder": {plan.Run{Argv: args("sh"), Env: map[string]string{
			"HOME": "{run}", "TMPDIR": "{run}", "PHASELOCK_AUDIT": "{run}/audit", "MINE": "{run}", "A": "", "A1": "=", "LANG": "C",
		}}, engine.Resolved{Exec: "/results/q/bin/4e5f", Argv: []string{"sh"}, Dir: "/root", Env: []string{
			"A=", "A1==", "HOME=/results/q/runs/0001/home", "LANG=C", "MINE={run}", "PHASELOCK_AUDIT=/results/q/runs/0001/audit",
			"TMPDIR=/results/q/runs/0001/home",
		}}},
	} {
		got := resolve(t, resolver(false, c.run), 1, 1)
		c.want.Total = total(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		run  plan.Run
		want string
	}{
		"an unknown program":    {plan.Run{Argv: args("gone")}, `run 1: nothing is known of "gone"`},
		"an unknown file":       {plan.Run{Argv: args("sh", "file:gone")}, `run 1: nothing is known of the file "gone"`},
		"an unknown input":      {plan.Run{Argv: args("sh"), Stdin: &protocol.Arg{File: "gone"}}, `nothing is known of the file "gone"`},
		"several files to read": {plan.Run{Argv: args("sh"), Stdin: &protocol.Arg{File: "parts/*.c"}}, `run 1: standard input is one file, "parts/*.c" matches 2`},
	} {
		for _, pad := range []bool{false, true} {
			r := resolver(pad, c.run)
			_, err := r.Resolve(&r.Plan.Runs[0], 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
		}
	}
	// What is wrong with the other arm of a case is found as well, since it may be the longest.
	r := resolver(true, plan.Run{Case: "c", Arm: "a", Argv: args("sh")}, plan.Run{Case: "c", Arm: "b", Argv: args("gone")})
	if _, err := r.Resolve(&r.Plan.Runs[0], 1); err == nil || !strings.Contains(err.Error(), `run 2: nothing is known of "gone"`) {
		t.Errorf("%v", err)
	}
}

// total counts the bytes in another way than the engine does: what lies between the first byte and the last NUL.
func total(r engine.Resolved) int {
	all := append(append([]string{r.Exec}, r.Argv...), r.Env...)
	return len(strings.Join(all, "\x00")) + 1
}

func TestTotal(t *testing.T) {
	// "/x\0" "x\0" "\0" "A=1\0"
	if got := engine.Total("/x", []string{"x", ""}, []string{"A=1"}); got != 3+2+1+4 {
		t.Errorf("%d", got)
	}
}

func padOf(env []string) (pads []string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, plan.PadEnv+"="); ok {
			pads = append(pads, v)
		}
	}
	return pads
}

// Worked by hand: the arms of case c differ by 3 bytes of path, 4 of argv and 1 of environment.
func TestPadding(t *testing.T) {
	long := plan.Run{Case: "c", Arm: "long", Argv: args("sh", "12345"), Env: map[string]string{"A": "22"}}
	short := plan.Run{Case: "c", Arm: "short", Argv: args("file:tool", "1"), Env: map[string]string{"A": "1"}}
	other := plan.Run{Case: "other", Arm: "long", Argv: args("sh", strings.Repeat("x", 1000))}
	r := resolver(true, long, short, other)
	a, b, c := resolve(t, r, 1, 1), resolve(t, r, 2, 1), resolve(t, r, 3, 1)
	// Paths have one length; "sh" and "12345" are 7 bytes, "tool" and "1" are 5; "22" is one longer than "1".
	if got := []string{strings.Join(padOf(a.Env), "|"), strings.Join(padOf(b.Env), "|"), strings.Join(padOf(c.Env), "|")}; !slices.Equal(got, []string{"", "xxx", ""}) {
		t.Errorf("pads %q", got)
	}
	if len(padOf(a.Env)) != 1 || a.Total != b.Total || a.Total != total(a) || b.Total != total(b) {
		t.Errorf("totals %d and %d, counted %d and %d", a.Total, b.Total, total(a), total(b))
	}
	r = resolver(false, long, short)
	if a, b := resolve(t, r, 1, 1), resolve(t, r, 2, 1); a.Total == b.Total || padOf(a.Env) != nil || padOf(b.Env) != nil {
		t.Errorf("without padding: %q and %q", a.Env, b.Env)
	}
}

// Whatever arms differ in, all runs of a case have one total, the longest has no padding, and no name is out of order. First and second
// attempts have one total too: the ".2" of a second one's folder is in HOME and in TMPDIR.
func TestPaddingMakesTotalsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"A", "A1", "A_", "PHASELOCK_PA", "PHASELOCK_PAD1", "PHASELOCK_PADS", "Z"})
		words := rapid.StringMatching(`[a-zé ]{0,12}`)
		var runs []plan.Run
		arms := rapid.IntRange(1, 4).Draw(t, "arms")
		for a := range arms {
			run := plan.Run{
				Case: "c", Arm: fmt.Sprint("arm", a), Env: rapid.MapOf(names, words).Draw(t, "env"),
				Argv: append(args(rapid.SampledFrom([]string{"sh", "file:tool", "file:x.test"}).Draw(t, "program")),
					args(rapid.SliceOfN(words, 0, 3).Draw(t, "argv")...)...),
			}
			run.Env["HOME"], run.Env["TMPDIR"] = "{run}", "{run}"
			runs = append(runs, run, run) // each arm twice
		}
		r := resolver(true, runs...)
		first := 0
		for _, attempt := range []int{1, 2, 10} {
			longest, unpadded := 0, false
			least := map[int]string{1: "xxxx"}[attempt]
			for i := range r.Plan.Runs {
				res, err := r.Resolve(&r.Plan.Runs[i], attempt)
				if err != nil {
					t.Fatal(err)
				}
				if longest == 0 {
					longest = res.Total
				}
				pads := padOf(res.Env)
				if len(pads) != 1 || res.Total != longest || res.Total != total(res) {
					t.Fatalf("run %d: %d pads, total %d, counted %d, the first has %d", i+1, len(pads), res.Total, total(res), longest)
				}
				unpadded = unpadded || pads[0] == least
				var order []string
				for _, kv := range res.Env {
					name, _, _ := strings.Cut(kv, "=")
					order = append(order, name)
				}
				if !slices.IsSorted(order) {
					t.Fatalf("run %d: environment %q", i+1, order)
				}
			}
			if !unpadded {
				t.Fatalf("attempt %d: every arm is padded, so more than is needed", attempt)
			}
			if first = max(first, longest); attempt == 2 && longest != first {
				t.Fatalf("a second attempt has %d bytes, the first had %d", longest, first)
			}
		}
	})
}

func TestRunName(t *testing.T) {
	for _, c := range []struct {
		runs, number, attempt int
		want                  string
	}{
		{1, 1, 1, "0001"},
		{48, 48, 1, "0048"},
		{48, 7, 2, "0007.2"},
		{48, 7, 12, "0007.12"},
		{9_999, 1, 1, "0001"},
		{9_999, 9_999, 1, "9999"},
		{9_999, 9_999, 2, "9999.2"},
		{10_000, 1, 1, "00001"},
		{10_000, 10_000, 1, "10000"},
		{10_000, 9_999, 3, "09999.3"},
		{1_000_000, 1, 1, "0000001"},
	} {
		if got := engine.RunName(c.runs, c.number, c.attempt); got != c.want {
			t.Errorf("run %d of %d, attempt %d: %s, want %s", c.number, c.runs, c.attempt, got, c.want)
		}
	}
}

// The folders of a phase's runs, and so the paths in their environments, have one length, in small phases and large ones.
func TestRunFoldersHaveOneLength(t *testing.T) {
	for _, n := range []int{9_999, 10_000} {
		r := resolver(true, make([]plan.Run, n)...)
		want := len(r.RunDir(1, 1))
		for _, number := range []int{9, 10, 999, 1000, n} {
			if got := len(r.RunDir(number, 1)); got != want {
				t.Errorf("of %d: the folder of run %d has %d bytes, that of run 1 %d", n, number, got, want)
			}
		}
	}
	r := resolver(false, plan.Run{Argv: args("sh"), Env: map[string]string{"HOME": "{run}"}})
	if got := resolve(t, r, 1, 2).Env; !slices.Equal(got, []string{"HOME=/results/q/runs/0001.2/home"}) {
		t.Errorf("a second attempt has %q", got)
	}
}
