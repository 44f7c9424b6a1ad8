package build_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

// submodules is a repository whose module uses that of its submodule third_party/dep, which uses that of its own
// submodule inner; dep prints its word and inner's. At old, dep is at another commit and inner at its first, too.
type submodules struct {
	dir, dep, inner string // the repositories, all outside each other
	old, new        string // commits of dir
}

const file = "protocol.file.allow=always" // submodules come from folders of this machine here

func newSubmodules(t *testing.T) submodules {
	t.Helper()
	needsGit(t)
	s := submodules{dir: t.TempDir(), dep: t.TempDir(), inner: t.TempDir()}
	word := func(pkg, w string) string { return "package " + pkg + "\n\nconst Word = \"" + w + "\"\n" }
	for dir, files := range map[string]map[string]string{
		s.inner: {"go.mod": "module example.com/inner\n\ngo 1.24\n", "inner.go": word("inner", "inner-one")},
		s.dep:   {"go.mod": "module example.com/dep\n\ngo 1.24\n", "dep.go": word("dep", "dep-one")},
		s.dir: {
			"go.mod":  "module example.com/m\n\ngo 1.24\n",
			"go.work": "go 1.24\n\nuse (\n\t.\n\t./third_party/dep\n\t./third_party/dep/inner\n)\n",
			"main.go": "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/dep\"\n\t\"example.com/inner\"\n)\n\nfunc main() { fmt.Print(dep.Word, \" \", inner.Word) }\n",
		},
	} {
		write(t, dir, files)
		git(t, dir, "init", "-q", "-b", "main")
	}
	commitAll(t, s.inner)
	git(t, s.dep, "-c", file, "submodule", "--quiet", "add", "--name", "the-inner", s.inner, "inner")
	commitAll(t, s.dep)
	git(t, s.dir, "-c", file, "submodule", "--quiet", "add", s.dep, "third_party/dep")
	git(t, s.dir, "-c", file, "submodule", "--quiet", "update", "--init", "--recursive")
	s.old = commitAll(t, s.dir)

	write(t, s.inner, map[string]string{"inner.go": word("inner", "inner-two")})
	commitAll(t, s.inner)
	git(t, filepath.Join(s.dep, "inner"), "-c", file, "pull", "-q", "origin", "main")
	write(t, s.dep, map[string]string{"dep.go": word("dep", "dep-two")})
	commitAll(t, s.dep)
	git(t, filepath.Join(s.dir, "third_party/dep"), "-c", file, "pull", "-q", "--no-recurse-submodules", "origin", "main")
	git(t, filepath.Join(s.dir, "third_party/dep"), "-c", file, "submodule", "--quiet", "update", "--init")
	s.new = commitAll(t, s.dir)
	return s
}

// Submodules are what the commit records, at every depth, from what the user's checkout has. Their folders are
// neither read, whatever is changed in them, nor moved to another commit.
func TestSubmodules(t *testing.T) {
	s := newSubmodules(t)
	write(t, s.dir, map[string]string{"third_party/dep/dep.go": "package dep\n\nconst Word = \"changed here\"\n"})
	git(t, s.dir, "config", "submodule.recurse", "true")
	watched(t, s.dir)
	digests := map[string]string{}
	for _, tt := range []struct{ ref, prints string }{
		{s.old, "dep-one inner-one"},
		{s.new, "dep-two inner-two"},
	} {
		b := mustBuild(t, request(t, s.dir, protocol.Build{Package: ".", Ref: tt.ref}))
		if got := run(t, b); got != tt.prints {
			t.Errorf("%s prints %q, want %q", tt.ref, got, tt.prints)
		}
		digests[b.SHA256] = tt.ref
	}
	if len(digests) != 2 {
		t.Error("two commits of a submodule give one digest")
	}
}

// The patch of a tree holds another commit of a submodule. What is changed inside of it is in no commit, and the note
// says that the patch leaves it out.
func TestChangedSubmodule(t *testing.T) {
	s := newSubmodules(t)
	dep := filepath.Join(s.dir, "third_party/dep")
	built := func() build.Built { return mustBuild(t, request(t, s.dir, protocol.Build{Package: "."})) }
	if b := built(); b.TreeState != "clean" || b.Info["tree-note"] != "" || run(t, b) != "dep-two inner-two" {
		t.Errorf("tree %s, note %q", b.TreeState, b.Info["tree-note"])
	}
	git(t, dep, "checkout", "-q", "HEAD~1")
	git(t, dep, "submodule", "--quiet", "update")
	old := git(t, dep, "rev-parse", "HEAD")
	if b := built(); b.TreeState != "dirty" || b.Info["tree-note"] != "" || !strings.Contains(string(b.Patch), "+Subproject commit "+old+"\n") {
		t.Errorf("tree %s, note %q, patch\n%s", b.TreeState, b.Info["tree-note"], b.Patch)
	}
	write(t, dep, map[string]string{"dep.go": "package dep\n\nconst Word = \"changed here\"\n"})
	watched(t, s.dir)
	b := built()
	if got := run(t, b); got != "changed here inner-one" {
		t.Errorf("it prints %q", got)
	}
	if want := "the patch leaves out what is changed inside of third_party/dep"; b.TreeState != "dirty" || b.Info["tree-note"] != want {
		t.Errorf("tree %s, note %q, want %q", b.TreeState, b.Info["tree-note"], want)
	}
}

