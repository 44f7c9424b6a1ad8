package build

import (
	"context"
	"errors"
)

// Place checks a commit out again and returns the folder in which a test binary that was built from it must run, without
// building anything. The commit stands in the place of the recipe's ref, which may have moved since. close removes the
// folder.
func Place(ctx context.Context, q Request, commit string) (dir string, close func() error, err error) {
	b := &builder{Request: q}
	if q.File.Build == nil {
		return "", nil, b.problem("it has no recipe to build it by")
	}
	recipe := *q.File.Build
	recipe.Ref = commit
	b.recipe, b.git, b.dir = &recipe, newGit(), b.from(recipe.Dir)
	if b.goTool, err = lookPath("go"); err != nil {
		return "", nil, b.problem("%v; its tests run in the folder of their package, which the go tool finds", err)
	}
	removeStale()
	if b.checkedOut, err = b.checkout(ctx); err != nil {
		return "", nil, err
	}
	b.dir = b.checkedOut.dir
	pkg, err := b.locate(ctx)
	if err != nil {
		return "", nil, errors.Join(err, b.checkedOut.remove())
	}
	return pkg.Dir, b.checkedOut.remove, nil
}

// locate finds the recipe's package in the build's folder.
func (b *builder) locate(ctx context.Context) (*listed, error) {
	if err := b.settings(ctx); err != nil {
		return nil, err
	}
	return b.list(ctx)
}
