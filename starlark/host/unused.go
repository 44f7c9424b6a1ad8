package host

import (
	"fmt"

	"go.starlark.net/starlark"
)

// checkUnused reports what a reviewer could take for a part of a phase: what the entry script declares and no phase
// uses, and parameters that no callback reads. Commands and files are what callbacks choose among.
func (e *evaluation) checkUnused() {
	for _, m := range e.made {
		if m.kind.name == "phase" {
			e.use(m.record)
		}
	}
	for _, m := range e.made {
		switch {
		case m.used:
			e.checkUnread(m.record)
		case m.byEntry && m.kind.name != "command" && !isFile(m.record):
			m.call.report(m.call.whole(), m.title(), "no phase uses it")
		}
	}
}

// use marks all that a value holds as a part of a phase.
func (e *evaluation) use(v starlark.Value) {
	switch v := v.(type) {
	case *record:
		if v.used {
			return
		}
		v.used = true
		for _, f := range v.fields {
			e.use(f)
		}
	case *starlark.List:
		for i := range v.Len() {
			e.use(v.Index(i))
		}
	case starlark.Tuple:
		for _, x := range v {
			e.use(x)
		}
	}
}

// checkUnread reports the own parameters of an arm or a case that none of its callbacks reads. A case whose
// commands are written out, as in the flat form, has no callback, and its parameters are a description.
func (e *evaluation) checkUnread(r *record) {
	if len(r.askedBy) == 0 && r.flat {
		return
	}
	for _, p := range r.own {
		if !e.isRead(r.kind.name, p.name, r.askedBy) {
			r.call.report(r.call.arg(p.name).span, r.title(), fmt.Sprintf("%s: no callback reads this parameter; read it as %s.%s, or leave it out", p.name, r.kind.name, p.name))
		}
	}
}

func (e *evaluation) isRead(kind, name string, callbacks []*starlark.Function) bool {
	for _, fn := range callbacks {
		if e.reads[read{fn, kind, name}] {
			return true
		}
	}
	return false
}
