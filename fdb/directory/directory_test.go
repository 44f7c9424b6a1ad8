package directory_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/directory"
	"github.com/phaselock/phaselock/fdb/embedded"
	"github.com/phaselock/phaselock/fdb/tuple"
)

var ctx = context.Background()

// in runs f in a transaction that is committed.
func in(t *testing.T, db fdb.Database, f func(fdb.Transaction) error) {
	t.Helper()
	if err := fdb.Transact(ctx, db, f); err != nil {
		t.Fatal(err)
	}
}

func path(p string) []string { return strings.Split(p, "/") }

func create(t *testing.T, db fdb.Database, l *directory.Layer, p, layer string) (d directory.Directory) {
	t.Helper()
	in(t, db, func(tr fdb.Transaction) (err error) { d, err = l.Create(ctx, tr, path(p), layer); return })
	return d
}

func fails(t *testing.T, db fdb.Database, want error, f func(fdb.Transaction) error) {
	t.Helper()
	if err := f(db.Begin()); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func list(t *testing.T, db fdb.Database, l *directory.Layer, p ...string) (names []string) {
	t.Helper()
	in(t, db, func(tr fdb.Transaction) (err error) { names, err = l.List(ctx, tr, p); return })
	return names
}

func dump(t *testing.T, db fdb.Database) map[string]string {
	t.Helper()
	pairs, _, err := fdb.All(ctx, db.Begin(), fdb.Keys(nil, []byte{0xff}))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, p := range pairs {
		m[hex.EncodeToString(p.Key)] = hex.EncodeToString(p.Value)
	}
	return m
}

// What lies in the store after the first directory, by the layout of FoundationDB's layer, version 1.0.0.
func TestLayout(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{Random: func(n int64) int64 { return 42 % n }})
	d := create(t, db, l, "ab", "tests")
	if diff := cmp.Diff(directory.Directory{Path: []string{"ab"}, Prefix: []byte{0x15, 42}, Layer: "tests"}, d); diff != "" {
		t.Error(diff)
	}
	root := "fe" + "01fe00"
	x := func(s string) string { return hex.EncodeToString([]byte(s)) }
	want := map[string]string{
		root + "02" + x("version") + "00":               "010000000000000000000000",
		root + "02" + x("hca") + "00" + "14" + "14":     "0100000000000000", // one draw in the window at 0
		root + "02" + x("hca") + "00" + "1501" + "152a": "",                 // of 42
		root + "14" + "02" + x("ab") + "00":             "152a",
		"fe" + "01152a00" + "02" + x("layer") + "00":    x("tests"),
	}
	if diff := cmp.Diff(want, dump(t, db)); diff != "" {
		t.Error(diff)
	}
}

func TestCreateAndOpen(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{})
	made := create(t, db, l, "a/b/c", "x")
	var opened directory.Directory
	in(t, db, func(tr fdb.Transaction) (err error) { opened, err = l.Open(ctx, tr, path("a/b/c"), "x"); return })
	if diff := cmp.Diff(made, opened); diff != "" {
		t.Error(diff)
	}
	in(t, db, func(tr fdb.Transaction) (err error) { opened, err = l.CreateOrOpen(ctx, tr, path("a/b/c"), ""); return })
	if diff := cmp.Diff(made, opened); diff != "" {
		t.Error(diff)
	}
	if got := list(t, db, l, "a"); !cmp.Equal(got, []string{"b"}) {
		t.Errorf("in a: %q", got)
	}
	fails(t, db, directory.ErrExists, func(tr fdb.Transaction) error { _, err := l.Create(ctx, tr, path("a/b"), ""); return err })
	fails(t, db, directory.ErrLayer, func(tr fdb.Transaction) error { _, err := l.Open(ctx, tr, path("a/b/c"), "y"); return err })
	fails(t, db, directory.ErrNotFound, func(tr fdb.Transaction) error { _, err := l.Open(ctx, tr, path("a/x/c"), ""); return err })
	fails(t, db, directory.ErrNotFound, func(tr fdb.Transaction) error { _, err := l.List(ctx, tr, path("x")); return err })
	fails(t, db, directory.ErrRoot, func(tr fdb.Transaction) error { _, err := l.Create(ctx, tr, nil, ""); return err })
}

