package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bazelbuild/buildtools/build"
	"go.starlark.net/syntax"
)

// Format returns a script in the one form that buildifier gives it. The error is Diagnostics where it does not parse.
// A script that is formatted already comes back byte for byte, and none comes back that would say something else.
func Format(name string, src []byte) ([]byte, error) {
	f, err := parseAlone(name, src)
	if err != nil {
		return nil, err
	}
	tree, err := build.ParseDefault(name, src)
	if err != nil {
		return nil, Diagnostics{buildDiagnostic(f, err)}
	}
	out := build.Format(tree)
	again, err := dialect.Parse(name, out, 0)
	if err != nil || outline(again) != outline(f.tree) {
		return nil, Diagnostics{{File: name, What: "format", Message: "its formatted form would not be the same script, so that it is left as it is"}}
	}
	return out, nil
}

// parseAlone checks the bytes and the syntax of a script, without what it loads and without its names.
func parseAlone(name string, src []byte) (*file, error) {
	c := &closure{}
	f := &file{label: name, name: name, src: src, lines: strings.Split(string(src), "\n"), defined: func(string) bool { return true }}
	if !c.checkBytes(f) {
		return nil, c.diags
	}
	tree, err := dialect.Parse(name, src, 0)
	var wrong syntax.Error
	switch {
	case errors.As(err, &wrong):
		return nil, Diagnostics{syntaxDiagnostic(f, wrong)}
	case err != nil:
		return nil, Diagnostics{{File: name, Message: err.Error()}}
	}
	f.tree = tree
	if n := tooDeep(tree); n != nil {
		return nil, Diagnostics{f.diagnostic(spanAt(n), "syntax", fmt.Sprintf("expressions are nested more than %d deep here", maxTreeDepth))}
	}
	return f, nil
}

// maxTreeDepth bounds what buildifier is given: its time grows with the square of the depth, a.b.c.d… for instance.
const maxTreeDepth = 2000

// tooDeep returns a node that is nested too deep, or nil.
func tooDeep(tree *syntax.File) (deep syntax.Node) {
	depth := 0
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch {
		case n == nil:
			depth--
			return false
		case deep != nil || depth >= maxTreeDepth:
			deep = n
			return false
		}
		depth++
		return true
	})
	return deep
}

func spanAt(n syntax.Node) span {
	start, _ := n.Span()
	return span{pointOf(start), pointOf(start)}
}

// buildDiagnostic is an error of buildifier's parser, which refuses a little that ours takes.
func buildDiagnostic(f *file, err error) Diagnostic {
	var wrong build.ParseError
	if !errors.As(err, &wrong) {
		return Diagnostic{File: f.name, What: "syntax", Message: err.Error()}
	}
	at := point{int32(wrong.Pos.Line), int32(wrong.Pos.LineRune)}
	return f.diagnostic(span{at, at}, "syntax", wrong.Message)
}

// outline is what a script says, without its form: no places, no comments, no parentheses that only group, the names
// of a load statement sorted.
func outline(tree *syntax.File) string {
	var b strings.Builder
	var grouped []bool // of the nodes that are open
	syntax.Walk(tree, func(n syntax.Node) bool {
		if n == nil {
			if last := len(grouped) - 1; !grouped[last] {
				b.WriteByte(')')
			}
			grouped = grouped[:len(grouped)-1]
			return false
		}
		_, group := n.(*syntax.ParenExpr)
		grouped = append(grouped, group)
		if group {
			return true
		}
		fmt.Fprintf(&b, "(%T", n)
		switch n := n.(type) {
		case *syntax.Ident:
			b.WriteString(n.Name)
		case *syntax.Literal:
			fmt.Fprintf(&b, " %v", n.Value)
		case *syntax.BinaryExpr:
			b.WriteString(n.Op.String())
		case *syntax.UnaryExpr:
			b.WriteString(n.Op.String())
		case *syntax.AssignStmt:
			b.WriteString(n.Op.String())
		case *syntax.BranchStmt:
			b.WriteString(n.Token.String())
		case *syntax.IfStmt:
			fmt.Fprintf(&b, " %d", len(n.True))
		case *syntax.LoadStmt:
			names := make([]string, len(n.From))
			for i := range names {
				names[i] = n.From[i].Name + " as " + n.To[i].Name
			}
			slices.Sort(names)
			fmt.Fprintf(&b, " %s %v", n.ModuleName(), names)
			b.WriteByte(')')
			grouped = grouped[:len(grouped)-1]
			return false
		}
		return true
	})
	return b.String()
}
