package host

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// buildCommands evaluates the command of every arm of every case, cases outer.
func (b *builder) buildCommands() {
	for i, c := range b.cases {
		pc := &b.phase.Cases[i]
		b.checkCommands(c)
		for _, a := range b.arms {
			if _, asked := indexOf(pc.Arms, a.nameOf()); !asked || c.failed || a.failed {
				continue
			}
			if cmd, ok := b.command(c, a); ok {
				pc.Commands[a.nameOf()] = cmd
			}
			if b.eval.stopped {
				return
			}
		}
	}
	b.checkEqualCases()
}

func indexOf(names []string, name string) (int, bool) {
	for i, n := range names {
		if n == name {
			return i, true
		}
	}
	return 0, false
}

// checkCommands reports names in a case's commands that are no arms of it.
func (b *builder) checkCommands(c *record) {
	d, ok := c.get("commands").(*starlark.Dict)
	if !ok {
		return
	}
	for i, key := range d.Keys() {
		n, _ := starlark.AsString(key)
		at, _ := c.arg("commands").entry(i)
		if !b.knownArm(c, at, "commands", n) || c.get("arms") == starlark.None {
			continue
		}
		if _, asked := indexOf(c.texts("arms"), n); !asked {
			c.report(at, "commands: the case does not ask arm %q", n)
		}
	}
}

// command finds the command of an arm in a case: the case's or the arm's, else the phase's.
func (b *builder) command(c, a *record) (protocol.Command, bool) {
	v := b.commandOf(c, a)
	if v == nil {
		return protocol.Command{}, false
	}
	what := subject{c, a, ", "}
	fn, isFunc := v.(*starlark.Function)
	if isFunc {
		var ok bool
		if v, ok = b.eval.call(fn, what, a, c); !ok {
			return protocol.Command{}, false
		}
	}
	r, ok := v.(*record)
	if !ok || r.kind.name != "command" {
		b.eval.returned(fn, what.String(), "want command(), got "+describe(v))
		return protocol.Command{}, false
	}
	if r.failed {
		return protocol.Command{}, false
	}
	b.checkProcs(a, r)
	return b.finish(r, what)
}

// commandOf returns a command() or a callback; nil where there is none, or where it was refused.
func (b *builder) commandOf(c, a *record) starlark.Value {
	if d, ok := c.get("commands").(*starlark.Dict); ok {
		c.flat, a.flat = true, true
		v, found, _ := d.Get(starlark.String(a.nameOf()))
		if !found {
			c.report(c.arg("commands"), "commands: no command for arm %q", a.nameOf())
			return nil
		}
		if a.get("command") != starlark.None {
			c.report(c.arg("commands"), "commands: %s has a command too, at %s; want one of them", a.title(), a.at())
			return nil
		}
		return v
	}
	cv, av, pv := c.get("command"), a.get("command"), b.r.get("command")
	switch {
	case cv == nil || av == nil || pv == nil:
		return nil // refused
	case cv != starlark.None && av != starlark.None:
		c.report(c.arg("command"), "command: %s has a command too, at %s; want one of them", a.title(), a.at())
		return nil
	case cv != starlark.None:
		return cv
	case av != starlark.None:
		return av
	case pv != starlark.None:
		return pv
	}
	c.call.report(c.call.whole(), c.title(), fmt.Sprintf("no command for arm %q: neither the case, the arm nor the phase names one", a.nameOf()))
	return nil
}

// finish turns a command() into plain data, and appends the flags that Go benchmarks need.
func (b *builder) finish(r *record, what subject) (protocol.Command, bool) {
	cmd := protocol.Command{Format: r.text("format"), Names: r.texts("names"), Env: r.env("env"), Dir: r.text("dir"), At: r.at()}
	if l, ok := r.get("argv").(*starlark.List); ok {
		cmd.Argv = make([]protocol.Arg, l.Len(), l.Len()+3) // and the flags of a Go benchmark
		for i := range cmd.Argv {
			cmd.Argv[i] = b.argOf(l.Index(i))
		}
	}
	if in := r.record("stdin"); in != nil {
		a := b.argOf(in)
		cmd.Stdin = &a
	}
	if cmd.Dir == "." {
		cmd.Dir = ""
	}
	repeats := b.phase.Repeats
	switch cmd.Format {
	case protocol.FormatGobench:
		argv, err := benchFlags(cmd.Argv, repeats)
		if err != nil {
			r.call.report(r.arg("argv").span, what.String(), "argv: "+err.Error())
			return cmd, false
		}
		cmd.Argv = argv
	case protocol.FormatProcess, protocol.FormatNone:
		if repeats > 1 {
			b.r.report(b.r.arg("repeats"), "repeats: %d, and format %q (at %s) gives one sample a process; use more blocks instead", repeats, cmd.Format, r.at())
			return cmd, false
		}
	}
	return cmd, true
}

func (b *builder) argOf(v starlark.Value) protocol.Arg {
	if r, ok := v.(*record); ok {
		return protocol.Arg{File: b.addFile(r)}
	}
	s, _ := starlark.AsString(v)
	return protocol.Arg{Text: s}
}