// Prefixes do not nest: each directory's is its own integer, and every one of a path takes one.
func TestPrefixesDoNotNest(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{})
	leaf := create(t, db, l, "a/b/c/d", "")
	if len(leaf.Prefix) > 2 {
		t.Errorf("the prefix is %x", leaf.Prefix)
	}
	seen := map[string]bool{}
	for i := range 4 {
		in(t, db, func(tr fdb.Transaction) error {
			d, err := l.Open(ctx, tr, path("a/b/c/d")[:i+1], "")
			seen[string(d.Prefix)] = true
			return err
		})
	}
	if len(seen) != 4 {
		t.Errorf("%d prefixes for 4 directories", len(seen))
	}
}

func TestMoveAndRemove(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{})
	empty := dump(t, db)
	d := create(t, db, l, "a/b", "")
	create(t, db, l, "a/b/c", "")
	create(t, db, l, "z", "")
	in(t, db, func(tr fdb.Transaction) error {
		tr.Set(append(d.Prefix, 1), []byte("content"))
		moved, err := l.Move(ctx, tr, path("a/b"), path("z/moved"))
		if diff := cmp.Diff(directory.Directory{Path: path("z/moved"), Prefix: d.Prefix}, moved); diff != "" {
			t.Error(diff)
		}
		return err
	})
	if got := [][]string{list(t, db, l), list(t, db, l, "a"), list(t, db, l, "z"), list(t, db, l, "z", "moved")}; !cmp.Equal(got, [][]string{{"a", "z"}, nil, {"moved"}, {"c"}}) {
		t.Errorf("after the move: %q", got)
	}
	fails(t, db, directory.ErrPartition, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("z"), path("z/moved/in")); return err })
	fails(t, db, directory.ErrNotFound, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("a/b"), path("q")); return err })
	fails(t, db, directory.ErrNotFound, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("a"), path("no/a")); return err })
	fails(t, db, directory.ErrExists, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("a"), path("z/moved")); return err })
	for p, want := range map[string]bool{"z": true, "a": true, "nothing": false} {
		in(t, db, func(tr fdb.Transaction) error {
			was, err := l.Remove(ctx, tr, path(p))
			if was != want {
				t.Errorf("%s was there: %v", p, was)
			}
			return err
		})
	}
	for key := range dump(t, db) { // but the layer's version and its allocator
		if !strings.HasPrefix(key, "fe01fe00"+"02") && empty[key] == "" {
			t.Errorf("left after the removal: %s", key)
		}
	}
	exists := true
	in(t, db, func(tr fdb.Transaction) (err error) { exists, err = l.Exists(ctx, tr, path("z/moved/c")); return })
	if exists {
		t.Error("z/moved/c still exists")
	}
}

func TestManualPrefix(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{Manual: true})
	prefix := tuple.Tuple{42, 43, 44}.Pack()
	in(t, db, func(tr fdb.Transaction) error {
		d, err := l.CreatePrefix(ctx, tr, path("fixed"), "", prefix)
		if diff := cmp.Diff(prefix, d.Prefix); diff != "" {
			t.Error(diff)
		}
		return err
	})
	for what, p := range map[string][]byte{
		"the same": prefix, "within it": append(prefix[:len(prefix):len(prefix)], 1), "around it": prefix[:2], "the layer's own": {0xfe, 1},
	} {
		t.Run(what, func(t *testing.T) {
			fails(t, db, directory.ErrInUse, func(tr fdb.Transaction) error { _, err := l.CreatePrefix(ctx, tr, path("other"), "", p); return err })
		})
	}
	plain := directory.New(directory.Options{})
	in(t, db, func(tr fdb.Transaction) error { // the default layer opens it
		d, err := plain.Open(ctx, tr, path("fixed"), "")
		if diff := cmp.Diff(prefix, d.Prefix); diff != "" {
			t.Error(diff)
		}
		return err
	})
	fails(t, db, directory.ErrNoManual, func(tr fdb.Transaction) error {
		_, err := plain.CreatePrefix(ctx, tr, path("x"), "", []byte{1})
		return err
	})
}

