package build_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

func TestCleanTree(t *testing.T) {
	dir, commit := repository(t)
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	if b.Commit != commit || b.TreeState != build.TreeClean || b.Patch != nil || b.Info["commit"] != commit || b.Info["tree"] != "clean" {
		t.Errorf("commit %s, tree %s, patch %q; want %s, clean and none", b.Commit, b.TreeState, b.Patch, commit)
	}
}

// A dirty tree's patch, applied to its commit, gives the tree again: changed, new, binary and removed files.
func TestDirtyTree(t *testing.T) {
	dir, commit := repository(t)
	write(t, dir, map[string]string{
		"cmd/say/plain.go":  "//go:build !loud\n\npackage main\n\nconst word = \"changed\"\n",
		"new/new.go":        "package new\n",
		"new/bytes":         "\x00\x01\xff",
		"ignored":           "not in the patch",
		".git/info/exclude": "ignored\n",
	})
	if err := os.Remove(filepath.Join(dir, "empty/empty.go")); err != nil {
		t.Fatal(err)
	}
	status := git(t, dir, "status", "--porcelain")
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	if b.Commit != commit || b.TreeState != build.TreeDirty || run(t, b) != "changed" {
		t.Fatalf("commit %s, tree %s", b.Commit, b.TreeState)
	}
	if after := git(t, dir, "status", "--porcelain"); after != status {
		t.Errorf("making the patch changed the repository: %q, then %q", status, after)
	}
	copied := t.TempDir()
	git(t, copied, "clone", "-q", dir, ".")
	apply := exec.Command("git", "apply", "-")
	apply.Dir, apply.Stdin = copied, strings.NewReader(string(b.Patch))
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, b.Patch)
	}
	for _, name := range []string{"cmd/say/plain.go", "new/new.go", "new/bytes"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(copied, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(copied, "empty/empty.go")); !os.IsNotExist(err) {
		t.Errorf("the removed file is there again: %v", err)
	}
	if strings.Contains(string(b.Patch), "not in the patch") {
		t.Error("the patch holds an ignored file")
	}
}

// A large file that git does not know is no source: the patch leaves it out and says so.
func TestLargeUntrackedFile(t *testing.T) {
	dir, _ := repository(t)
	write(t, dir, map[string]string{"results/big": strings.Repeat("x", 9<<20), "lib/lib.go": "package lib\n\nfunc One() int { return 2 }\n"})
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	if b.TreeState != build.TreeDirty || !strings.Contains(string(b.Patch), "return 2") || len(b.Patch) > 10_000 {
		t.Errorf("tree %s, patch of %d bytes", b.TreeState, len(b.Patch))
	}
	if want := "leaves out 1 untracked files of 9437184 bytes"; !strings.Contains(b.Info["tree-note"], want) {
		t.Errorf("note %q, want %q", b.Info["tree-note"], want)
	}
}

func TestRepositoryWithoutCommits(t *testing.T) {
	dir := folder(t)
	git(t, dir, "init", "-q")
	if b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"})); b.TreeState != build.TreeUnknown || b.Info["tree-note"] == "" {
		t.Errorf("tree %s, note %q", b.TreeState, b.Info["tree-note"])
	}
}

func TestRef(t *testing.T) {
	dir, first := repository(t)
	write(t, dir, map[string]string{"cmd/say/plain.go": "//go:build !loud\n\npackage main\n\nconst word = \"second\"\n", ".git/hooks/post-checkout": "#!/bin/sh\ntouch \"$0.ran\"\n"})
	if err := os.Chmod(filepath.Join(dir, ".git/hooks/post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "commit", "-q", "-a", "-m", "two")
	git(t, dir, "tag", "old", first)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)

	here := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	built, err := build.All(t.Context(), []build.Request{
		request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "old"}),
		request(t, dir, protocol.Build{Package: ".", Dir: "cmd/say", Ref: "main"}),
		request(t, dir, protocol.Build{Package: "./lib", Ref: first[:10], Test: true}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, here) + run(t, built[0]) + run(t, built[1]); got != "second"+"hello"+"second" {
		t.Errorf("they print %q", got)
	}
	if b := built[0]; b.Commit != first || b.TreeState != build.TreeClean || b.Info["ref"] != "old" || b.Info["commit"] != first {
		t.Errorf("commit %s, tree %s, info %v", b.Commit, b.TreeState, b.Info)
	}
	if built[1].SHA256 != here.SHA256 {
		t.Error("a ref and a clean tree of the same commit give different bytes")
	}
	if !strings.HasPrefix(built[2].PackageDir, temp) || filepath.Base(built[2].PackageDir) != "lib" {
		t.Errorf("a test of a ref runs in %s, want its worktree", built[2].PackageDir)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git/hooks/post-checkout.ran")); err == nil {
		t.Error("the repository's hook was run")
	}
	for i := range built {
		if err := built[i].Close(); err != nil {
			t.Error(err)
		}
		if err := built[i].Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	}
	if list := git(t, dir, "worktree", "list"); strings.Count(list, "\n") != 0 {
		t.Errorf("worktrees are left:\n%s", list)
	}
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("folders are left: %v", left)
	}
	run(t, build.Built{Path: built[0].Path}) // the binary outlives its worktree
}

func TestUnknownRef(t *testing.T) {
	dir, _ := repository(t)
	for _, ref := range []string{"nowhere", "--all", "HEAD:go.mod"} {
		_, err := build.Build(t.Context(), request(t, dir, protocol.Build{Package: "./cmd/say", Ref: ref}))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("p.star:7:12: go_build %q: ref %q", (&protocol.Build{Package: "./cmd/say", Ref: ref}).Label(), ref)) {
			t.Errorf("%s: got %v", ref, err)
		}
	}
	if list := git(t, dir, "worktree", "list"); strings.Count(list, "\n") != 0 {
		t.Errorf("worktrees are left:\n%s", list)
	}
}

// A worktree that a killed process left is removed by the next build in the repository; one of a living process, and
// one that is not ours, stay.
func TestStaleWorktrees(t *testing.T) {
	dir, _ := repository(t)
	temp := t.TempDir()
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(temp, fmt.Sprintf("phaselock-0123456789abcdef-%d-77", dead.Process.Pid))
	living := filepath.Join(temp, fmt.Sprintf("phaselock-0123456789abcdef-%d-77", os.Getpid()))
	other := filepath.Join(temp, "somebody-elses")
	for _, path := range []string{stale, living, other} {
		git(t, dir, "worktree", "add", "-q", "--detach", path, "HEAD")
	}
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "HEAD"}))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	list := git(t, dir, "worktree", "list")
	if strings.Contains(list, stale) || !strings.Contains(list, living) || !strings.Contains(list, other) {
		t.Errorf("left after a build:\n%s", list)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the stale worktree's folder is there: %v", err)
	}
}
