package seal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Program looks a program without a slash up in a PATH and returns the file it names, links followed.
func Program(name, path string) (string, error) {
	if name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("%q is no name of a program", name)
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		return filepath.EvalSymlinks(file)
	}
	return "", fmt.Errorf("no program %q in %s, the PATH of every run; name it by its path, or copy it beside the script", name, path)
}

// shebangMax is what the kernel reads of a script's first line.
const shebangMax = 256

// Interpreter returns the file that runs a script: what its #! line names, or, behind env, the program looked up in the PATH. It
// returns "" for a file that is no script.
func Interpreter(script, path string) (string, error) {
	f, err := os.Open(script)
	if err != nil {
		return "", err
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(f, shebangMax), shebangMax).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", nil
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return "", fmt.Errorf("%s: its #! line names no interpreter", script)
	}
	if filepath.Base(words[0]) != "env" {
		return filepath.EvalSymlinks(words[0])
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return Program(w, path)
		}
	}
	return "", fmt.Errorf("%s: its #! line names no interpreter behind env", script)
}
