package host

import (
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/syntax"
)

// Diagnose shows problems of validation, designs, plans or runs in the form of the script's own errors. A message
// that starts with the name of a parameter, "cpus: ...", is marked at the argument of that name.
func (s *Script) Diagnose(ps protocol.Problems) Diagnostics {
	var ds Diagnostics
	for _, p := range ps {
		ds.add(s.diagnose(p))
	}
	return ds
}

func (s *Script) diagnose(p protocol.Problem) Diagnostic {
	f := s.files[p.At.File]
	if f == nil {
		return Diagnostic{File: p.At.File, Line: p.At.Line, Col: p.At.Col, EndCol: p.At.Col + 1, What: p.What, Message: p.Message, Callers: p.At.Callers}
	}
	at := point{int32(p.At.Line), int32(p.At.Col)}
	marked := span{at, at}
	if c := f.callAt(at); c != nil {
		marked = spanOf(c.Fn)
		name, _, _ := strings.Cut(p.Message, ": ")
		for _, a := range c.Args {
			if e, ok := a.(*syntax.BinaryExpr); ok && e.Op == syntax.EQ {
				if id, ok := e.X.(*syntax.Ident); ok && id.Name == name {
					marked = spanOf(e)
				}
			}
		}
	}
	d := f.diagnostic(marked, p.What, p.Message)
	d.Callers = p.At.Callers
	return d
}

// callAt returns the call expression that starts at a point; of nested ones, f(x)(y), the innermost.
func (f *file) callAt(at point) *syntax.CallExpr {
	var found *syntax.CallExpr
	for _, n := range f.nodes {
		c, ok := n.(*syntax.CallExpr)
		if ok && spanOf(c).start == at && (found == nil || pointOf(c.Lparen).before(pointOf(found.Lparen))) {
			found = c
		}
	}
	return found
}

func (p point) before(q point) bool {
	return p.line < q.line || (p.line == q.line && p.col < q.col)
}
