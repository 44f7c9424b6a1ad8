package host

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
)

// Print returns the flat form of a phase: Starlark without loops and functions and with every default written
// out. Evaluating it gives the same phase, places aside. Equal phases give equal bytes.
func Print(p *protocol.Phase) []byte {
	f := &flat{phase: p, files: map[string]string{}}
	var b strings.Builder
	for _, x := range p.Params {
		f.statement(&b, "", callExpr("param", f.args("param", values{"name": quoted(x.Name), "default": f.value(x.Value)})))
	}
	// Profiles come before the builds that name them.
	files := slices.Clone(p.Files)
	slices.SortStableFunc(files, func(a, b protocol.File) int { return needs(&a) - needs(&b) })
	for i := range files {
		name := "file_" + strconv.Itoa(i+1)
		f.statement(&b, name+" = ", f.file(&files[i]))
		f.files[files[i].Label] = name
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	f.statement(&b, "", f.phaseExpr())
	return []byte(b.String())
}

func needs(f *protocol.File) int {
	if f.Build != nil && f.Build.PGO != nil {
		return 1
	}
	return 0
}

// flat prints one phase.
type flat struct {
	phase *protocol.Phase
	files map[string]string // variables by label
}

// values are the arguments of a call by parameter.
type values map[string]expr

func (f *flat) statement(b *strings.Builder, prefix string, e expr) {
	b.WriteString(prefix)
	e.write(b, 0, len(prefix))
	b.WriteByte('\n')
}

// args puts arguments in the order of the kind's table. A parameter without one is a slip of this package.
func (f *flat) args(kindName string, vs values) []item {
	var items []item
	k := kindOf(kindName)
	if k == nil { // of data that no script gave
		for _, name := range slices.Sorted(maps.Keys(vs)) {
			items = append(items, item{name + " = ", vs[name]})
		}
		return items
	}
	for i, p := range k.params {
		v, ok := vs[p.name]
		if !ok {
			if functional[kindName+"."+p.name] {
				continue
			}
			panic(fmt.Sprintf("%s: parameter %s is not printed", kindName, p.name))
		}
		it := item{p.name + " = ", v}
		if i == 0 && k.leading {
			it.key = ""
		}
		items = append(items, it)
	}
	return items
}

// functional are the parameters that the flat form writes out as commands of every case.
var functional = map[string]bool{"phase.command": true, "arm.command": true, "case.command": true}

func (f *flat) call(kindName string, vs values) expr {
	return callExpr(kindName, f.args(kindName, vs))
}

func (f *flat) file(x *protocol.File) expr {
	if x.Build == nil {
		return f.call(x.Kind, values{"path": quoted(x.Label), "sha256": textOrNone(x.SHA256)})
	}
	b := x.Build
	pgo := leaf("None")
	if b.PGO != nil {
		pgo = f.arg(*b.PGO)
	}
	return f.call(x.Kind, values{
		"package": quoted(b.Package), "ref": textOrNone(b.Ref), "dir": textOrNone(b.Dir), "tags": quotedList(b.Tags),
		"env": envExpr(b.Env), "flags": quotedList(b.Flags), "pgo": pgo,
	})
}

func (f *flat) arg(a protocol.Arg) expr {
	if a.File != "" {
		return leaf(f.files[a.File])
	}
	return quoted(a.Text)
}

func (f *flat) phaseExpr() expr {
	p := f.phase
	vs := values{
		"name": quoted(p.Name), "campaign": quoted(p.Campaign), "question": quoted(p.Question),
		"baseline": quoted(p.Baseline), "contrasts": contrastsExpr(p.Contrasts), "repeats": leaf(strconv.Itoa(p.Repeats)),
		"design": f.design(&p.Design), "estimand": f.estimand(&p.Estimand), "family": textOrNone(p.Family),
		"process": f.process(&p.Process), "on_failure": quoted(p.OnFailure), "on_ceiling": quoted(p.OnCeiling),
		"interrupted": quoted(p.Interrupted), "predictions": quotedList(p.Predictions), "limits": quotedList(p.Limits),
		"arms": each(p.Arms, f.arm), "cases": each(p.Cases, f.caseExpr), "expect": each(p.Expect, f.expect),
		"hosts": each(p.Hosts, f.host), "networks": each(p.Networks, f.network),
		"services": each(p.Services, f.service), "samplers": each(p.Samplers, f.sampler),
		"before_phase": each(p.BeforePhase, f.step), "before_each": each(p.BeforeEach, f.step),
		"after_each": each(p.AfterEach, f.step), "after_phase": each(p.AfterPhase, f.step),
		"checks": each(p.Checks, f.check), "gates": each(p.Gates, f.gate), "references": each(p.References, f.reference),
	}
	var metrics, derived []protocol.Metric
	for _, m := range p.Metrics {
		if m.Role == protocol.RoleDerived {
			derived = append(derived, m)
		} else {
			metrics = append(metrics, m)
		}
	}
	vs["metrics"], vs["derived"] = each(metrics, f.metric), each(derived, f.metric)
	return f.call("phase", vs)
}

// each prints a list. An item of a phase is best read on lines of its own.
func each[T any](all []T, print func(*T) expr) expr {
	items := make([]item, len(all))
	for i := range all {
		items[i].val = print(&all[i])
	}
	return list(items)
}

func (f *flat) own(params []protocol.Parameter) []item {
	items := make([]item, len(params))
	for i, p := range params {
		items[i] = item{p.Name + " = ", f.value(p.Value)}
	}
	return items
}

func (f *flat) arm(a *protocol.Arm) expr {
	return callExpr("arm", append(f.args("arm", values{
		"name": quoted(a.Name), "env": envExpr(a.Env), "cpus": textOrNone(a.CPUs), "control": flagExpr(a.Control),
	}), f.own(a.Params)...))
}

func (f *flat) caseExpr(c *protocol.Case) expr {
	commands := make([]item, 0, len(c.Arms))
	for _, arm := range c.Arms {
		cmd := c.Commands[arm]
		commands = append(commands, entryOf(arm, f.command(&cmd)))
	}
	return callExpr("case", append(f.args("case", values{
		"name": quoted(c.Name), "commands": dict(commands), "arms": quotedList(c.Arms),
	}), f.own(c.Params)...))
}

func (f *flat) command(c *protocol.Command) expr {
	argv := make([]item, len(c.Argv))
	for i, a := range c.Argv {
		argv[i].val = f.arg(a)
	}
	stdin := leaf("None")
	if c.Stdin != nil {
		stdin = f.arg(*c.Stdin)
	}
	return f.call("command", values{
		"argv": list(argv), "format": quoted(c.Format), "names": quotedList(c.Names), "env": envExpr(c.Env),
		"stdin": stdin, "dir": textOrNone(c.Dir),
	})
}

func contrastsExpr(cs []protocol.Contrast) expr {
	if len(cs) == 0 {
		return leaf("None") // one arm
	}
	return each(cs, func(c *protocol.Contrast) expr {
		return tuple([]item{{val: quoted(c.Arm)}, {val: quoted(c.Base)}})
	})
}
