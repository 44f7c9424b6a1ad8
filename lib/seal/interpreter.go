package seal

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
)

// shebangMax is what Linux reads of a script's first line (BINPRM_BUF_SIZE).
const shebangMax = 256

const byteOrderMark = "\xef\xbb\xbf"

// Interpreter returns the file that runs a script, links followed: what its #! line names, or, behind env, the program that is
// looked up in the PATH. It returns "" for a file that is no script. A line that the kernel would read otherwise than a person does
// is an error.
func Interpreter(script, path string) (string, error) {
	line, err := firstLine(script)
	if err != nil {
		return "", err
	}
	if rest := strings.TrimLeft(strings.TrimPrefix(line, byteOrderMark), " \t"); rest != line && strings.HasPrefix(rest, "#!") {
		return "", fmt.Errorf("%s: bytes stand before its #! (%q), so that the kernel runs no interpreter; remove them", script, line[:len(line)-len(rest)])
	}
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", nil
	}
	if strings.HasSuffix(rest, "\r") {
		return "", fmt.Errorf("%s: its #! line ends in a carriage return, which the kernel takes for a part of the name; convert its line ends to \\n", script)
	}
	words := strings.FieldsFunc(rest, isBlank)
	switch {
	case len(words) == 0:
		return "", fmt.Errorf("%s: its #! line names no interpreter", script)
	case !filepath.IsAbs(words[0]):
		return "", fmt.Errorf("%s: its interpreter %q is another file in every folder; name it from /", script, words[0])
	}
	var file string
	if filepath.Base(words[0]) == "env" {
		file, err = behindEnv(words[1:], path)
	} else if file, err = filepath.EvalSymlinks(words[0]); err == nil && !isExecutable(file) {
		err = fmt.Errorf("%s cannot be executed", words[0])
	}
	if err != nil {
		return "", fmt.Errorf("interpreter of %s: %w", script, err)
	}
	return file, nil
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

// firstLine returns a file's first line, up to a newline or NUL, as far as the kernel reads it.
func firstLine(script string) (string, error) {
	f, err := openRegular(script)
	if err != nil {
		return "", err
	}
	defer f.Close()
	buffer := make([]byte, shebangMax)
	n, err := io.ReadFull(f, buffer)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	text := string(buffer[:n])
	if end := strings.IndexAny(text, "\n\x00"); end >= 0 {
		return text[:end], nil
	}
	if n == shebangMax && strings.HasPrefix(text, "#!") {
		return "", fmt.Errorf("%s: its #! line is longer than the %d bytes that the kernel reads", script, shebangMax-1)
	}
	return text, nil
}

// behindEnv returns the program that env runs, given the words after its own name.
func behindEnv(words []string, path string) (string, error) {
	split := len(words) > 0 && (strings.HasPrefix(words[0], "-S") || strings.HasPrefix(words[0], "--split-string") || words[0] == "-vS")
	if len(words) > 1 && !split && runtime.GOOS == "linux" {
		return "", fmt.Errorf("the kernel hands %q to env as one word; write #!/usr/bin/env -S %[1]s", strings.Join(words, " "))
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-u" || w == "-C" || w == "--unset" || w == "--chdir":
			i++ // its value
		case strings.HasPrefix(w, "-S") && len(w) > len("-S"):
			words[i] = w[len("-S"):]
			i-- // -Spython3 is -S python3
		case strings.HasPrefix(w, "-"):
		case strings.HasPrefix(w, "PATH="):
			path = strings.TrimPrefix(w, "PATH=")
		case strings.Contains(w, "="):
		case strings.Contains(w, "/"):
			if !filepath.IsAbs(w) {
				return "", fmt.Errorf("%q is another file in every folder; name it from /", w)
			}
			return filepath.EvalSymlinks(w)
		default:
			return Program(w, path)
		}
	}
	return "", errors.New("its #! line names no program behind env")
}
