package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// localOnly keeps git from fetching what a submodule lacks: what is measured must not depend on a server.
var localOnly = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// gitlink is a submodule as a commit records it.
type gitlink struct {
	path   string // from the top of its tree, with slashes
	commit string
	name   string // in .gitmodules; "" where that does not name it
}

// gitlinks returns the submodules of a tree that was read, in the order of their paths.
func (t *tree) gitlinks(ctx context.Context) ([]gitlink, error) {
	out, err := t.run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var links []gitlink
	named := false // whether there is a .gitmodules
	for entry := range strings.SplitSeq(out, "\x00") {
		head, path, _ := strings.Cut(entry, "\t") // mode, object and stage before the tab
		if fields := strings.Fields(head); len(fields) == 3 && fields[0] == "160000" {
			links = append(links, gitlink{path: path, commit: fields[1]})
		}
		named = named || path == ".gitmodules"
	}
	if len(links) == 0 || !named {
		return links, nil
	}
	names, err := t.submoduleNames(ctx)
	if err != nil {
		return nil, err
	}
	for i := range links {
		links[i].name = names[links[i].path]
	}
	return links, nil
}

// submoduleNames reads the commit's .gitmodules: names by path. Names that lead elsewhere, which git refuses too, are
// left out.
func (t *tree) submoduleNames(ctx context.Context) (map[string]string, error) {
	out, err := t.run(ctx, "config", "-z", "--blob", t.commit+":.gitmodules", "--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		var failed *commandError
		if errors.As(err, &failed) && failed.stderr == "" { // none has a path
			return nil, nil
		}
		return nil, err
	}
	names := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		key, path, _ := strings.Cut(entry, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
		if name != "" && !slices.Contains(parts, "..") {
			names[strings.TrimSuffix(path, "/")] = name
		}
	}
	return names, nil
}

// placeSubmodules puts the submodules of a tree in place, and theirs, at the commits that are recorded, from the
// repositories that git keeps for the user's checkout. All that are missing make one problem. A gitlink that
// .gitmodules does not name and that the user's tree has no repository for stays an empty folder, as git leaves it:
// no command could fill it.
func (b *builder) placeSubmodules(ctx context.Context, t *tree) error {
	links, err := t.gitlinks(ctx)
	if err != nil {
		return b.failed(fmt.Sprintf("ref %q: the submodules of commit %s cannot be read", b.recipe.Ref, t.commit), err)
	}
	var missing []string
	for _, link := range links {
		whole := link.path
		if t.path != "" {
			whole = t.path + "/" + link.path
		}
		sub, present, err := t.submodule(ctx, link)
		switch {
		case err != nil:
			return err
		case sub != nil:
			sub.path = whole
			if err := b.place(ctx, sub); err != nil {
				return err
			}
		case present != "":
			return b.problem("ref %q: submodule %s lacks the commit %s that is recorded for it; git -C %s fetch brings what its server has",
				b.recipe.Ref, whole, link.commit, present)
		case link.name != "":
			missing = append(missing, whole)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	what := "submodule " + missing[0] + " is"
	if len(missing) > 1 {
		what = "submodules " + strings.Join(missing, ", ") + " are"
	}
	return b.problem("ref %q: %s not present in %s; git submodule update --init --recursive brings what the commit that is checked out there needs",
		b.recipe.Ref, what, t.user)
}

// submodule finds the repository of a submodule that has the recorded commit: among those that git keeps in the
// repository's own folder, by name, where it stays when another commit is checked out, or in the user's working
// tree. Without one, present is a repository of the submodule that lacks the commit, or empty.
func (t *tree) submodule(ctx context.Context, link gitlink) (sub *tree, present string, err error) {
	var dirs []string
	work := ""
	if t.tree != "" {
		work = filepath.Join(t.tree, filepath.FromSlash(link.path))
		if _, err := os.Lstat(filepath.Join(work, ".git")); err == nil { // else git would find the repository around it
			if dir, err := t.git.run(ctx, work, nil, "rev-parse", "--absolute-git-dir"); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	if link.name != "" {
		for _, dir := range []string{t.gitDir, t.common} {
			if dir = filepath.Join(dir, "modules", filepath.FromSlash(link.name)); !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
			continue
		}
		// The working tree that its configuration names may be gone, and git would want to go there.
		env := append([]string{"GIT_DIR=" + dir, "GIT_WORK_TREE=" + t.top}, localOnly...)
		if _, err := t.git.run(ctx, t.top, env, "cat-file", "-e", link.commit+"^{commit}"); ctx.Err() != nil {
			return nil, "", ctx.Err()
		} else if err != nil {
			present = dir
			continue
		}
		common, err := t.git.run(ctx, t.top, env, "rev-parse", "--path-format=absolute", "--git-common-dir")
		if err != nil {
			return nil, "", err
		}
		top := filepath.Join(t.top, filepath.FromSlash(link.path))
		if err := os.MkdirAll(top, 0o755); err != nil {
			return nil, "", err
		}
		return &tree{
			repository: repository{gitDir: dir, common: common, tree: work},
			git:        t.git, commit: link.commit, user: t.user, top: top, scratch: t.scratch,
		}, "", nil
	}
	return nil, present, nil
}
