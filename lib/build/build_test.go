package build_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

// module is a module of its own with a main package, a library with tests, a tag and a file that does not compile.
var module = map[string]string{
	"go.mod":           "module example.com/m\n\ngo 1.24\n",
	"cmd/say/say.go":   "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(word) }\n",
	"cmd/say/plain.go": "//go:build !loud\n\npackage main\n\nconst word = \"hello\"\n",
	"cmd/say/loud.go":  "//go:build loud\n\npackage main\n\nconst word = \"HELLO\"\n",
	"lib/lib.go":       "package lib\n\nfunc One() int { return 1 }\n",
	"lib/lib_test.go":  "package lib\n\nimport \"testing\"\n\nfunc BenchmarkOne(b *testing.B) { for b.Loop() { One() } }\n",
	"empty/empty.go":   "package empty\n",
	"broken/broken.go": "package main\n\nfunc main() { undefinedName() }\n",
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// folder returns a new folder with the module, outside any repository.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, module)
	return dir
}

// repository returns a new folder with the module, committed, and the commit.
func repository(t *testing.T) (dir, commit string) {
	t.Helper()
	needsGit(t)
	dir = folder(t)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	return dir, git(t, dir, "rev-parse", "HEAD")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

var at = protocol.Place{File: "p.star", Line: 7, Col: 12}

func request(t *testing.T, root string, r protocol.Build) build.Request {
	t.Helper()
	kind := protocol.KindGoBuild
	if r.Test {
		kind = protocol.KindGoTest
	}
	return build.Request{Root: root, OutDir: t.TempDir(), File: protocol.File{Label: r.Label(), Kind: kind, Build: &r, At: at}}
}

func mustBuild(t *testing.T, q build.Request) build.Built {
	t.Helper()
	b, err := build.Build(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func run(t *testing.T, b build.Built, args ...string) string {
	t.Helper()
	c := exec.Command(b.Path, args...)
	c.Dir = b.PackageDir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestSameBytesFromTwoFolders(t *testing.T) {
	for _, r := range []protocol.Build{{Package: "./cmd/say"}, {Package: "./lib", Test: true}} {
		t.Run(r.Package, func(t *testing.T) {
			one, two := folder(t), folder(t)
			a, b := mustBuild(t, request(t, one, r)), mustBuild(t, request(t, two, r))
			if a.SHA256 != b.SHA256 {
				t.Errorf("the folders %s and %s give %s and %s", one, two, a.SHA256, b.SHA256)
			}
			data, err := os.ReadFile(a.Path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != a.SHA256 || int64(len(data)) != a.Size {
				t.Errorf("the binary has %d bytes and digest %x; reported %d, %s", len(data), sum, a.Size, a.SHA256)
			}
			if bytes.Contains(data, []byte(one)) {
				t.Errorf("the binary holds the path %s", one)
			}
			if filepath.Base(a.Path) != r.Recipe() {
				t.Errorf("it is named %s, want the digest of its recipe, %s", filepath.Base(a.Path), r.Recipe())
			}
		})
	}
}

func TestRecipes(t *testing.T) {
	dir := folder(t)
	write(t, dir, map[string]string{"x/default.pgo": ""})
	for _, tt := range []struct {
		name   string
		recipe protocol.Build
		prints string
		info   map[string]string
	}{
		{
			"plain",
			protocol.Build{Package: "./cmd/say"},
			"hello",
			map[string]string{"path": "example.com/m/cmd/say", "module": "example.com/m", "setting -trimpath": "true", "tree": "unknown"},
		},
		{
			"tags",
			protocol.Build{Package: "./cmd/say", Tags: []string{"loud", "unused"}},
			"HELLO",
			map[string]string{"tags": "loud,unused", "setting -tags": "loud,unused"},
		},
		{"dir", protocol.Build{Package: ".", Dir: "cmd/say"}, "hello", map[string]string{"package": "example.com/m/cmd/say"}},
		{"absolute dir", protocol.Build{Package: "example.com/m/cmd/say", Dir: dir}, "hello", nil},
		{
			"environment",
			protocol.Build{Package: "./cmd/say", Env: map[string]string{"GOFLAGS": "-tags=loud", "CGO_ENABLED": "0"}},
			"HELLO",
			map[string]string{"setting CGO_ENABLED": "0", "env GOFLAGS": "-tags=loud"},
		},
		{
			"flags",
			protocol.Build{Package: "./cmd/say", Flags: []string{"-ldflags=-X main.unused=1"}},
			"hello",
			map[string]string{"flags": "-trimpath -buildvcs=false -ldflags=-X main.unused=1"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := mustBuild(t, request(t, dir, tt.recipe))
			if got := run(t, b); got != tt.prints {
				t.Errorf("it prints %q, want %q", got, tt.prints)
			}
			for k, want := range tt.info {
				if b.Info[k] != want {
					t.Errorf("Info[%q] = %q, want %q", k, b.Info[k], want)
				}
			}
			if b.Info["go"] == "" || !strings.HasPrefix(b.Info["toolchain"], "go version "+b.Info["go"]) {
				t.Errorf("made by %q and %q", b.Info["go"], b.Info["toolchain"])
			}
		})
	}
}

// What the caller has set does not reach the build unless the recipe says so.
func TestCallersFlagsDoNotCount(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=loud")
	settings := filepath.Join(t.TempDir(), "env") // as go env -w writes them
	if err := os.WriteFile(settings, []byte("GOFLAGS=-tags=loud\nCGO_ENABLED=0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", settings)
	t.Setenv("GOARCH", "no-such-machine")
	if got := run(t, mustBuild(t, request(t, folder(t), protocol.Build{Package: "./cmd/say"}))); got != "hello" {
		t.Errorf("it prints %q, want hello", got)
	}
}

func TestTestBinaryRunsInItsPackage(t *testing.T) {
	dir := folder(t)
	write(t, dir, map[string]string{
		"lib/testdata/x":   "found",
		"lib/data_test.go": "package lib\n\nimport (\"os\"; \"testing\")\n\nfunc TestData(t *testing.T) { if _, err := os.ReadFile(\"testdata/x\"); err != nil { t.Fatal(err) } }\n",
	})
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./lib", Test: true}))
	if out := run(t, b, "-test.v", "-test.run=TestData"); !strings.Contains(out, "--- PASS: TestData") {
		t.Errorf("in %s: %s", b.PackageDir, out)
	}
}

func TestFailures(t *testing.T) {
	dir := folder(t)
	for _, tt := range []struct {
		name   string
		recipe protocol.Build
		want   []string
	}{
		{"does not compile", protocol.Build{Package: "./broken"}, []string{"the build failed", "broken.go:3:15: undefined: undefinedName"}},
		{"no such package", protocol.Build{Package: "./nowhere"}, []string{"does not find package ./nowhere", "nowhere"}},
		{"no main", protocol.Build{Package: "./lib"}, []string{`package example.com/m/lib is "lib", not "main"`, "go_test()"}},
		{"no tests", protocol.Build{Package: "./empty", Test: true}, []string{"package example.com/m/empty has no test files"}},
		{"several packages", protocol.Build{Package: "./cmd/...", Dir: "."}, nil},
		{"many packages", protocol.Build{Package: "./..."}, []string{"./... names 4 packages; name one"}},
		{"a flag for a package", protocol.Build{Package: "-x"}, []string{`package "-x"`}},
		{"no folder", protocol.Build{Package: ".", Dir: "elsewhere"}, []string{"dir: there is no folder", "elsewhere"}},
		{"no profile", protocol.Build{Package: "./cmd/say", PGO: &protocol.Arg{File: "cpu.pgo"}}, []string{"pgo:", "cpu.pgo"}},
		{"a ref without a repository", protocol.Build{Package: "./cmd/say", Ref: "main"}, []string{`ref "main"`, "is in no git repository", "without ref the working tree is built"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.recipe.Ref != "" {
				needsGit(t)
			}
			b, err := build.Build(t.Context(), request(t, dir, tt.recipe))
			if tt.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var p protocol.Problem
			if !errors.As(err, &p) || p.At.String() != "p.star:7:12" {
				t.Fatalf("got %v (%+v), want a problem at p.star:7:12", err, b)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is missing in:\n%v", want, err)
				}
			}
		})
	}
}

func TestNoGoTool(t *testing.T) {
	dir := folder(t)
	t.Setenv("PATH", t.TempDir())
	_, err := build.Build(t.Context(), request(t, dir, protocol.Build{Package: "./cmd/say"}))
	if err == nil || !strings.Contains(err.Error(), "there is no go in PATH") {
		t.Errorf("got %v", err)
	}
}

func TestNoGit(t *testing.T) {
	dir, _ := repository(t)
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, bin := strings.TrimSpace(string(out)), t.TempDir()
	if err := os.Symlink(filepath.Join(root, "bin", "go"), filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", root)
	t.Setenv("PATH", bin)
	b := mustBuild(t, request(t, dir, protocol.Build{Package: "./cmd/say"}))
	if b.TreeState != build.TreeUnknown || b.Commit != "" || b.Info["tree-note"] != "there is no git in PATH" {
		t.Errorf("tree %q, commit %q, note %q", b.TreeState, b.Commit, b.Info["tree-note"])
	}
}

func TestAll(t *testing.T) {
	dir := folder(t)
	good, loud := protocol.Build{Package: "./cmd/say"}, protocol.Build{Package: "./cmd/say", Tags: []string{"loud"}}
	built, err := build.All(t.Context(), []build.Request{request(t, dir, good), request(t, dir, loud)})
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, built[0]) + run(t, built[1]); got != "helloHELLO" {
		t.Errorf("in the order of the requests they print %q", got)
	}
	_, err = build.All(t.Context(), []build.Request{
		request(t, dir, protocol.Build{Package: "./broken"}), request(t, dir, good), request(t, dir, protocol.Build{Package: "./lib"}),
	})
	var ps protocol.Problems
	if !errors.As(err, &ps) || len(ps) != 2 || !strings.Contains(ps[0].Message, "undefinedName") || !strings.Contains(ps[1].Message, "not \"main\"") {
		t.Errorf("want both problems in order, got %v", err)
	}
	if got, err := build.All(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := folder(t)
	if _, err := build.All(ctx, []build.Request{request(t, dir, protocol.Build{Package: "./cmd/say"})}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	var p protocol.Problem
	if _, err := build.Build(ctx, request(t, dir, protocol.Build{Package: "./cmd/say"})); errors.As(err, &p) {
		t.Errorf("a build that was told to stop is no problem of the script: %v", err)
	}
}
