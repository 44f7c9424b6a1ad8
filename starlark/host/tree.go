package host

import (
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// file is one script of the closure, parsed. Its syntax tree says where an argument stands, which the
// interpreter does not: it knows the place of a call's parenthesis only.
type file struct {
	label   string // "//c2.star", "@std//go.star"
	name    string // the label as positions print it, without leading slashes
	src     []byte
	lines   []string
	tree    *syntax.File
	program *starlark.Program
	defined func(name string) bool // whether it can use a builtin of that name
	loads   []load
	nodes   map[point]syntax.Expr // by the position that the interpreter reports for them
	funcs   map[point]syntax.Node // def statements and lambdas, by the position of their first token
	loops   map[point]bool        // where the variables of loops and comprehensions are bound
}

// load is one load statement.
type load struct {
	written string // the label in the script
	at      syntax.Position
	from    *file
	to      *file
}

// point is a position within a file.
type point struct{ line, col int32 }

func pointOf(p syntax.Position) point { return point{p.Line, p.Col} }

// span is a stretch of source.
type span struct{ start, end point }

func (f *file) line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

// index fills nodes, funcs and loops.
func (f *file) index() {
	f.nodes = map[point]syntax.Expr{}
	f.funcs = map[point]syntax.Node{}
	f.loops = map[point]bool{}
	syntax.Walk(f.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			f.nodes[pointOf(n.Lparen)] = n
		case *syntax.DotExpr:
			f.nodes[pointOf(n.Dot)] = n
		case *syntax.IndexExpr:
			f.nodes[pointOf(n.Lbrack)] = n
		case *syntax.SliceExpr:
			f.nodes[pointOf(n.Lbrack)] = n
		case *syntax.BinaryExpr:
			f.nodes[pointOf(n.OpPos)] = n
		case *syntax.UnaryExpr:
			f.nodes[pointOf(n.OpPos)] = n
		case *syntax.Ident:
			f.nodes[pointOf(n.NamePos)] = n
		case *syntax.DefStmt:
			f.funcs[pointOf(n.Def)] = n
		case *syntax.LambdaExpr:
			f.funcs[pointOf(n.Lambda)] = n
		case *syntax.ForStmt:
			f.loopVars(n.Vars)
		case *syntax.ForClause:
			f.loopVars(n.Vars)
		}
		return true
	})
}

func (f *file) loopVars(vars syntax.Expr) {
	syntax.Walk(vars, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			f.loops[pointOf(id.NamePos)] = true
		}
		return true
	})
}

// spanOf returns the stretch of a node. Bracketed nodes end after their bracket, which syntax.End leaves out
// for tuples, slices and indices.
func spanOf(n syntax.Node) span {
	start, end := n.Span()
	s := span{pointOf(start), pointOf(end)}
	switch n := n.(type) {
	case *syntax.TupleExpr:
		if n.Lparen.IsValid() {
			s.end.col++
		}
	case *syntax.IndexExpr, *syntax.SliceExpr:
		s.end.col++
	case *syntax.BinaryExpr:
		s.end = spanOf(n.Y).end
	case *syntax.ParenExpr:
		s.end = point{n.Rparen.Line, n.Rparen.Col + 1}
	}
	return s
}

// diagnostic marks a span of f. A span of several lines is marked to the end of its first.
func (f *file) diagnostic(s span, what, message string) Diagnostic {
	d := Diagnostic{What: what, Message: message}
	if f == nil {
		return d
	}
	d.File, d.Line, d.Col, d.EndCol = f.name, int(s.start.line), int(s.start.col), int(s.end.col)
	d.Text = f.line(d.Line)
	if s.end.line > s.start.line || d.EndCol > len([]rune(d.Text))+1 {
		d.EndCol = len([]rune(strings.TrimRight(d.Text, " \t"))) + 1
	}
	d.EndCol = max(d.EndCol, d.Col+1)
	return d
}

// startOf moves a position that the interpreter reports to the start of the expression there.
func (f *file) startOf(p syntax.Position) point {
	if f != nil {
		if n, ok := f.nodes[pointOf(p)].(*syntax.CallExpr); ok {
			return spanOf(n).start
		}
	}
	return pointOf(p)
}

// frame is a caller, at the start of its call expression.
func (f *file) frame(c starlark.CallFrame) protocol.Frame {
	at := f.startOf(c.Pos)
	return protocol.Frame{File: f.name, Line: int(at.line), Col: int(at.col), Func: c.Name}
}
