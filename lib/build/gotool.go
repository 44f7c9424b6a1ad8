package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// passed are the variables of the caller that a build sees: where things are and how modules are fetched. None of
// them changes what is built.
var passed = []string{
	"PATH", "HOME", "USER", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOTMPDIR", "GOROOT", "GOENV", "GOTOOLCHAIN",
	"GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOINSECURE", "GOAUTH", "GOVCS", "NETRC",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"SSH_AUTH_SOCK", "CC", "CXX", "AR", "PKG_CONFIG", "PKG_CONFIG_PATH",
}

// environment returns the variables that are passed, with those of the recipe over them.
func environment(over map[string]string) []string {
	env := map[string]string{"LANG": "C"}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env[name] = v
		}
	}
	maps.Copy(env, over)
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// lookPath finds a program in the caller's PATH, as an absolute path.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("there is no %s in PATH (%s)", name, os.Getenv("PATH"))
	}
	return filepath.Abs(path)
}

// waitDelay is how long a tool that was told to stop may take to clean up.
const waitDelay = 5 * time.Second

// commandError is a tool that failed, with what it printed.
type commandError struct {
	err    error
	stderr string
}

func (e *commandError) Error() string {
	if e.stderr == "" {
		return e.err.Error()
	}
	return e.stderr
}
func (e *commandError) Unwrap() error { return e.err }

// output runs a tool and returns its standard output. A *commandError holds its standard error.
func output(ctx context.Context, dir string, env []string, tool string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, tool, args...)
	c.Dir, c.Env, c.WaitDelay = dir, env, waitDelay
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return stdout.Bytes(), &commandError{err, strings.TrimSpace(stderr.String())}
	}
	return stdout.Bytes(), nil
}

// fetching are the settings of the go tool that say where modules come from and where they are kept.
var fetching = []string{
	"GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN",
	"GOPROXY", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOSUMDB", "GOINSECURE", "GOAUTH", "GOVCS",
}

// settings makes the environment of the build. The user's settings file (go env -w) may hold flags that change a
// binary, so it is read for where modules come from, and then not used.
func (b *builder) settings(ctx context.Context) error {
	out, err := output(ctx, b.dir, append(environment(nil), "PWD="+b.dir), b.goTool, append([]string{"env", "-json", "GOWORK", "GOMOD"}, fetching...)...)
	if err != nil {
		return b.failed("go env", err)
	}
	found := map[string]string{}
	if err := json.Unmarshal(out, &found); err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	env := map[string]string{}
	for _, name := range fetching {
		if v := found[name]; v != "" {
			env[name] = v
		}
	}
	if b.checkedOut != nil {
		if err := b.fence(b.checkedOut, found, env); err != nil {
			return err
		}
	}
	env["GOENV"] = "off"
	maps.Copy(env, b.recipe.Env)
	b.env = append(environment(env), "PWD="+b.dir)
	return nil
}

// tool runs the go tool in the build's folder with the recipe's environment.
func (b *builder) tool(ctx context.Context, args ...string) ([]byte, error) {
	return output(ctx, b.dir, b.env, b.goTool, args...)
}

// listed is a package as the go tool lists it.
type listed struct {
	Dir          string
	ImportPath   string
	Name         string
	TestGoFiles  []string
	XTestGoFiles []string
	Module       *struct{ Path, Dir string }
}

// moduleDir returns the folder of the package's module; without one, the package's own.
func (p *listed) moduleDir() string {
	if p.Module == nil || p.Module.Dir == "" {
		return p.Dir
	}
	return p.Module.Dir
}

// list resolves the recipe's package, which must be one that gives a binary.
func (b *builder) list(ctx context.Context) (*listed, error) {
	if b.recipe.Package == "" || strings.HasPrefix(b.recipe.Package, "-") {
		return nil, b.problem("package %q: want a package as the go tool takes it, \"./cmd/x\" for instance", b.recipe.Package)
	}
	args := slices.Concat([]string{"list", "-buildvcs=false", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles,Module"}, b.tags(), choosing(b.recipe.Flags))
	out, err := b.tool(ctx, append(args, b.recipe.Package)...)
	if err != nil {
		return nil, b.failed("the go tool does not find package "+b.recipe.Package, err)
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) != 1 {
		return nil, b.problem("%s names %d packages; name one", b.recipe.Package, len(pkgs))
	}
	p := &pkgs[0]
	switch {
	case b.recipe.Test && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0:
		return nil, b.problem("package %s has no test files (with these build tags)", p.ImportPath)
	case !b.recipe.Test && p.Name != "main":
		return nil, b.problem("package %s is %q, not \"main\": it gives no binary; go_test() builds its benchmarks", p.ImportPath, p.Name)
	}
	return p, nil
}

func (b *builder) tags() []string {
	if len(b.recipe.Tags) == 0 {
		return nil
	}
	return []string{"-tags=" + strings.Join(b.recipe.Tags, ",")}
}

// choosers are the flags that say which files a package is made of; whether they take a value.
var choosers = map[string]bool{
	"mod": true, "modfile": true, "overlay": true, "tags": true, "compiler": true, "race": false, "msan": false, "asan": false,
}

// choosing returns those of a build's flags that decide which files a package is made of, so that a package is listed
// as it is built. Others are of go build or go test alone.
func choosing(flags []string) []string {
	var out []string
	for i, flag := range flags {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"), "=")
		value, known := choosers[name]
		if !known || !strings.HasPrefix(flag, "-") {
			continue
		}
		out = append(out, flag)
		if value && !joined && i+1 < len(flags) {
			out = append(out, flags[i+1])
		}
	}
	return out
}

// flags returns what the go tool is given beside the package and the output.
func (b *builder) flags() []string {
	args := append([]string{"-trimpath", "-buildvcs=false"}, b.tags()...)
	if p := b.recipe.PGO; p != nil {
		args = append(args, "-pgo="+b.from(p.String()))
	}
	return append(args, b.recipe.Flags...)
}

// compile builds the binary and returns where it is. It is built beside its place and moved there whole.
func (b *builder) compile(ctx context.Context, p *listed) (string, error) {
	if pgo := b.recipe.PGO; pgo != nil {
		if _, err := os.Stat(b.from(pgo.String())); err != nil {
			return "", b.problem("pgo: %v", err)
		}
	}
	outDir, err := filepath.Abs(b.OutDir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(outDir, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(outDir, "building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	verb := []string{"build"}
	if b.recipe.Test {
		verb = []string{"test", "-c"}
	}
	made := filepath.Join(scratch, "binary")
	args := slices.Concat(verb, b.flags(), []string{"-o", made, p.ImportPath})
	if _, err := b.tool(ctx, args...); err != nil {
		return "", b.failed("the build failed", err)
	}
	path := filepath.Join(outDir, b.recipe.Recipe())
	return path, os.Rename(made, path)
}

// failed turns a failure of the go tool into a problem with the tool's own words. A tool that was told to stop is no
// problem of the script.
func (b *builder) failed(what string, err error) error {
	var tool *commandError
	if !errors.As(err, &tool) {
		return err
	}
	const most = 8 << 10
	said := tool.Error()
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return b.problem("%s:\n%s", what, said)
}
