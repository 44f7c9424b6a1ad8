package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// IsPattern reports whether an input's path is a pattern.
func IsPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// ExpandInput returns the labels of the files that an input's pattern matches: paths from the root with slashes (an absolute pattern
// gives absolute ones), sorted by bytes. Patterns are those of path.Match, one element of a path after the other; as in a shell, no
// wildcard stands for the dot at the start of a name, links are followed, and folders do not match at the end. What cannot be
// read and a pattern that matches nothing are errors that name the pattern.
func ExpandInput(root, pattern string) ([]string, error) {
	labels, err := expand(root, pattern)
	if err == nil && len(labels) == 0 {
		err = fmt.Errorf("no file in %s matches", root)
	}
	if err != nil {
		return nil, fmt.Errorf("input %q: %w", pattern, err)
	}
	slices.Sort(labels)
	return slices.Compact(labels), nil
}

func expand(root, pattern string) ([]string, error) {
	elements := strings.Split(path.Clean(pattern), "/")
	for _, e := range elements {
		if e == "**" {
			return nil, errors.New("** is no wildcard here; write one * for each level of folders")
		}
		if _, err := path.Match(e, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: a [ without its ], or nothing behind a \\", e)
		}
	}
	found := []string{""}
	if path.IsAbs(pattern) {
		root, found, elements = "/", []string{"/"}, elements[1:]
	}
	for i, e := range elements {
		var next []string
		for _, dir := range found {
			names, err := matches(filepath.Join(root, dir), e, i == len(elements)-1)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				next = append(next, path.Join(dir, name))
			}
		}
		found = next
	}
	return found, nil
}

// matches returns the names in a folder that match one element of a pattern: files at its end, folders before.
func matches(dir, element string, last bool) ([]string, error) {
	names := []string{element}
	if strings.ContainsAny(element, `*?[\`) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, e := range entries {
			ok, err := path.Match(element, e.Name())
			if err != nil {
				return nil, err
			}
			if ok && (!strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(element, ".")) {
				names = append(names, e.Name())
			}
		}
	}
	var kept []string
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) && (!last || name == element) {
			continue // a link that leads nowhere is no folder; an input that leads nowhere is an error
		}
		if err != nil {
			return nil, err
		}
		if info.IsDir() != last {
			kept = append(kept, name)
		}
	}
	return kept, nil
}
