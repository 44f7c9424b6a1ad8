package build_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/phaselock/phaselock/lib/protocol"
)

// vendored is a module that uses another, which only its vendor folder has.
func vendored(word string) map[string]string {
	return map[string]string{
		"go.mod":                         "module example.com/m\n\ngo 1.24\n\nrequire example.com/absent v1.0.0\n",
		"vendor/modules.txt":             "# example.com/absent v1.0.0\n## explicit; go 1.24\nexample.com/absent\n",
		"vendor/example.com/absent/a.go": "package absent\n\nconst Word = \"" + word + "\"\n",
		"main.go":                        "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/absent\"\n)\n\nfunc main() { fmt.Println(absent.Word) }\n",
	}
}

// empty returns a new repository without commits.
func empty(t *testing.T) string {
	t.Helper()
	needsGit(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	return dir
}

func TestVendoredModuleOfRef(t *testing.T) {
	dir := empty(t)
	write(t, dir, vendored("one"))
	first := commitAll(t, dir)
	write(t, dir, vendored("two"))
	second := commitAll(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "vendor")); err != nil { // the user's tree has none
		t.Fatal(err)
	}
	watched(t, dir)
	for _, recipe := range []protocol.Build{
		{Package: "."},
		{Package: ".", Env: map[string]string{"GOFLAGS": "-mod=vendor"}},
		{Package: ".", Flags: []string{"-mod=vendor"}},
		{Package: ".", Flags: []string{"-mod", "vendor", "-ldflags", "-w"}, Env: map[string]string{"GOFLAGS": "-mod=readonly"}},
	} {
		for ref, want := range map[string]string{first: "one", second: "two"} {
			recipe.Ref = ref
			if got := run(t, mustBuild(t, request(t, dir, recipe))); got != want {
				t.Errorf("%+v prints %q, want %q", recipe, got, want)
			}
		}
	}
}

// workspace is a module a that uses module b through go.work.
func workspace(word string) map[string]string {
	return map[string]string{
		"go.work":  "go 1.24\n\nuse (\n\t./a\n\t./b\n)\n",
		"a/go.mod": "module example.com/a\n\ngo 1.24\n",
		"a/a.go":   "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/b\"\n)\n\nfunc main() { fmt.Println(b.Word) }\n",
		"b/go.mod": "module example.com/b\n\ngo 1.24\n",
		"b/b.go":   "package b\n\nconst Word = \"" + word + "\"\n",
	}
}

func TestWorkspaceOfRef(t *testing.T) {
	dir := empty(t)
	write(t, dir, workspace("one"))
	first := commitAll(t, dir)
	write(t, dir, workspace("two"))
	commitAll(t, dir)
	watched(t, dir)
	for _, tt := range []struct{ pkg, dir, ref, want string }{
		{"./a", "", first, "one"},
		{".", "a", "main", "two"},
		{"example.com/a", "b", first, "one"},
	} {
		if got := run(t, mustBuild(t, request(t, dir, protocol.Build{Package: tt.pkg, Dir: tt.dir, Ref: tt.ref}))); got != tt.want {
			t.Errorf("%+v prints %q", tt, got)
		}
	}
	fails(t, dir, protocol.Build{Package: ".", Dir: "a", Ref: "main", Env: map[string]string{"GOWORK": "off"}}, "example.com/b")
}

// What lies around the place of the checkout is no part of the commit.
func TestAroundTheCheckout(t *testing.T) {
	dir, _ := repository(t)
	write(t, dir, map[string]string{"alone/main.go": "package main\n\nfunc main() {}\n"})
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "tag", "with", "HEAD")
	without := commitAll(t, dir)
	around := t.TempDir()
	write(t, around, map[string]string{
		"go.work": "go 1.24\n\nuse ./elsewhere\n", "elsewhere/go.mod": "module example.com/elsewhere\n\ngo 1.24\n",
		"go.mod": "module example.com/around\n\ngo 1.24\n",
	})
	temp := filepath.Join(around, "temp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	if got := run(t, mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say", Ref: "with"}))); got != "hello" {
		t.Errorf("it prints %q", got)
	}
	fails(t, dir, protocol.Build{Package: "./alone", Ref: without}, "commit "+without+" has no go.mod in the folder or above it")
}
