// Package build makes Go binaries from packages, of the working tree or of a git ref that is checked out into a folder
// of its own, and says exactly what they were made from. Of the repository, only objects are read.
package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/phaselock/phaselock/lib/protocol"
)

// Request is one binary to build.
type Request struct {
	Root   string        // the script's root, absolute: folders and profiles are found from here
	File   protocol.File // of kind go_test or go_build, with its recipe
	OutDir string        // where the binary is put, named by the digest of its recipe
}

// Built is a binary and what it was made from.
type Built struct {
	Path       string            // absolute
	SHA256     string            // lower-case hex
	Size       int64             // bytes
	Info       map[string]string // toolchain, package, flags, build information; commit and tree again, for the ledger
	PackageDir string            // where a test binary must run, since tests read their testdata; valid until Close
	Commit     string            // full; "" where it is not known
	TreeState  string            // TreeClean, TreeDirty or TreeUnknown
	Patch      []byte            // what makes a dirty tree from its commit, for git apply

	close func() error
}

// States of the tree that a binary was built from.
const (
	TreeClean   = "clean"
	TreeDirty   = "dirty"
	TreeUnknown = "unknown" // no git, no repository, or no commit in it
)

// Close removes the folder that a ref was checked out into, if there is one. The binary stays. Closing twice is fine.
func (b *Built) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

// All builds every request, several at once, and returns the binaries in the order of the requests. It fails with
// all the builds that failed, as protocol.Problems at the places of their declarations; nothing is left open then.
func All(ctx context.Context, requests []Request) ([]Built, error) {
	built := make([]Built, len(requests))
	failed := make([]error, len(requests))
	var g errgroup.Group
	g.SetLimit(max(1, runtime.NumCPU()/2)) // the go tool builds in parallel itself
	for i := range requests {
		g.Go(func() error {
			built[i], failed[i] = Build(ctx, requests[i])
			return nil // one that fails stops no other: all mistakes are shown at once
		})
	}
	_ = g.Wait() // its functions return nil
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, closeAll(built))
	}
	var problems protocol.Problems
	for _, err := range failed {
		var p protocol.Problem
		switch {
		case err == nil:
		case errors.As(err, &p):
			problems = append(problems, p)
		default:
			return nil, errors.Join(err, closeAll(built))
		}
	}
	if err := problems.Err(); err != nil {
		if cerr := closeAll(built); cerr != nil {
			return nil, errors.Join(err, cerr)
		}
		return nil, err
	}
	return built, nil
}

func closeAll(built []Built) error {
	var errs []error
	for i := range built {
		errs = append(errs, built[i].Close())
	}
	return errors.Join(errs...)
}

// Build builds one binary: go test -c for a test binary, else go build, with -trimpath -buildvcs=false, so that the
// same sources give the same bytes in every folder. What is wrong with the sources or the recipe is a
// protocol.Problem at the declaration, with the compiler's words.
//
// The environment is PATH, HOME and what the go tool needs to find modules and compilers; what changes the binary
// (GOFLAGS, GOEXPERIMENT, GOAMD64, CGO_ENABLED, …) comes from the recipe alone.
func Build(ctx context.Context, q Request) (_ Built, err error) {
	b := &builder{Request: q, recipe: q.File.Build}
	if b.recipe == nil {
		return Built{}, b.problem("it has no recipe to build it by")
	}
	var out Built
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	b.git = newGit()
	if b.goTool, err = lookPath("go"); err != nil {
		return out, b.problem("%v; install Go, or build the binary yourself and declare it with binary()", err)
	}
	b.dir = b.from(b.recipe.Dir)
	removeStale()
	if b.recipe.Ref != "" {
		if b.checkedOut, err = b.checkout(ctx); err != nil {
			return out, err
		}
		b.dir, out.close = b.checkedOut.dir, b.checkedOut.remove
		out.Commit, out.TreeState = b.checkedOut.commit, TreeClean
	}
	if info, err := os.Stat(b.dir); err != nil || !info.IsDir() {
		return out, b.problem("dir: there is no folder %s", b.dir)
	}
	pkg, err := b.locate(ctx)
	if err != nil {
		return out, err
	}
	out.PackageDir = pkg.Dir
	if b.recipe.Ref == "" {
		out.Commit, out.TreeState, out.Patch, b.treeNote = b.git.state(ctx, pkg.moduleDir())
	}
	if out.Path, err = b.compile(ctx, pkg); err != nil {
		return out, err
	}
	return out, b.describe(ctx, &out, pkg)
}

// builder is one build.
type builder struct {
	Request
	recipe     *protocol.Build
	goTool     string
	git        *git
	checkedOut *checkout // nil for the working tree
	dir        string    // where the go tool runs
	env        []string  // of the go tool
	treeNote   string    // why the tree's state is not known, or what its patch leaves out
}

// problem is something wrong with the build, at its declaration.
func (b *builder) problem(format string, args ...any) error {
	return protocol.Problem{At: b.File.At, What: fmt.Sprintf("%s %q", b.File.Kind, b.File.Label), Message: fmt.Sprintf(format, args...)}
}

// from returns a path, which counts from the root.
func (b *builder) from(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(b.Root, path)
}
