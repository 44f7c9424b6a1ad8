package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// git runs git. Without one, trees are of unknown state and refs cannot be built.
type git struct {
	tool string // "" where there is none
	env  []string
}

func newGit() *git {
	g := &git{env: append(environment(nil), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")}
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GIT_CONFIG_") { // safe.directory and the like; GIT_DIR of a hook must not be seen
			g.env = append(g.env, kv)
		}
	}
	g.tool, _ = lookPath("git") // state and checkout say that there is none
	return g
}

var errNoGit = errors.New("there is no git in PATH")

func (g *git) run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	if g.tool == "" {
		return "", errNoGit
	}
	out, err := output(ctx, dir, append(g.env, env...), g.tool, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// maxPatch bounds the untracked files that a patch holds: a folder of results is no source.
const maxPatch = 8 << 20

// state returns the commit of the tree that dir lies in, whether dir differs from it (untracked files that are not
// ignored count), and the patch that makes the difference. note says why the state is not known, or what the patch
// leaves out.
func (g *git) state(ctx context.Context, dir string) (commit, state string, patch []byte, note string) {
	commit, err := g.run(ctx, dir, nil, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", TreeUnknown, nil, firstLine(err)
	}
	status, err := g.run(ctx, dir, nil, "status", "--porcelain", "--untracked-files=normal", "--", ".")
	if err != nil {
		return commit, TreeUnknown, nil, firstLine(err)
	}
	if status == "" {
		return commit, TreeClean, nil, ""
	}
	patch, note, err = g.patch(ctx, dir)
	if err != nil {
		return commit, TreeDirty, nil, "no patch: " + firstLine(err)
	}
	return commit, TreeDirty, patch, note
}

// patch returns the difference between HEAD and the files in dir, new ones included. It works in an index and an
// object folder of its own: the repository is only read.
func (g *git) patch(ctx context.Context, dir string) (patch []byte, note string, err error) {
	f, err := newFolder("patch")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, f.remove()) }()
	scratch := f.path
	objects, err := g.run(ctx, dir, nil, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return nil, "", err
	}
	env := []string{
		"GIT_INDEX_FILE=" + filepath.Join(scratch, "index"),
		"GIT_OBJECT_DIRECTORY=" + filepath.Join(scratch, "objects"),
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects,
	}
	if err := os.Mkdir(filepath.Join(scratch, "objects"), 0o755); err != nil {
		return nil, "", err
	}
	add := "--all"
	if n, size, err := g.untracked(ctx, dir); err != nil {
		return nil, "", err
	} else if size > maxPatch {
		add, note = "--update", fmt.Sprintf("the patch leaves out %d untracked files of %d bytes", n, size)
	}
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"add", add, "--", "."}} {
		if _, err := g.run(ctx, dir, env, args...); err != nil {
			return nil, "", err
		}
	}
	out, err := g.run(ctx, dir, env, "diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD", "--", ".")
	if err != nil || out == "" {
		return nil, note, err
	}
	return []byte(out + "\n"), note, nil
}

// untracked counts the files in dir that git neither knows nor ignores.
func (g *git) untracked(ctx context.Context, dir string) (n int, size int64, err error) {
	out, err := g.run(ctx, dir, nil, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	if err != nil {
		return 0, 0, err
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if name == "" {
			continue
		}
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			return 0, 0, err
		}
		n++
		size += info.Size()
	}
	return n, size, nil
}

// firstLine returns the first line of what a tool said.
func firstLine(err error) string {
	line, _, _ := bytes.Cut([]byte(err.Error()), []byte("\n"))
	return string(line)
}
