package host

import (
	"fmt"

	"go.starlark.net/starlark"
)

// checkUnused reports what a reviewer could take for a part of a phase: arms, cases and metrics of the entry script
// that no phase uses, and parameters that no callback reads.
func (e *evaluation) checkUnused() {
	for _, m := range e.made {
		switch m.kind.name {
		case "arm", "case", "metric", "constant", "derived":
			if !m.used && m.byEntry {
				m.call.report(m.call.whole(), m.title(), "no phase uses it")
			}
			if m.used {
				e.checkUnread(m.record)
			}
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
