package host

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Bounds of what a script can declare.
const (
	maxArms    = 100
	maxCases   = 10_000
	maxMetrics = 1000
	maxBlocks  = 100_000
	maxItems   = 10_000
	maxRuns    = 1_000_000
	maxSeed    = protocol.MaxSeed
	maxText    = 128 << 10 // what Linux takes as one argument or variable
)

// textWhere takes a string for which valid returns "", and reports what valid returns otherwise.
func textWhere(name string, valid func(string) string) argType {
	return argType{name, func(a arg, v starlark.Value) starlark.Value {
		s, ok := starlark.AsString(v)
		if !ok {
			return a.want(name, v)
		}
		if !utf8.ValidString(s) {
			return a.refuse("is not UTF-8: %s", describe(v))
		}
		if len(s) >= maxText {
			return a.refuse("has %d bytes; want fewer than %d", len(s), maxText)
		}
		if strings.Contains(s, "\x00") {
			return a.refuse("has a NUL byte")
		}
		if message := valid(s); message != "" {
			return a.refuse("%s", message)
		}
		return v
	}}
}

var text = textWhere("a string", func(string) string { return "" })

// sentence is text that says something.
var sentence = textWhere("a string", func(s string) string {
	if strings.TrimSpace(s) == "" {
		return "is empty"
	}
	return ""
})

// name is what tables, files and CSV columns carry.
var name = textWhere("a string", func(s string) string {
	if s == "" || s != strings.TrimSpace(s) {
		return fmt.Sprintf("a name is not empty and has no space at its ends, got %q", s)
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return fmt.Sprintf("a name has no control characters, got %q", s)
		}
	}
	return ""
})

var phaseNamePattern = regexp.MustCompile(`^[a-z0-9._-]+$`)

var phaseName = textWhere("a string", func(s string) string {
	if !phaseNamePattern.MatchString(s) || s == "." || s == ".." {
		return fmt.Sprintf("a phase's name has lower-case letters, digits, dots, underscores and hyphens only, got %q", s)
	}
	return ""
})

var identifierPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

var identifier = textWhere("a string", func(s string) string {
	if !identifierPattern.MatchString(s) {
		return fmt.Sprintf("want letters, digits and underscores, got %q", s)
	}
	return ""
})

var unit = textWhere("a string", func(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Sprintf("a unit is one word, as the program prints it, got %q", s)
	}
	return ""
})

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

var digest = textWhere("a string", func(s string) string {
	if !digestPattern.MatchString(s) {
		return fmt.Sprintf("want 64 lower-case hexadecimal digits, got %s", clip(strconv.Quote(s), 80))
	}
	return ""
})

var regularExpression = textWhere("a string", func(s string) string {
	if _, err := regexp.Compile(s); err != nil {
		return err.Error()
	}
	return ""
})

var duration = textWhere("a string", func(s string) string {
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Sprintf("want a duration, \"10s\" or \"1m30s\", got %q", s)
	case d <= 0:
		return fmt.Sprintf("want a positive duration, got %q", s)
	}
	return ""
})

// rootPath takes a path from the root and keeps it cleaned: it is the label of the file.
var rootPath = pathWhere("a path from the root", "link it below the root (links are followed, and their target is pinned), or give another --root")

// folder takes a folder from the root.
var folder = pathWhere("a folder from the root", "link it below the root, or give another --root")

func pathWhere(wanted, wayOut string) argType {
	t := textWhere(wanted, func(s string) string {
		switch c := path.Clean(s); {
		case s == "":
			return "is empty; want " + wanted
		case strings.HasPrefix(s, "/"), c == "..", strings.HasPrefix(c, "../"):
			return fmt.Sprintf("want %s, got %q; %s", wanted, s, wayOut)
		case strings.Contains(s, "\\") || !fs.ValidPath(c):
			return fmt.Sprintf("want %s, got %q", wanted, s)
		}
		return ""
	})
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		v = t.check(a, v)
		if s, ok := v.(starlark.String); ok {
			return starlark.String(path.Clean(string(s)))
		}
		return v
	}}
}

