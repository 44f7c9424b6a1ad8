package campaign

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// planOf returns a plan of one run with this argv and these files; declarations stand on lines 1 (the command) and 2 (files).
func planOf(files []protocol.File, argv ...protocol.Arg) *plan.Plan {
	for i := range files {
		files[i].At = protocol.Place{File: "p.star", Line: 2, Col: 1}
	}
	command := protocol.Command{Argv: argv, At: protocol.Place{File: "p.star", Line: 1, Col: 1}}
	return &plan.Plan{
		Phase: &protocol.Phase{
			Files: files, Arms: []protocol.Arm{{Name: "a"}},
			Cases: []protocol.Case{{Name: "c", Commands: map[string]protocol.Command{"a": command}}},
		},
		Runs: []plan.Run{{Number: 1, Case: "c", Arm: "a", Argv: argv}, {Number: 2, Case: "c", Arm: "a", Argv: argv}},
	}
}

func text(s string) protocol.Arg  { return protocol.Arg{Text: s} }
func label(s string) protocol.Arg { return protocol.Arg{File: s} }
func binary(label string) []protocol.File {
	return []protocol.File{{Label: label, Kind: protocol.KindBinary}}
}

// root is a folder with something of everything that a phase can name.
func root(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, f := range map[string]struct {
		content string
		mode    os.FileMode
	}{
		"tool": {"#!/bin/sh\n", 0o755}, "env": {"#!/usr/bin/env -S sh -e\n", 0o755}, "plain": {"#!/bin/sh\n", 0o644}, "bad": {"#!\n", 0o755},
		"lost": {"#!/nowhere/sh\n", 0o755}, "in/a.txt": {"a", 0o644}, "in/b.txt": {"b", 0o644},
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.content), f.mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// emptyFolder is a result folder before anything is in it.
func emptyFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func digestOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// says reports whether an error's message has all parts of a text, which an ellipsis separates.
func says(err error, want string) bool {
	for part := range strings.SplitSeq(want, "…") {
		if !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return true
}

func TestFindRefuses(t *testing.T) {
	dir := root(t)
	for name, c := range map[string]struct {
		plan *plan.Plan
		code int
		want string
	}{
		"a program that is nowhere": {
			planOf(nil, text("no-such-program")), ExitUsage,
			`p.star:1:1: command of arm "a" in case "c": no program "no-such-program" in /usr/local/bin:/usr/bin:/bin`,
		},
		"a path that is nowhere":   {planOf(nil, text("./gone")), ExitUsage, `p.star:1:1: program "./gone": …` + filepath.Join(dir, "gone") + ": no such file"},
		"a binary that is nowhere": {planOf(binary("gone"), label("gone")), ExitUsage, `p.star:2:1: binary "gone": …` + filepath.Join(dir, "gone") + ": no such file"},
		"a folder":                 {planOf(binary("in"), label("in")), ExitUsage, `p.star:2:1: binary "in": ` + filepath.Join(dir, "in") + " is no regular file"},
		"not executable":           {planOf(binary("plain"), label("plain")), ExitUsage, `p.star:2:1: binary "plain": it is not executable (chmod +x)`},
		"a path not executable":    {planOf(nil, text("./plain")), ExitUsage, `p.star:1:1: program "./plain": it is not executable (chmod +x)`},
		"another digest": {
			planOf([]protocol.File{{Label: "in/a.txt", Kind: protocol.KindInput, SHA256: digestOf("b")}}, text("sh")), ExitInvalid,
			`p.star:2:1: input "in/a.txt": its SHA-256 is ` + digestOf("a") + ", the script declares " + digestOf("b"),
		},
		"a pattern without files": {
			planOf([]protocol.File{{Label: "in/*.csv", Kind: protocol.KindInput}}, text("sh")), ExitUsage,
			`p.star:2:1: input "in/*.csv": no file in …matches`,
		},
		"a pattern with a digest": {
			planOf([]protocol.File{{Label: "in/*.txt", Kind: protocol.KindInput, SHA256: digestOf("a")}}, text("sh")), ExitUsage,
			`input "in/*.txt": a digest is of one file, and this is a pattern`,
		},
		"a script without interpreter":       {planOf(binary("bad"), label("bad")), ExitUsage, "its #! line names no interpreter"},
		"a script whose interpreter is gone": {planOf(binary("lost"), label("lost")), ExitUsage, "/nowhere"},
	} {
		_, cleanup, err := find(context.Background(), c.plan, dir, t.TempDir())
		cleanup()
		if err == nil || !says(err, c.want) || Code(err) != c.code {
			t.Errorf("%s: exit %d, %v; want exit %d, %s", name, Code(err), err, c.code, c.want)
		}
	}
}

// All that is missing is said at once.
func TestFindNamesEveryMissingFile(t *testing.T) {
	files := append(binary("gone"), protocol.File{Label: "in/c.txt", Kind: protocol.KindInput}, protocol.File{Label: "plain", Kind: protocol.KindBinary})
	_, cleanup, err := find(context.Background(), planOf(files, label("gone")), root(t), t.TempDir())
	cleanup()
	for _, want := range []string{`binary "gone"`, `input "in/c.txt"`, `binary "plain": it is not executable`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
}

func TestFind(t *testing.T) {
	dir := root(t)
	sh, err := seal.Program("sh", plan.FixedPath)
	if err != nil {
		t.Fatal(err)
	}
	inputs := []protocol.File{{Label: "in/*.txt", Kind: protocol.KindInput}, {Label: "in/a.txt", Kind: protocol.KindInput, SHA256: digestOf("a")}}
	for name, c := range map[string]struct {
		plan *plan.Plan
		want []string // "kind name source", "of user" where it is an interpreter; what is copied has a star
	}{
		"a program of the PATH, once": {planOf(nil, text("sh")), []string{"program sh " + sh + " *"}},
		"a path, with its interpreter": {planOf(nil, text("./tool")), []string{
			"program ./tool " + filepath.Join(dir, "tool") + " *",
			"interpreter " + sh + " " + sh + " of ./tool",
		}},
		"an absolute path": {planOf(nil, text(sh)), []string{"program " + sh + " " + sh + " *"}},
		"a script behind env": {planOf(binary("env"), label("env")), []string{
			"binary env " + filepath.Join(dir, "env") + " *",
			"interpreter " + sh + " " + sh + " of env",
		}},
		"inputs": {planOf(inputs, text(sh)), []string{
			"input in/a.txt " + filepath.Join(dir, "in/a.txt"), "input in/b.txt " + filepath.Join(dir, "in/b.txt"),
			"input in/a.txt " + filepath.Join(dir, "in/a.txt"), "program " + sh + " " + sh + " *",
		}},
	} {
		files, cleanup, err := find(context.Background(), c.plan, dir, t.TempDir())
		cleanup()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, f := range files {
			s := f.kind + " " + f.name + " " + f.source
			if f.user != "" {
				s += " of " + f.user
			}
			if f.copied {
				s += " *"
			}
			got = append(got, s)
			if digest, size, err := seal.Digest(f.source); err != nil || f.pin.SHA256 != digest || f.pin.Size != size || f.pin.Label != f.name || f.pin.Kind != f.kind {
				t.Errorf("%s: %s is pinned as %+v", name, f.name, f.pin)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// What is executed is a private copy named by its digest; an input and an interpreter stay where they are.
func TestInstall(t *testing.T) {
	dir, folder := root(t), emptyFolder(t)
	files := append(binary("tool"), protocol.File{Label: "in/*.txt", Kind: protocol.KindInput})
	found, cleanup, err := find(context.Background(), planOf(files, label("tool")), dir, t.TempDir())
	cleanup()
	if err != nil {
		t.Fatal(err)
	}
	in, pinned, err := install(found, folder)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join("bin", digestOf("#!/bin/sh\n"))
	if got := in.targets["tool"].Path; got != filepath.Join(folder, copied) {
		t.Errorf("tool runs as %s", got)
	}
	if d := cmp.Diff([]string{filepath.Join(dir, "in/a.txt"), filepath.Join(dir, "in/b.txt")}, in.targets["in/*.txt"].Matches); d != "" {
		t.Error(d)
	}
	if len(in.pins["tool"]) != 2 || len(in.pins["in/*.txt"]) != 2 {
		t.Errorf("tool has %d pins, the pattern %d; want itself and its interpreter, and two files", len(in.pins["tool"]), len(in.pins["in/*.txt"]))
	}
	cache := seal.NewCache()
	for _, ps := range in.pins {
		for _, pin := range ps {
			if err := cache.Verify(pin); err != nil {
				t.Error(err)
			}
		}
	}
	for _, f := range pinned {
		if got, want := f.Path == copied, f.Label == "tool"; got != want {
			t.Errorf("%s lies at %s", f.Label, f.Path)
		}
	}
}

// A file that changes between its hashing and its copying is noticed.
func TestInstallNoticesAChange(t *testing.T) {
	dir, folder := root(t), emptyFolder(t)
	found, cleanup, err := find(context.Background(), planOf(binary("tool"), label("tool")), dir, t.TempDir())
	cleanup()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh -e\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err = install(found, folder)
	if err == nil || !strings.Contains(err.Error(), "tool changed while it was copied") || Code(err) != ExitInvalid {
		t.Errorf("exit %d, %v", Code(err), err)
	}
}