// A submodule need not be in the user's working tree: git keeps its repository when another commit is checked out.
func TestSubmoduleOfAnotherCommit(t *testing.T) {
	s := newSubmodules(t)
	git(t, s.dir, "rm", "-q", "third_party/dep")
	write(t, s.dir, map[string]string{"go.work": "go 1.24\n\nuse .\n", "main.go": "package main\n\nfunc main() {}\n"})
	commitAll(t, s.dir)
	linked := filepath.Join(t.TempDir(), "linked")
	git(t, s.dir, "worktree", "add", "-q", linked)
	watched(t, s.dir)
	for _, dir := range []string{s.dir, linked} {
		if got := run(t, mustBuild(t, request(t, dir, protocol.Build{Package: ".", Ref: s.old}))); got != "dep-one inner-one" {
			t.Errorf("it prints %q", got)
		}
	}
}

// A submodule may have a .git of its own in the working tree, as old versions of git made them, and no name.
func TestSubmoduleWithItsOwnGit(t *testing.T) {
	dir, _ := repository(t)
	dep := filepath.Join(dir, "lib", "testdata", "dep")
	write(t, dep, map[string]string{"file": "of the submodule"})
	git(t, dep, "init", "-q")
	commitAll(t, dep)
	write(t, dir, map[string]string{
		"lib/data_test.go": "package lib\n\nimport (\"os\"; \"testing\")\n\nfunc TestData(t *testing.T) { b, err := os.ReadFile(\"testdata/dep/file\"); t.Log(string(b), err) }\n",
	})
	git(t, dir, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
	commit := commitAll(t, dir)
	for _, tt := range []struct {
		name, want string
		setup      func()
	}{
		{"there", "of the submodule <nil>", func() {}},
		{"not there, as git leaves it", "testdata/dep/file: no such file", func() {
			if err := os.RemoveAll(dep); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.setup()
			watched(t, dir)
			b := mustBuild(t, request(t, dir, protocol.Build{Package: "./lib", Test: true, Ref: commit}))
			if out := run(t, b, "-test.v", "-test.run=TestData"); !strings.Contains(out, tt.want) {
				t.Errorf("%q is missing in %s", tt.want, out)
			}
		})
	}
}

func TestMissingSubmodules(t *testing.T) {
	s := newSubmodules(t)
	for _, tt := range []struct {
		name string
		prep func(dir string) // of a clone
		want []string
	}{
		{"never there", func(string) {}, []string{"submodule third_party/dep is not present in ", "git submodule update --init"}},
		{"nested", func(dir string) {
			git(t, dir, "-c", file, "submodule", "--quiet", "update", "--init")
		}, []string{"submodule third_party/dep/inner is not present in ", "git submodule update --init --recursive"}},
		{"several", func(dir string) {
			git(t, dir, "-c", file, "submodule", "--quiet", "add", s.inner, "another")
			commitAll(t, dir)
			git(t, dir, "submodule", "--quiet", "deinit", "-f", "--all")
			if err := os.RemoveAll(filepath.Join(dir, ".git/modules")); err != nil {
				t.Fatal(err)
			}
		}, []string{"submodules another, third_party/dep are not present in "}},
		{"without the commit", func(dir string) {
			git(t, dir, "-c", file, "submodule", "--quiet", "update", "--init")
			git(t, dir, "update-index", "--cacheinfo", "160000,0123456789012345678901234567890123456789,third_party/dep")
			git(t, dir, "commit", "-q", "-m", "a commit that the submodule does not have")
		}, []string{"submodule third_party/dep lacks the commit 0123456789012345678901234567890123456789", "modules/third_party/dep fetch"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "clone", "-q", s.dir, ".")
			tt.prep(dir)
			watched(t, dir)
			fails(t, dir, protocol.Build{Package: ".", Ref: "HEAD"}, tt.want...)
		})
	}
}
