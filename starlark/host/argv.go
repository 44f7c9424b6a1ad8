package host

import (
	"path"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
)

// fileKinds are constructors of what is pinned by digest.
var fileKinds = []string{"binary", "input", "go_test", "go_build"}

func isFile(v starlark.Value) bool {
	r, ok := v.(*record)
	if !ok {
		return false
	}
	for _, k := range fileKinds {
		if r.kind.name == k {
			return true
		}
	}
	return false
}

// argv takes the list of a program and its arguments. There is no shell, so what only a shell understands is
// refused, unless the script names a shell itself.
var argv = argType{"a list of strings and files", func(a arg, v starlark.Value) starlark.Value {
	if s, ok := v.(starlark.String); ok {
		return a.refuse("want a list, one item an argument; there is no shell: %s", splitHint(string(s)))
	}
	kept, ok := listOf(argument, 1, maxItems).check(a, v).(*starlark.List)
	if !ok {
		return nil
	}
	first, isText := kept.Index(0).(starlark.String)
	if isText && strings.TrimSpace(string(first)) == "" {
		return a.elem(0).refuse("the program is empty")
	}
	if isText && isShell(string(first)) {
		return kept
	}
	if isText && strings.ContainsAny(string(first), " \t\n|&;<>()$`*") {
		return a.elem(0).refuse("%s is no program; want one item an argument, there is no shell: %s", describe(first), splitHint(string(first)))
	}
	good := true
	for i := 1; i < kept.Len(); i++ {
		s, ok := kept.Index(i).(starlark.String)
		if ok && shellSyntax.MatchString(string(s)) {
			a.elem(i).refuse("%s is shell syntax and there is no shell; name one where you want it, [\"sh\", \"-c\", ...]", describe(s))
			good = false
		}
	}
	if !good {
		return nil
	}
	return kept
}}

// argument is one item of an argv.
var argument = argType{"a string or a file", func(a arg, v starlark.Value) starlark.Value {
	if isFile(v) {
		return v
	}
	if _, ok := v.(*record); ok {
		return a.want("a string or a file", v)
	}
	return textValue.check(a, v)
}}

// shellSyntax matches an argument that is an operator by itself, or that has an operator between blanks, or a
// command substitution. A lone | or $ inside a word is a regular expression as often.
var shellSyntax = regexp.MustCompile(`^(\||\|\||&|&&|;|<|>|>>|[0-9]>|[0-9]?>&[0-9])$|\s(\||\|\||&&|>|>>|<)\s|\$\(|` + "`")

func isShell(program string) bool {
	switch path.Base(program) {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "busybox":
		return true
	}
	return false
}

// splitHint shows a command line as the list that it may stand for.
func splitHint(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return `["program", "argument"]`
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = describe(starlark.String(w))
	}
	if shellSyntax.MatchString(line) {
		return `["sh", "-c", ` + describe(starlark.String(line)) + `]`
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
