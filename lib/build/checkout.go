package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkout is the files of one commit, in a folder of their own.
//
// They are what git would put into a worktree: modes, links, line endings, encodings and filters (Git LFS) are those
// that the commit's .gitattributes, the repository's info/attributes and the user's configuration ask for; what only
// git archive knows (export-ignore, export-subst) does nothing. It is the whole commit, be the user's tree sparse or
// not. But it is no worktree: git is given the repository's objects, and a folder and an index of ours, so that
// nothing is registered anywhere and a process that is killed at any moment leaves the repository as it was. No hook
// is run. The folder has no .git, which the go tool does not need, since it is told not to ask for a version.
type checkout struct {
	top    string // of the checked-out tree, absolute and without links
	dir    string // the folder in it that corresponds to the recipe's
	commit string
	remove func() error
}

// repository is where a commit's objects are, and where its submodules may be.
type repository struct {
	gitDir string // absolute
	common string // absolute: gitDir, but for a linked worktree
	tree   string // the user's working tree; "" for a bare repository
}

// open finds the repository that dir lies in, and the path of dir in it, which ends with a slash or is empty.
func (g *git) open(ctx context.Context, dir string) (r repository, prefix string, err error) {
	if r.gitDir, err = g.run(ctx, dir, nil, "rev-parse", "--absolute-git-dir"); err != nil {
		return r, "", err
	}
	if r.common, err = g.run(ctx, dir, nil, "rev-parse", "--path-format=absolute", "--git-common-dir"); err != nil {
		return r, "", err
	}
	if prefix, err = g.run(ctx, dir, nil, "rev-parse", "--show-prefix"); err != nil {
		return r, "", err
	}
	if r.tree, err = g.run(ctx, dir, nil, "rev-parse", "--show-toplevel"); err != nil && ctx.Err() == nil {
		r.tree, err = "", nil // it is bare
	}
	return r, prefix, err
}

// checkout checks the recipe's ref out.
func (b *builder) checkout(ctx context.Context) (*checkout, error) {
	dir, ref := b.dir, b.recipe.Ref
	if strings.HasPrefix(ref, "-") {
		return nil, b.problem("ref %q is no git ref", ref)
	}
	repo, prefix, err := b.git.open(ctx, dir)
	if err != nil {
		return nil, b.gitFailed(err, "ref %q: %s is in no git repository that can be read (%s); without ref the working tree is built", ref, dir, firstLine(err))
	}
	commit, err := b.git.run(ctx, dir, nil, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	if err != nil {
		if line := firstLine(err); strings.Contains(line, "ambiguous") { // several commits begin like that
			return nil, b.gitFailed(err, "ref %q: %s", ref, line)
		}
		return nil, b.gitFailed(err, "ref %q: no commit of the repository of %s has this name; git fetch brings those of others", ref, dir)
	}
	f, err := newFolder(b.recipe.Recipe()[:16])
	if err != nil {
		return nil, err
	}
	top := filepath.Join(f.path, "tree")
	c := &checkout{top: top, dir: filepath.Join(top, filepath.FromSlash(prefix)), commit: commit, remove: f.remove}
	user := repo.tree
	if user == "" {
		user = repo.gitDir
	}
	if err = os.Mkdir(top, 0o755); err == nil {
		err = b.place(ctx, &tree{repository: repo, git: b.git, commit: commit, user: user, top: top, scratch: f.path})
	}
	if err == nil {
		if info, serr := os.Stat(c.dir); serr != nil || !info.IsDir() {
			err = b.problem("ref %q: commit %s has no folder %s", ref, commit, strings.TrimSuffix(prefix, "/"))
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return c, nil
}

// tree is a commit that is put into a folder: the recipe's own, or one of its submodules'.
type tree struct {
	repository
	git     *git
	commit  string
	user    string // the user's folder of the recipe's own, for messages
	top     string // the folder that it is put into; empty
	path    string // of a submodule: where it is in the recipe's own, with slashes
	scratch string // a folder for indexes
	index   string // made by read
}

// run runs git with the repository's objects and our folder and index.
func (t *tree) run(ctx context.Context, args ...string) (string, error) {
	env := []string{"GIT_DIR=" + t.gitDir, "GIT_WORK_TREE=" + t.top, "GIT_INDEX_FILE=" + t.index}
	if t.path != "" {
		env = append(env, localOnly...)
	}
	return t.git.run(ctx, t.top, env, args...)
}

// read writes the commit's files. Submodules are left to us: git would move the user's own folders of them to another
// commit, where it is configured to.
func (t *tree) read(ctx context.Context) error {
	index, err := os.MkdirTemp(t.scratch, "index-")
	if err != nil {
		return err
	}
	t.index = filepath.Join(index, "index")
	_, err = t.run(ctx, "read-tree", "--reset", "-u", "--no-sparse-checkout", "--no-recurse-submodules", t.commit)
	return err
}

// place puts a tree and its submodules into its folder.
func (b *builder) place(ctx context.Context, t *tree) error {
	if err := t.read(ctx); err != nil {
		what := fmt.Sprintf("ref %q: commit %s cannot be checked out", b.recipe.Ref, t.commit)
		if t.path != "" {
			what = fmt.Sprintf("ref %q: commit %s of submodule %s cannot be checked out", b.recipe.Ref, t.commit, t.path)
		}
		return b.failed(what, err)
	}
	return b.placeSubmodules(ctx, t)
}

// fence keeps what lies around a checkout out of it: a go.work or go.mod of a folder above it is no part of the
// commit. env is the go tool's, with what it has found as GOWORK and GOMOD.
func (b *builder) fence(c *checkout, found map[string]string, env map[string]string) error {
	inside := func(path string) bool {
		rel, err := filepath.Rel(c.top, path)
		return err == nil && filepath.IsLocal(rel)
	}
	work, mod := found["GOWORK"], found["GOMOD"]
	if _, declared := b.recipe.Env["GOWORK"]; declared || inside(work) {
		return nil
	}
	if work != "" && work != "off" {
		env["GOWORK"] = "off"
	}
	if b.recipe.Env["GO111MODULE"] != "off" && mod != "" && mod != os.DevNull && !inside(mod) {
		return b.problem("ref %q: commit %s has no go.mod in the folder or above it", b.recipe.Ref, c.commit)
	}
	return nil
}

// gitFailed is a problem of what git says, unless git was told to stop.
func (b *builder) gitFailed(err error, format string, args ...any) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return b.problem(format, args...)
}
