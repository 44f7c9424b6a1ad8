package seal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Program looks a program without a slash up in a PATH, as execvp does, and returns the file it names, links followed.
func Program(name, path string) (string, error) {
	if name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("%q is no name of a program; write a name that stands in %s, or a path from the root", name, path)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // another file in every folder
		}
		file := filepath.Join(dir, name)
		if isExecutable(file) {
			return filepath.EvalSymlinks(file)
		}
	}
	return "", fmt.Errorf("no program %q in %s, the PATH of every run; name it by its path, or copy it beside the script", name, path)
}

// isExecutable reports whether this process may execute a file.
func isExecutable(file string) bool {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return false
	}
	return unix.Access(file, unix.X_OK) == nil
}
