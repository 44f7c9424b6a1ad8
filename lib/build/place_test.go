package build_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/phaselock/phaselock/lib/build"
	"github.com/phaselock/phaselock/lib/protocol"
)

// A test binary's folder can be had again after its build was closed: of the commit it was built from, wherever the ref is now.
func TestPlace(t *testing.T) {
	dir, first := repository(t)
	git(t, dir, "branch", "topic", first)
	q := request(t, dir, protocol.Build{Package: "./lib", Test: true, Ref: "topic"})
	b := mustBuild(t, q)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, dir, says("second"))
	git(t, dir, "branch", "-f", "topic", commitAll(t, dir))
	place, remove, err := build.Place(context.Background(), q, b.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(place) != "lib" || place == b.PackageDir {
		t.Errorf("placed at %s, the build was at %s", place, b.PackageDir)
	}
	said, err := os.ReadFile(filepath.Join(place, "..", "cmd", "say", "plain.go"))
	if err != nil {
		t.Fatal(err)
	}
	if here, _ := os.ReadFile(filepath.Join(dir, "cmd", "say", "plain.go")); string(said) == string(here) {
		t.Error("the ref's new commit was checked out, not the one that was built")
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(place); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestPlaceOfACommitThatIsGone(t *testing.T) {
	dir, _ := repository(t)
	q := request(t, dir, protocol.Build{Package: "./lib", Test: true, Ref: "HEAD"})
	if _, _, err := build.Place(context.Background(), q, "0123456789abcdef0123456789abcdef01234567"); err == nil {
		t.Error("a commit that is not there was placed")
	}
}
