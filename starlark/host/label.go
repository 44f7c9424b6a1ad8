package host

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const stdPrefix = "@std//"

// resolveLabel returns the canonical label of what a load statement in the file labelled from names.
// Labels are @std//x.star, //dir/x.star (from the root) and :x.star (a sibling); nothing else.
func resolveLabel(from, written string) (string, error) {
	prefix, p, ok := cutLabel(written)
	if !ok {
		return "", fmt.Errorf("label %q: %s", written, labelHint(written))
	}
	if prefix == ":" {
		if strings.Contains(p, "/") {
			return "", fmt.Errorf("label %q: a sibling has no slash; write \"//dir/x.star\" for a path from the root", written)
		}
		var dir string
		prefix, dir, _ = cutLabel(from)
		p = path.Join(path.Dir(dir), p)
	}
	if prefix == "//" && strings.HasPrefix(from, stdPrefix) {
		return "", fmt.Errorf("label %q: the standard library loads nothing but itself", written)
	}
	if !fs.ValidPath(p) || p == "." || strings.Contains(p, "\\") {
		return "", fmt.Errorf("label %q: the path has empty, \".\" or \"..\" elements; write it from the root, \"//dir/x.star\"", written)
	}
	return prefix + p, nil
}

// cutLabel splits a label into "@std//", "//" or ":" and its path.
func cutLabel(label string) (prefix, p string, ok bool) {
	for _, prefix := range []string{stdPrefix, "//", ":"} {
		if p, ok := strings.CutPrefix(label, prefix); ok {
			return prefix, p, true
		}
	}
	return "", "", false
}

func labelHint(written string) string {
	switch {
	case written == "":
		return `is empty; write "//dir/x.star", ":x.star" or "@std//x.star"`
	case strings.HasPrefix(written, "@"):
		return `the only library is @std; write "@std//go.star" for instance`
	case strings.HasPrefix(written, "/"):
		return `absolute paths are not loaded; write "//dir/x.star", from the root`
	case strings.Contains(written, "/"):
		return fmt.Sprintf(`write "//%s", from the root`, strings.TrimPrefix(path.Clean(written), "../"))
	}
	return fmt.Sprintf(`bare names are not loaded; write ":%s" for a sibling`, written)
}

// printedLabel is a label as positions print it: without leading slashes.
func printedLabel(label string) string { return strings.TrimPrefix(label, "//") }
