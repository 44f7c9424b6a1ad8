package build_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

func TestRefs(t *testing.T) {
	dir, first := repository(t)
	write(t, dir, says("second"))
	second := commitAll(t, dir)
	git(t, dir, "tag", "old", first)
	git(t, dir, "tag", "-a", "-m", "annotated", "noted", first)
	git(t, dir, "branch", "topic/x", first)
	watched(t, dir)
	here := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	digests := map[string]string{second: here.SHA256} // a ref and a clean tree of the same commit give the same bytes
	for _, tt := range []struct{ ref, commit, prints string }{
		{"main", second, "second"},
		{"HEAD", second, "second"},
		{"refs/heads/main", second, "second"},
		{"topic/x", first, "hello"},
		{"old", first, "hello"},
		{"noted", first, "hello"},
		{"HEAD~1", first, "hello"},
		{first[:10], first, "hello"},
		{first, first, "hello"},
	} {
		t.Run(tt.ref, func(t *testing.T) {
			b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: tt.ref}))
			if b.Commit != tt.commit || b.TreeState != build.TreeClean || b.Patch != nil {
				t.Errorf("commit %s, tree %s, a patch of %d bytes; want %s, clean and none", b.Commit, b.TreeState, len(b.Patch), tt.commit)
			}
			if b.Info["ref"] != tt.ref || b.Info["commit"] != tt.commit || b.Info["tree"] != "clean" {
				t.Errorf("info %v", b.Info)
			}
			if got := run(t, b); got != tt.prints {
				t.Errorf("it prints %q, want %q", got, tt.prints)
			}
			if want, ok := digests[tt.commit]; ok && b.SHA256 != want {
				t.Errorf("digest %s, want %s as from the same commit before", b.SHA256, want)
			}
			digests[tt.commit] = b.SHA256
		})
	}
	if digests[first] == digests[second] {
		t.Error("two commits that differ give one digest")
	}
}

