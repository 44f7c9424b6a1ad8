package host

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// firstDifference says where two values that are not equal first differ, and how. path leads to them from what
// was compared: "", "[3].argv".
func firstDifference(path string, got, want starlark.Value) string {
	for range maxDepth {
		at, g, w := stepInto(got, want)
		if at == "" {
			break
		}
		path, got, want = path+at, g, w
	}
	if path == "" {
		return fmt.Sprintf("got %s, want %s", shownOr(got), shownOr(want))
	}
	return fmt.Sprintf("at %s: got %s, want %s", path, shownOr(got), shownOr(want))
}

// shownOr shows a value, or that there is none.
func shownOr(v starlark.Value) string {
	if v == nil {
		return "nothing"
	}
	return shown(v)
}

// stepInto returns the first element, entry or field in which two values of one shape differ, with how a script
// would write it; "" where they have no parts to compare.
func stepInto(got, want starlark.Value) (at string, g, w starlark.Value) {
	if got == nil || want == nil {
		return "", nil, nil
	}
	a, aSeq := sequence(got)
	b, bSeq := sequence(want)
	if aSeq && bSeq && got.Type() == want.Type() {
		for i := range max(a.Len(), b.Len()) {
			if g, w := elementOf(a, i), elementOf(b, i); differ(g, w) {
				return fmt.Sprintf("[%d]", i), g, w
			}
		}
	}
	if a, ok := got.(*starlark.Dict); ok {
		if b, ok := want.(*starlark.Dict); ok {
			for _, key := range append(a.Keys(), b.Keys()...) {
				g, w := entryIn(a, key), entryIn(b, key)
				if differ(g, w) {
					return "[" + shown(key) + "]", g, w
				}
			}
		}
	}
	if a, ok := got.(*starlarkstruct.Struct); ok {
		if b, ok := want.(*starlarkstruct.Struct); ok {
			for _, name := range slices.Concat(a.AttrNames(), b.AttrNames()) {
				g, w := fieldOf(a, name), fieldOf(b, name)
				if differ(g, w) {
					return "." + name, g, w
				}
			}
		}
	}
	return "", nil, nil
}

func differ(g, w starlark.Value) bool {
	if g == nil || w == nil {
		return g != w
	}
	same, err := starlark.Equal(g, w)
	return err != nil || !same
}

func elementOf(s starlark.Indexable, i int) starlark.Value {
	if i >= s.Len() {
		return nil
	}
	return s.Index(i)
}

func entryIn(d *starlark.Dict, key starlark.Value) starlark.Value {
	v, found, err := d.Get(key)
	if err != nil || !found {
		return nil
	}
	return v
}

func fieldOf(s *starlarkstruct.Struct, name string) starlark.Value {
	v, err := s.Attr(name)
	if err != nil {
		return nil
	}
	return v
}
