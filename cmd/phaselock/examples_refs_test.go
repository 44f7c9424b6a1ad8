package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/campaign"
)

const makeRepo = "examples/refs/make_repo.sh"

// madeRepo makes the repository of refs.star in a new folder, and looks afterwards whether it is as it was.
func madeRepo(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	c := exec.Command(makeRepo, dir)
	c.Dir = projectRoot
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%s: %v\n%s", makeRepo, err, out)
	}
	before := gitState(t, dir)
	if want := "d36382c82b641bad63a823d6b593051f6f8745b0 before\ne9b8e3ffb3c93d9448f91e5abd8097c9775fecf5 after\n"; !strings.HasPrefix(before, want) {
		t.Errorf("the repository is %s, want the commits %s", before, want)
	}
	t.Cleanup(func() {
		if after := gitState(t, dir); after != before {
			t.Errorf("the repository was\n%s\nand is\n%s", before, after)
		}
	})
	return dir
}

// gitState is what a user sees of a repository: its commits, its worktrees, what is changed.
func gitState(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, args := range [][]string{
		{"for-each-ref", "--sort=creatordate", "--format=%(objectname) %(refname:short)", "refs/tags"},
		{"worktree", "list", "--porcelain"},
		{"status", "--porcelain", "--ignored"},
	} {
		c := exec.Command("git", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
		all.Write(out)
	}
	return all.String()
}

// What is missing is said with the way out, and nothing is measured.
func TestExampleRefsWithoutRepositoryOrGit(t *testing.T) {
	needs(t, "git")
	repo := madeRepo(t)
	again := exec.Command(makeRepo, repo)
	again.Dir = projectRoot
	if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "is there already; remove it to make it again") {
		t.Errorf("%s a second time: %v\n%s", makeRepo, err, out)
	}
	bare := withoutGit(t)
	for _, tt := range []struct {
		name, path, repo string
		want             []string
	}{
		{"no repository", os.Getenv("PATH"), filepath.Join(t.TempDir(), "nowhere"), []string{"refs.star:", "nowhere", makeRepo}},
		{"no git", bare, repo, []string{"refs.star:", "there is no git in PATH"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			phaselock, err := exec.LookPath("phaselock")
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "out")
			c := exec.Command(phaselock, "run", "examples/refs.star", "--set", "quick=true", "--set", "repo="+tt.repo, "--out", out)
			c.Dir, c.Env = projectRoot, append(os.Environ(), "PATH="+tt.path)
			said, _ := c.CombinedOutput()
			if got := c.ProcessState.ExitCode(); got != campaign.ExitUsage {
				t.Fatalf("exit code %d, want %d\n%s", got, campaign.ExitUsage, said)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(said), want) {
					t.Errorf("%q is missing in:\n%s", want, said)
				}
			}
			if runs, _ := filepath.Glob(filepath.Join(out, "runs", "*")); len(runs) > 0 {
				t.Errorf("it has run: %q", runs)
			}
		})
	}
	t.Run("make_repo.sh without git", func(t *testing.T) {
		c := exec.Command(makeRepo, filepath.Join(t.TempDir(), "repo"))
		c.Dir, c.Env = projectRoot, append(os.Environ(), "PATH="+bare)
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "there is no git in PATH, and refs.star compares two git commits; install git") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// withoutGit returns a PATH that has the go tool and no git.
func withoutGit(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go", "dirname"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
