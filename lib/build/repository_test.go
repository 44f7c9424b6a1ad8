package build_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

// needsGit skips a test where there is no git, with the reason; in CI there is one (capability git). The
// configuration of whoever runs the tests does not count.
func needsGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must have git (capability git): there is none in PATH")
		}
		t.Skip("there is no git in PATH, and this builds from a repository")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// watched sets a folder of its own for temporary files, and holds the test to leave nothing in it and the repositories
// as they are now: what a user sees, and every file of git's. Call it before anything is built.
func watched(t *testing.T, repositories ...string) (temp string) {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	before := make([]string, len(repositories))
	for i, dir := range repositories {
		before[i] = gitState(t, dir)
	}
	t.Cleanup(func() {
		for i, dir := range repositories {
			if after := gitState(t, dir); after != before[i] {
				t.Errorf("%s is not as it was:\n%s", dir, cmp.Diff(strings.Split(before[i], "\n"), strings.Split(after, "\n")))
			}
		}
		if left := names(t, temp); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return temp
}

// gitState is what a user sees of a repository, and the name, size, mode and time of every file of git's own.
// Of objects, a new one shows by its name.
func gitState(t *testing.T, dir string) string {
	t.Helper()
	var s strings.Builder
	s.WriteString(git(t, dir, "worktree", "list", "--porcelain") + "\n")
	common := git(t, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if git(t, dir, "rev-parse", "--is-bare-repository") == "false" {
		s.WriteString(git(t, dir, "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain", "--ignored") + "\n")
	}
	err := filepath.WalkDir(common, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		when := info.ModTime().UnixNano()
		if strings.HasPrefix(path, filepath.Join(common, "objects")+"/") {
			when = 0 // git refreshes the time of an object that it would have written
		}
		fmt.Fprintln(&s, path, info.Size(), info.Mode(), when)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// commitAll commits everything in dir and returns the commit.
func commitAll(t *testing.T, dir string) string {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "next")
	return git(t, dir, "rev-parse", "HEAD")
}

// says is the module's program with another word.
func says(word string) map[string]string {
	return map[string]string{"cmd/say/plain.go": fmt.Sprintf("//go:build !loud\n\npackage main\n\nconst word = %q\n", word)}
}

// fails builds what must be a problem at the declaration, with these words.
func fails(t *testing.T, dir string, r protocol.Build, want ...string) {
	t.Helper()
	b, err := build.Build(t.Context(), request(t, dir, r))
	if err == nil {
		t.Fatalf("it was built: %+v", b)
	}
	prefix := fmt.Sprintf("p.star:7:12: go_%s %q: ", map[bool]string{true: "test", false: "build"}[r.Test], r.Label())
	if !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("%q is no problem at the declaration, %q", err, prefix)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is missing in:\n%v", w, err)
		}
	}
}
