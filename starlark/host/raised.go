package host

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// raised reports an error that ended an evaluation, at the innermost place in a script. what says whose callback
// ran; it is empty for top levels.
func (e *evaluation) raised(err error, what string) {
	var ee *starlark.EvalError
	if !errors.As(err, &ee) {
		e.add(Diagnostic{File: e.entry.name, What: what, Message: err.Error()})
		return
	}
	if errors.Is(err, errReported) && len(e.diags) > 0 {
		return
	}
	stack := slices.Clone(ee.CallStack)
	message := strings.TrimPrefix(ee.Msg, "Starlark computation cancelled: ")
	e.stopped = e.stopped || message != ee.Msg
	if n := len(stack); n > 0 && what == "" {
		if name := stack.At(0).Name; e.byName[stack.At(0).Pos.Filename()] == nil && strings.HasPrefix(message, name+": ") {
			what, message = name, strings.TrimPrefix(message, name+": ")
		}
	}
	for len(stack) > 0 && e.byName[stack.At(0).Pos.Filename()] == nil {
		stack.Pop()
	}
	if e.callback != nil && strings.Contains(message, "frozen") {
		message += "; globals are frozen before callbacks run: what a callback needs, it makes or reads"
	}
	if len(stack) == 0 {
		e.add(Diagnostic{File: e.entry.name, What: what, Message: message})
		return
	}
	callee := e.calleeOf(&stack, message)
	top := stack.Pop()
	f := e.byName[top.Pos.Filename()]
	s := span{pointOf(top.Pos), pointOf(top.Pos)}
	if n := f.nodes[pointOf(top.Pos)]; n != nil {
		s = spanOf(n)
		message, s = hinted(message, callee, n, s)
	}
	d := f.diagnostic(s, what, message)
	d.Callers = e.callers(stack)
	d.Load = e.loading()
	e.add(d)
}

// misfit matches what is wrong with the arguments of a function of a script. Its own frame is on the stack by then, and
// the mistake is the caller's.
var misfit = regexp.MustCompile(`^function \S+ (got an unexpected keyword argument|got multiple values|missing \d|accepts )`)

// calleeOf removes the frame of a function that was never entered, and returns its syntax; nil where there is none.
func (e *evaluation) calleeOf(stack *starlark.CallStack, message string) syntax.Node {
	if len(*stack) < 2 || !misfit.MatchString(message) || e.byName[stack.At(1).Pos.Filename()] == nil {
		return nil
	}
	top := stack.Pop()
	return e.byName[top.Pos.Filename()].funcAround(pointOf(top.Pos))
}

// funcAround returns the innermost function around a point; nil where there is none.
func (f *file) funcAround(at point) syntax.Node {
	var found syntax.Node
	var start point
	for _, fn := range f.funcs {
		s := spanOf(fn)
		if !at.before(s.start) && at.before(s.end) && (found == nil || start.before(s.start)) {
			found, start = fn, s.start
		}
	}
	return found
}

var (
	unexpected = regexp.MustCompile(`unexpected keyword argument "?(\w+)"?( \(did you mean .*\))?$`)
	memberless = regexp.MustCompile(`^(\w+) has no \.(\w+) (?:field or method|attribute)( \(did you mean .*\))?$`)
)

// methods are those of the language's own types.
var methods = map[string][]string{
	"dict":   new(starlark.Dict).AttrNames(),
	"list":   new(starlark.List).AttrNames(),
	"set":    new(starlark.Set).AttrNames(),
	"string": starlark.String("").AttrNames(),
}

// hinted adds the nearest name to an error of the interpreter, whose own hints see a part of the names alone, and
// narrows the span of a call to the argument that is meant.
func hinted(message string, callee syntax.Node, at syntax.Expr, s span) (string, span) {
	if m := memberless.FindStringSubmatch(message); m != nil {
		return memberHint(message, m[1], m[2], m[3], at), s
	}
	m := unexpected.FindStringSubmatch(message)
	c, isCall := at.(*syntax.CallExpr)
	if m == nil || !isCall {
		return message, s
	}
	names := parametersOf(callee)
	if id, ok := c.Fn.(*syntax.Ident); ok && callee == nil {
		names = languageKeywords[id.Name]
	}
	if hint := didYouMean(m[1], names); hint != "" {
		message = strings.TrimSuffix(message, m[2]) + hint
	}
	for _, a := range c.Args {
		if e, ok := a.(*syntax.BinaryExpr); ok && e.Op == syntax.EQ {
			if id, ok := e.X.(*syntax.Ident); ok && id.Name == m[1] {
				return message, spanOf(e)
			}
		}
	}
	return message, s
}

// memberHint adds the nearest member of a module of builtins, or method of a type of the language.
func memberHint(message, typ, name, hint string, at syntax.Expr) string {
	if dot, ok := at.(*syntax.DotExpr); ok && typ == "module" {
		if members := membersOf(dot.X); len(members) > 0 {
			return fmt.Sprintf("%s has no member %q%s", dot.X.(*syntax.Ident).Name, name, hintOrList(name, members))
		}
	}
	if near := nearest(name, methods[typ]); near != "" {
		return strings.TrimSuffix(message, hint) + fmt.Sprintf(" (did you mean .%s?)", near)
	}
	return message
}

// membersOf returns the members of the module of builtins that an expression names.
func membersOf(x syntax.Expr) []string {
	id, ok := x.(*syntax.Ident)
	if !ok {
		return nil
	}
	var members []string
	for _, k := range kinds {
		if module, member, dotted := strings.Cut(k.name, "."); dotted && module == id.Name {
			members = append(members, member)
		}
	}
	return members
}

// languageKeywords are the keywords of the language's own builtins, which it does not tell.
var languageKeywords = map[string][]string{
	"sorted": {"key", "reverse"}, "min": {"key"}, "max": {"key"}, "int": {"base"}, "print": {"sep"},
}

// parametersOf returns what a function of a script can be given by name.
func parametersOf(fn syntax.Node) []string {
	var params []syntax.Expr
	switch fn := fn.(type) {
	case *syntax.DefStmt:
		params = fn.Params
	case *syntax.LambdaExpr:
		params = fn.Params
	}
	var names []string
	for _, p := range params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			p = b.X
		}
		if id, ok := p.(*syntax.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}
