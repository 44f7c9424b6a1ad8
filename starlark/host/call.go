package host

import (
	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// call is one call of a builtin: where it stands, and who called that.
type call struct {
	eval *evaluation
	kind *kind
	file *file            // nil where no script made the call
	expr *syntax.CallExpr // nil where another builtin made the call
	at   protocol.Place
}

// callOf returns the call of the builtin that runs on the thread. Calls of one builtin that come from one place, one
// after the other, are one value: a comprehension or a callback makes thousands.
func (e *evaluation) callOf(thread *starlark.Thread, k *kind) *call {
	last := e.calls[k]
	if last.matches(thread) {
		return last.call
	}
	c := e.newCall(thread, k)
	if k != nil {
		last.call, last.stack = c, last.stack[:0]
		for i := 1; i < thread.CallStackDepth(); i++ {
			f := thread.CallFrame(i)
			last.stack = append(last.stack, frame{f.Name, f.Pos})
		}
		e.calls[k] = last
	}
	return c
}

// lastCall is a call with the stack below its builtin, from the inside out.
type lastCall struct {
	call  *call
	stack []frame
}

type frame struct {
	name string
	pos  syntax.Position
}

// matches reports whether the stack of the thread, below its builtin, is that of the call.
func (l lastCall) matches(thread *starlark.Thread) bool {
	if l.call == nil || thread.CallStackDepth() != len(l.stack)+1 {
		return false
	}
	for i, f := range l.stack {
		if now := thread.CallFrame(i + 1); now.Pos != f.pos || now.Name != f.name {
			return false
		}
	}
	return true
}

// newCall reads the stack of the thread.
func (e *evaluation) newCall(thread *starlark.Thread, k *kind) *call {
	c := &call{eval: e, kind: k}
	stack := thread.CallStack()
	stack.Pop() // the builtin itself
	for len(stack) > 0 && e.byName[stack.At(0).Pos.Filename()] == nil {
		stack.Pop()
	}
	if len(stack) == 0 {
		return c
	}
	top := stack.Pop()
	c.file = e.byName[top.Pos.Filename()]
	c.expr, _ = c.file.nodes[pointOf(top.Pos)].(*syntax.CallExpr)
	at := c.file.startOf(top.Pos)
	c.at = protocol.Place{File: c.file.name, Line: int(at.line), Col: int(at.col), Callers: e.callers(stack)}
	return c
}

// callers returns the frames of a stack that stand in scripts, from the inside out.
func (e *evaluation) callers(stack starlark.CallStack) []protocol.Frame {
	var frames []protocol.Frame
	for i := range len(stack) {
		c := stack.At(i)
		if f := e.byName[c.Pos.Filename()]; f != nil {
			frames = append(frames, f.frame(c))
		}
	}
	return frames
}

// whole returns the span of the function's name, which stands for the call as a whole.
func (c *call) whole() span {
	if c.expr != nil {
		return spanOf(c.expr.Fn)
	}
	p := point{int32(c.at.Line), int32(c.at.Col)}
	return span{p, p}
}

// arg returns the place of the named argument: the keyword, the leading positional one, the **kwargs that may
// hold it, or the call itself.
func (c *call) arg(name string) arg {
	a := arg{call: c, param: name, span: c.whole()}
	if c.expr == nil {
		return a
	}
	for i, e := range c.expr.Args {
		switch e := e.(type) {
		case *syntax.BinaryExpr:
			if id, ok := e.X.(*syntax.Ident); ok && e.Op == syntax.EQ {
				if id.Name == name {
					a.expr, a.span = e.Y, spanOf(e)
					return a
				}
				continue
			}
		case *syntax.UnaryExpr:
			if e.Op == syntax.STARSTAR {
				a.span = spanOf(e)
				continue
			}
			if e.Op == syntax.STAR {
				continue
			}
		}
		if i == 0 && c.kind.leading && name == c.kind.params[0].name {
			a.expr, a.span = e, spanOf(e)
			return a
		}
	}
	return a
}

// positional returns the place of the i'th positional argument.
func (c *call) positional(i int) span {
	if c.expr != nil && i < len(c.expr.Args) {
		return spanOf(c.expr.Args[i])
	}
	return c.whole()
}

// report records a diagnostic at a span of the call's file, with the call's callers.
func (c *call) report(s span, what, message string) {
	if in := c.eval.context.String(); in != "" {
		what = in + ": " + what
	}
	d := c.file.diagnostic(s, what, message)
	if c.file == nil {
		d.File = c.eval.entry.name
	}
	d.Load = c.eval.loading()
	d.Callers = c.at.Callers
	c.eval.add(d)
}