// An allocator never gives a prefix that keys start with already.
func TestAllocatedPrefixIsFree(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{Random: func(int64) int64 { return 7 }})
	in(t, db, func(tr fdb.Transaction) error { tr.Set([]byte{0x15, 7, 1}, nil); return nil })
	fails(t, db, directory.ErrInUse, func(tr fdb.Transaction) error { _, err := l.Create(ctx, tr, path("a"), ""); return err })
}

// A partition is a layer of its own: its directories' prefixes start with its prefix.
func TestPartition(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{Random: func(n int64) int64 { return 5 }})
	part := create(t, db, l, "p", "partition")
	inner := create(t, db, l, "p/a", "x")
	if want := "1505" + "1505"; hex.EncodeToString(inner.Prefix) != want || !cmp.Equal(inner.Path, path("p/a")) {
		t.Errorf("in a partition at %x: %+v, want prefix %s", part.Prefix, inner, want)
	}
	if got := [][]string{list(t, db, l), list(t, db, l, "p")}; !cmp.Equal(got, [][]string{{"p"}, {"a"}}) {
		t.Errorf("lists %q", got)
	}
	fails(t, db, directory.ErrPartition, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("p/a"), path("a")); return err })
	in(t, db, func(tr fdb.Transaction) error { _, err := l.Move(ctx, tr, path("p/a"), path("p/b")); return err })
	in(t, db, func(tr fdb.Transaction) error {
		d, err := l.Open(ctx, tr, path("p/b"), "x")
		if diff := cmp.Diff(inner.Prefix, d.Prefix); diff != "" {
			t.Error(diff)
		}
		return err
	})
	in(t, db, func(tr fdb.Transaction) error { _, err := l.Remove(ctx, tr, path("p")); return err })
	for key := range dump(t, db) {
		if strings.HasPrefix(key, "1505") {
			t.Errorf("left of the partition: %s", key)
		}
	}
}

func TestNewerLayout(t *testing.T) {
	db := embedded.New(embedded.Options{})
	l := directory.New(directory.Options{})
	create(t, db, l, "a", "")
	set := func(version string) {
		b, _ := hex.DecodeString(version)
		in(t, db, func(tr fdb.Transaction) error {
			tr.Set(append([]byte{0xfe}, tuple.Tuple{[]byte{0xfe}, "version"}.Pack()...), b)
			return nil
		})
	}
	open := func() error { _, err := l.Open(ctx, db.Begin(), path("a"), ""); return err }
	write := func() error { _, err := l.Create(ctx, db.Begin(), path("b"), ""); return err }
	for _, c := range []struct {
		version     string
		open, write bool
	}{
		{"010000000000000009000000", true, true},
		{"010000000100000000000000", true, false},
		{"020000000000000000000000", false, false},
		{"0100", false, false},
	} {
		set(c.version)
		if o, w := open(), write(); (o == nil) != c.open || (w == nil) != c.write {
			t.Errorf("%s: open %v, write %v", c.version, o, w)
		}
	}
}

// Many make directories at the same time: no two get the same prefix.
func TestContention(t *testing.T) {
	db := embedded.New(embedded.Options{})
	done := make(chan error)
	const workers, each = 8, 20
	for w := range workers {
		l := directory.New(directory.Options{Random: rand.New(rand.NewPCG(uint64(w), 3)).Int64N})
		go func() {
			for i := range each {
				if err := fdb.Transact(ctx, db, func(tr fdb.Transaction) error {
					_, err := l.Create(ctx, tr, []string{fmt.Sprint(w), fmt.Sprint(i)}, "")
					return err
				}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	l := directory.New(directory.Options{})
	seen := map[string]bool{}
	for _, top := range list(t, db, l) {
		for _, name := range list(t, db, l, top) {
			in(t, db, func(tr fdb.Transaction) error {
				d, err := l.Open(ctx, tr, []string{top, name}, "")
				seen[string(d.Prefix)] = true
				return err
			})
		}
	}
	if len(seen) != workers*each {
		t.Errorf("%d prefixes for %d directories", len(seen), workers*each)
	}
}
