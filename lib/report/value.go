package report

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/phaselock/phaselock/lib/plan"
)

// literal writes a parameter's value as a script would.
func literal(v plan.Value) string {
	switch x := v.V.(type) {
	case nil:
		return "None"
	case bool:
		if x {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(x, 10)
	case *big.Int:
		return x.String()
	case float64:
		s := exact(x)
		if !strings.ContainsAny(s, ".e"+missing) {
			s += ".0"
		}
		return s
	case string:
		return strconv.Quote(x)
	case plan.List:
		return "[" + literals(x) + "]"
	case plan.Tuple:
		if len(x) == 1 {
			return "(" + literals(x) + ",)"
		}
		return "(" + literals(x) + ")"
	case plan.Dict:
		items := make([]string, len(x))
		for i, e := range x {
			items[i] = literal(e.Key) + ": " + literal(e.Value)
		}
		return "{" + strings.Join(items, ", ") + "}"
	case plan.FileRef:
		return "file " + strconv.Quote(string(x))
	}
	return fmt.Sprint(v.V)
}

func literals(vs []plan.Value) string {
	items := make([]string, len(vs))
	for i, v := range vs {
		items[i] = literal(v)
	}
	return strings.Join(items, ", ")
}

// parameters writes "rows = 1000, size = "small"".
func parameters(ps []plan.Parameter) string {
	items := make([]string, len(ps))
	for i, p := range ps {
		items[i] = p.Name + " = " + literal(p.Value)
	}
	return strings.Join(items, ", ")
}

// shellSafe are the characters that a shell leaves alone.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+"

// quote writes one argument so that a shell would read it back. What no shell line shows is written in the form
// $'…'.
func quote(s string) string {
	switch {
	case s != "" && strings.Trim(s, shellSafe) == "":
		return s
	case s == "" || !strings.ContainsFunc(s, invisible):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	q := strconv.QuoteToASCII(s)
	return "$'" + strings.ReplaceAll(strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`), "'", `\'`) + "'"
}

func invisible(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar }

// argv writes the arguments of a run, quoted; files of the phase by their labels.
func argv(args []plan.Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = quote(a.String())
	}
	return out
}
