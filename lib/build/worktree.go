package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// worktree is a checkout of one commit, outside the repository's own folder.
type worktree struct {
	dir    string // the folder in it that corresponds to the recipe's
	commit string
	remove func() error
}

// worktreeName is how a worktree of ours is known: by its recipe and the process that made it.
var worktreeName = regexp.MustCompile(`^phaselock-[0-9a-f]{16}-([0-9]+)-[0-9]+$`)

// worktree checks the recipe's ref out. Worktrees that a process left that is no more are removed first.
func (b *builder) worktree(ctx context.Context) (*worktree, error) {
	dir, ref := b.dir, b.recipe.Ref
	if strings.HasPrefix(ref, "-") {
		return nil, b.problem("ref %q is no git ref", ref)
	}
	prefix, err := b.git.run(ctx, dir, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, b.problem("ref %q: %s is in no git repository that can be read (%s); without ref the working tree is built", ref, dir, firstLine(err))
	}
	commit, err := b.git.run(ctx, dir, nil, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return nil, b.problem("ref %q: no commit of the repository of %s has this name; git fetch brings those of others", ref, dir)
	}
	b.removeStale(ctx, dir)
	path, err := os.MkdirTemp("", fmt.Sprintf("phaselock-%s-%d-", b.recipe.Recipe()[:16], os.Getpid()))
	if err != nil {
		return nil, err
	}
	w := &worktree{dir: filepath.Join(path, filepath.FromSlash(prefix)), commit: commit}
	w.remove = sync.OnceValue(func() error { return b.git.removeWorktree(dir, path) }) // copies of a Built may all be closed
	// A hook of the repository is no part of what was declared.
	if _, err := b.git.run(ctx, dir, nil, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--quiet", path, commit); err != nil {
		return nil, errors.Join(b.problem("ref %q: no worktree can be made: %s", ref, firstLine(err)), os.RemoveAll(path))
	}
	return w, nil
}

// removeWorktree removes a worktree with what was built or written in it. It does so when the build was told to stop,
// too, so it has a deadline of its own.
func (g *git) removeWorktree(repository, path string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := g.run(ctx, repository, nil, "worktree", "remove", "--force", path)
	return errors.Join(err, os.RemoveAll(path))
}

// removeStale removes worktrees of ours whose process is no more. What cannot be removed is left: it harms no build.
func (b *builder) removeStale(ctx context.Context, dir string) {
	out, err := b.git.run(ctx, dir, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return
	}
	for field := range strings.SplitSeq(out, "\x00") {
		path, ok := strings.CutPrefix(field, "worktree ")
		if !ok {
			continue
		}
		m := worktreeName.FindStringSubmatch(filepath.Base(path))
		if m == nil {
			continue
		}
		if pid, err := strconv.Atoi(m[1]); err == nil && !alive(pid) {
			_ = b.git.removeWorktree(dir, path)
		}
	}
}

// alive reports whether a process of that number exists.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
