package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// private is configuration of every git that is run, by which it touches no more than what it is told to: no hooks; no
// file system monitor, which is a program or a daemon, and may know less than the files; no split index, whose shared
// part is kept in the repository.
var private = []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false"}

func (g *git) run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	if g.tool == "" {
		return "", errNoGit
	}
	out, err := output(ctx, dir, append(slices.Clip(g.env), env...), g.tool, slices.Concat(private, args)...)
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
	if changed, err := g.changedSubmodules(ctx, dir); err != nil {
		note = join(note, "whether submodules are changed is not known: "+firstLine(err))
	} else if len(changed) > 0 {
		note = join(note, "the patch leaves out what is changed inside of "+strings.Join(changed, ", "))
	}
	return commit, TreeDirty, patch, note
}

// changedSubmodules returns the submodules in dir whose own files differ from their commit. A patch can hold another
// commit of a submodule, but not what is in none.
func (g *git) changedSubmodules(ctx context.Context, dir string) ([]string, error) {
	out, err := g.run(ctx, dir, nil, "status", "--porcelain=v2", "--untracked-files=normal", "--no-renames", "-z", "--", ".")
	if err != nil {
		return nil, err
	}
	var changed []string
	for entry := range strings.SplitSeq(out, "\x00") {
		// 1 XY SCMU mode mode mode object object path, where M is for changed and U for untracked files of a submodule
		fields := strings.SplitN(entry, " ", 9)
		if len(fields) == 9 && fields[0] == "1" && strings.HasPrefix(fields[2], "S") && strings.ContainsAny(fields[2][2:], "MU") {
			changed = append(changed, fields[8])
		}
	}
	return changed, nil
}

// join puts two notes beside each other.
func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
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
