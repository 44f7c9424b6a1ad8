package host

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

const scriptSuffix = ".star"

// FindTests returns the scripts of tests that paths name, sorted: files, and those in folders and below them, folders
// whose names start with a dot left out.
func FindTests(paths []string) ([]string, error) { return find(paths, testSuffix) }

// FindScripts returns the scripts that paths name, as FindTests does.
func FindScripts(paths []string) ([]string, error) { return find(paths, scriptSuffix) }

func find(paths []string, suffix string) ([]string, error) {
	var found []string
	for _, p := range paths {
		before := len(found)
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != p && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case !d.IsDir() && (path == p || strings.HasSuffix(path, suffix)):
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(found) == before {
			return nil, fmt.Errorf("%s: no file there has a name that ends in %s", p, suffix)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