// Several refs at once; a test's folder is there until Close, and the binary stays.
func TestRefsTogether(t *testing.T) {
	dir, first := repository(t)
	write(t, dir, says("second"))
	commitAll(t, dir)
	temp := watched(t, dir)
	built, err := build.All(t.Context(), []build.Request{
		request(t, dir, protocol.Build{Package: "./cmd/say", Ref: first}),
		request(t, dir, protocol.Build{Package: ".", Dir: "cmd/say", Ref: "main"}),
		request(t, dir, protocol.Build{Package: "./lib", Ref: first, Test: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, built[0]) + run(t, built[1]); got != "hello"+"second" {
		t.Errorf("they print %q", got)
	}
	if !strings.HasPrefix(built[2].PackageDir, temp) || filepath.Base(built[2].PackageDir) != "lib" {
		t.Errorf("a test of a ref runs in %s, want a folder in %s", built[2].PackageDir, temp)
	}
	for range 2 { // a second Close is fine
		for i := range built {
			if err := built[i].Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if left := names(t, temp); len(left) != 0 {
		t.Errorf("after Close: %q", left)
	}
	run(t, build.Built{Path: built[0].Path})
}

func TestUnknownRefs(t *testing.T) {
	dir, first := repository(t)
	watched(t, dir)
	for _, ref := range []string{"nowhere", "--all", "HEAD:go.mod", "HEAD~7", "0123456789"} {
		fails(t, dir, protocol.Build{Package: "./cmd/say", Ref: ref}, `ref "`+ref+`"`)
	}
	t.Run("a folder that came later", func(t *testing.T) {
		write(t, dir, map[string]string{"later/main.go": "package main\n\nfunc main() {}\n"})
		defer os.RemoveAll(filepath.Join(dir, "later"))
		fails(t, dir, protocol.Build{Package: ".", Dir: "later", Ref: first}, "commit "+first+" has no folder later")
	})
}

func TestRefThatDoesNotCompile(t *testing.T) {
	dir, _ := repository(t)
	write(t, dir, map[string]string{"cmd/say/plain.go": "//go:build !loud\n\npackage main\n\nconst word = undefinedWord\n"})
	commitAll(t, dir)
	write(t, dir, says("mended"))
	commitAll(t, dir)
	watched(t, dir)
	fails(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD~1"}, "the build failed", "plain.go:5:14: undefined: undefinedWord")
	_, err := build.All(t.Context(), []build.Request{
		request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD"}), request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD~1"}),
	})
	var ps protocol.Problems
	if !errors.As(err, &ps) || len(ps) != 1 {
		t.Errorf("got %v, want the one problem", err)
	}
}

// A build that is told to stop while git checks out leaves nothing behind.
func TestStoppedCheckout(t *testing.T) {
	dir, _ := repository(t)
	started := slowFilter(t, dir)
	watched(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		eventually(t, "the filter has not started", started)
	}()
	_, err := build.Build(ctx, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD"}))
	var p protocol.Problem
	if !errors.Is(err, context.Canceled) || errors.As(err, &p) {
		t.Errorf("got %v, want context.Canceled and no problem of the script", err)
	}
}

// The files of a ref are those that git would put into a worktree of that commit, whatever the user's own tree holds.
func TestFilesOfRef(t *testing.T) {
	dir, _ := repository(t)
	write(t, dir, map[string]string{
		"lib/testdata/plain":     "one\ntwo\n",
		"lib/testdata/tool.sh":   "#!/bin/sh\necho ran\n",
		"lib/testdata/dos.txt":   "one\ntwo\n",
		"lib/testdata/notes":     "not in an archive\n",
		"lib/testdata/shouted":   "quiet\n",
		"lib/testdata/café/ü":    "name\n",
		".gitattributes":         "*.txt text eol=crlf\nlib/testdata/notes export-ignore\nshouted filter=shout\n",
		".git/hooks/x":           "",
		"lib/testdata/ignored.o": "not known to git\n",
		".gitignore":             "*.o\n",
	})
	git(t, dir, "config", "filter.shout.smudge", "tr a-z A-Z")
	git(t, dir, "config", "filter.shout.clean", "tr A-Z a-z")
	git(t, dir, "config", "filter.shout.required", "true")
	if err := os.Chmod(filepath.Join(dir, "lib/testdata/tool.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": "plain", "dangling": "no/such/file", "folder": "café"} {
		if err := os.Symlink(to, filepath.Join(dir, "lib/testdata", name)); err != nil {
			t.Fatal(err)
		}
	}
	with := commitAll(t, dir)
	if err := os.Remove(filepath.Join(dir, ".gitattributes")); err != nil {
		t.Fatal(err)
	}
	without := commitAll(t, dir)

	for _, tt := range []struct {
		name, ref, here string // here is the user's own .gitattributes
		dos, shouted    string
	}{
		{"its attributes", with, "", "one\r\ntwo\r\n", "QUIET\n"},
		{"not the user's", without, "*.txt text eol=crlf\nshouted filter=shout\n", "one\ntwo\n", "quiet\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			git(t, dir, "reset", "-q", "--hard", without)
			if tt.here != "" {
				write(t, dir, map[string]string{".gitattributes": tt.here})
			}
			watched(t, dir)
			data := filepath.Join(mustBuild(t, request(t, dir, protocol.Build{Package: "./lib", Test: true, Ref: tt.ref})).PackageDir, "testdata")
			for name, want := range map[string]string{
				"plain": "one\ntwo\n", "link": "one\ntwo\n", "notes": "not in an archive\n", "folder/ü": "name\n", "dos.txt": tt.dos, "shouted": tt.shouted,
			} {
				if got, err := os.ReadFile(filepath.Join(data, name)); err != nil || string(got) != want {
					t.Errorf("%s is %q (%v), want %q", name, got, err, want)
				}
			}
			for name, want := range map[string]string{"link": "plain", "dangling": "no/such/file", "folder": "café"} {
				if got, err := os.Readlink(filepath.Join(data, name)); err != nil || got != want {
					t.Errorf("%s leads to %q (%v), want %q", name, got, err, want)
				}
			}
			for name, want := range map[string]os.FileMode{"plain": 0, "tool.sh": 0o100} {
				if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Mode()&0o100 != want {
					t.Errorf("%s has the mode %v (%v)", name, info.Mode(), err)
				}
			}
			if _, err := os.Lstat(filepath.Join(data, "ignored.o")); !os.IsNotExist(err) {
				t.Errorf("a file that the commit does not have is there: %v", err)
			}
		})
	}
	t.Run("a filter that fails", func(t *testing.T) {
		git(t, dir, "config", "filter.shout.smudge", "no-such-filter")
		watched(t, dir)
		fails(t, dir, protocol.Build{Package: "./lib", Test: true, Ref: with}, "commit "+with+" cannot be checked out", "no-such-filter")
	})
}

// Whatever the user's repository is set up to do at a checkout does not happen, and how it is kept makes no difference.
func TestRepositoriesOfRef(t *testing.T) {
	for _, tt := range []struct {
		name  string
		setup func(t *testing.T, dir string) string // returns the folder to build from
	}{
		{"sparse", func(t *testing.T, dir string) string {
			git(t, dir, "sparse-checkout", "set", "lib")
			return dir
		}},
		{"bare", func(t *testing.T, dir string) string {
			bare := t.TempDir()
			git(t, bare, "clone", "-q", "--bare", dir, ".")
			return bare
		}},
		{"linked worktree", func(t *testing.T, dir string) string {
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, dir, "worktree", "add", "-q", linked)
			return linked
		}},
		{"configuration that writes into it", func(t *testing.T, dir string) string {
			for key, value := range map[string]string{
				"core.splitIndex": "true", "splitIndex.maxPercentChange": "0", "submodule.recurse": "true", "core.untrackedCache": "true",
			} {
				git(t, dir, "config", key, value)
			}
			return dir
		}},
		{"hooks", func(t *testing.T, dir string) string {
			git(t, dir, "config", "core.fsmonitor", filepath.Join(dir, ".git/hooks/fsmonitor"))
			for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction", "fsmonitor"} {
				path := filepath.Join(dir, ".git/hooks", hook)
				write(t, dir, map[string]string{".git/hooks/" + hook: "#!/bin/sh\ntouch \"" + path + ".ran\"\n"})
				if err := os.Chmod(path, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			return dir
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, commit := repository(t)
			from := tt.setup(t, dir)
			watched(t, from)
			b := mustBuild(t, request(t, from, protocol.Build{Package: "./cmd/say", Ref: commit}))
			if got := run(t, b); got != "hello" || b.Commit != commit {
				t.Errorf("it prints %q, from %s", got, b.Commit)
			}
			if _, err := os.Stat(filepath.Join(from, "lib/lib.go")); err != nil {
				return // bare
			}
			write(t, from, map[string]string{"lib/lib.go": "package lib\n\nfunc One() int { return 2 }\n"})
			before := gitState(t, from)
			if b := mustBuild(t, request(t, from, protocol.Build{Package: "./lib", Test: true})); b.TreeState != build.TreeDirty || !strings.Contains(string(b.Patch), "+func One() int { return 2 }\n") {
				t.Errorf("tree %s, patch\n%s", b.TreeState, b.Patch)
			}
			if after := gitState(t, from); after != before {
				t.Errorf("making the patch changed the repository:\n%s", cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
			}
			write(t, from, map[string]string{"lib/lib.go": module["lib/lib.go"]})
		})
	}
}