// cpuList takes "auto" or a list of CPUs, and keeps it in its shortest form.
var cpuList = argType{`a list of CPUs, "2-7", or "auto"`, func(a arg, v starlark.Value) starlark.Value {
	s, ok := starlark.AsString(v)
	if !ok {
		return a.want(`a list of CPUs, "2-7", or "auto"`, v)
	}
	if s == "auto" {
		return v
	}
	cpus, err := protocol.ParseCPUs(s)
	if err != nil {
		return a.refuse("%v, or \"auto\"", err)
	}
	return starlark.String(protocol.FormatCPUs(cpus))
}}

// oneOf takes one of the words.
func oneOf(words ...string) argType {
	wanted := quoteAll(words)
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		s, ok := starlark.AsString(v)
		for _, w := range words {
			if ok && s == w {
				return v
			}
		}
		if hint := didYouMean(s, words); ok && hint != "" && len(words) > 2 {
			return a.refuse("want %s, got %s%s", wanted, describe(v), hint)
		}
		return a.want(wanted, v)
	}}
}

// integer takes an int from lo to hi.
func integer(lo, hi int64) argType {
	wanted := fmt.Sprintf("an int from %d to %d", lo, hi)
	if hi == maxSeed {
		wanted = fmt.Sprintf("an int from %d to 2^53-1", lo)
	}
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		i, ok := v.(starlark.Int)
		if !ok {
			return a.want(wanted, v)
		}
		if n, ok := i.Int64(); !ok || n < lo || n > hi {
			return a.want(wanted, v)
		}
		return v
	}}
}

// numberWhere takes a finite int or float, and keeps a float.
func numberWhere(wanted string, valid func(float64) bool) argType {
	return argType{wanted, func(a arg, v starlark.Value) starlark.Value {
		f, ok := finiteNumber(v)
		if !ok || !valid(f) {
			return a.want(wanted, v)
		}
		return starlark.Float(f)
	}}
}

func finiteNumber(v starlark.Value) (float64, bool) {
	switch v.(type) {
	case starlark.Int, starlark.Float:
	default:
		return 0, false
	}
	f, ok := starlark.AsFloat(v)
	return f, ok && !math.IsNaN(f) && !math.IsInf(f, 0)
}

var (
	number      = numberWhere("a finite number", func(float64) bool { return true })
	positive    = numberWhere("a number above 0", func(f float64) bool { return f > 0 })
	probability = numberWhere("a number between 0 and 1", func(f float64) bool { return f > 0 && f < 1 })
)

var flag = argType{"True or False", func(a arg, v starlark.Value) starlark.Value {
	if _, ok := v.(starlark.Bool); !ok {
		return a.want("True or False", v)
	}
	return v
}}

// scalar takes what a --set value can be read as.
var scalar = argType{"a bool, int, float or string", func(a arg, v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.Bool, starlark.Int:
		return v
	case starlark.Float:
		return number.check(a, v)
	case starlark.String:
		return text.check(a, v)
	}
	return a.want("a bool, int, float or string", v)
}}

// environment takes a dict of variables.
var environment = dictOf(variable, textValue)

var textValue = argType{"a string", func(a arg, v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case starlark.Int:
		return a.refuse("want a string, got %s; write %s", describe(v), syntax.Quote(v.String(), false))
	}
	return text.check(a, v)
}}

// reserved are variables that the harness sets, to the same length in all arms.
var reserved = []string{"PHASELOCK_PAD", "PHASELOCK_AUDIT", "HOME", "TMPDIR"}

var variable = textWhere("a variable's name", func(s string) string {
	for _, r := range reserved {
		if s == r {
			return s + " is set by the harness, to the same length in every run"
		}
	}
	if s == "" || strings.Contains(s, "=") {
		return fmt.Sprintf("%q is no variable's name", s)
	}
	return ""
})

var rlimits = dictOf(oneOf("as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "stack"), integer(0, math.MaxInt64))
