package build_test

import (
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
	needsGit(t)
	dir := folder(t)
	git(t, dir, "init", "-q")
	if b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"})); b.TreeState != build.TreeUnknown || b.Info["tree-note"] == "" {
		t.Errorf("tree %s, note %q", b.TreeState, b.Info["tree-note"])
	}
}
