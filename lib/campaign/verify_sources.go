package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/phaselock/phaselock/lib/seal"
)

// script is the source of the entry, where it is not where its label says.
func (v *verifier) script(l seal.Line) (string, error) {
	if v.Script == "" || l.Kind != seal.KindScript || l.Label != v.entry {
		return "", seal.ErrElsewhere
	}
	digest, _, err := seal.Digest(v.Script)
	return digest, err
}

// library is the source of @std scripts: this phaselock has its own.
func (v *verifier) library(l seal.Line) (string, error) {
	name, ok := strings.CutPrefix(l.Label, "@std//")
	if l.Kind != seal.KindScript || !ok || v.Library == nil {
		return "", seal.ErrElsewhere
	}
	data, err := fs.ReadFile(v.Library, name)
	if err != nil {
		return "", fmt.Errorf("this phaselock has no %s", l.Label)
	}
	return seal.DigestOf(data), nil
}

func (v *verifier) harness(l seal.Line) (string, error) {
	if l.Kind != seal.KindHarness {
		return "", seal.ErrElsewhere
	}
	now, err := harnessLine(v.Harness)
	return now.SHA256, err
}

// errUnchecked is the error of what is not looked at.
var errUnchecked = errors.New("only building it again says what it would be: --rebuild does")

// built is the source of what phaselock builds. That a build fails is what became of its line, not a reason to look at no other.
func (v *verifier) built(ctx context.Context) (seal.Source, error) {
	failed := errUnchecked
	c := newSealing()
	if v.Rebuild {
		failed = c.build(ctx, v.Phases)
		if ctx.Err() != nil {
			return nil, interruptedOr(ctx, failed)
		}
	}
	now, err := seal.New("now", c.lines)
	if err != nil {
		return nil, err
	}
	return func(l seal.Line) (string, error) {
		if l.Kind != seal.KindBuilt {
			return "", seal.ErrElsewhere
		}
		if failed != nil {
			return "", failed
		}
		return seal.Known(now)(l)
	}, nil
}

// build adds the binaries that phaselock builds.
func (c *sealing) build(ctx context.Context, phases []Script) error {
	scratch, err := scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, s := range phases {
		files, cleanup, err := findBuilds(ctx, s.Plan, s.Root, scratch)
		if err == nil {
			files, err = pinAll(s.Plan, files)
		}
		if err == nil {
			err = c.files(files)
		}
		cleanup()
		if err != nil {
			return err
		}
	}
	return nil
}

// notEvaluated is why nothing is known of parameters, protocols and plans.
func (v *verifier) notEvaluated(seal.Line) (string, error) {
	if v.NotEvaluated == nil {
		return "", seal.ErrElsewhere
	}
	first, _, _ := strings.Cut(v.NotEvaluated.Error(), "\n")
	return "", fmt.Errorf("the script does not evaluate here: %s", first)
}
