package host

import (
	"slices"
	"strconv"

	"github.com/phaselock/phaselock/lib/protocol"
)

func textOrNone(s string) expr {
	if s == "" {
		return leaf("None")
	}
	return quoted(s)
}

func flagExpr(b bool) expr {
	if b {
		return leaf("True")
	}
	return leaf("False")
}

func floatOrNone(f *float64) expr {
	if f == nil {
		return leaf("None")
	}
	return leaf(protocol.FormatFloat(*f))
}

func intExpr[T int | int64](n T) expr { return leaf(strconv.FormatInt(int64(n), 10)) }

func durationOrNone(d protocol.Duration) expr {
	if d == 0 {
		return leaf("None")
	}
	return quoted(d.String())
}

// envExpr prints variables by name, sorted.
func envExpr(env map[string]string) expr {
	return sortedDict(env, quoted)
}

func sortedDict[V any](m map[string]V, print func(V) expr) expr {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	items := make([]item, len(keys))
	for i, k := range keys {
		items[i] = entryOf(k, print(m[k]))
	}
	return dict(items)
}

// value prints a parameter's value.
func (f *flat) value(v protocol.Value) expr {
	switch x := v.V.(type) {
	case bool:
		return flagExpr(x)
	case int64:
		return intExpr(x)
	case interface{ String() string }: // *big.Int
		return leaf(x.String())
	case float64:
		return leaf(protocol.FormatFloat(x))
	case string:
		return quoted(x)
	case protocol.FileRef:
		return leaf(f.files[string(x)])
	case protocol.List:
		return each(x, func(v *protocol.Value) expr { return f.value(*v) })
	case protocol.Tuple:
		e := each(x, func(v *protocol.Value) expr { return f.value(*v) })
		return tuple(e.items)
	case protocol.Dict:
		items := make([]item, len(x))
		for i, e := range x {
			items[i] = item{f.value(e.Key).line() + ": ", f.value(e.Value)}
		}
		return dict(items)
	}
	return leaf("None")
}

func (f *flat) design(d *protocol.Design) expr {
	if d.Kind != protocol.DesignFixed {
		return f.call(d.Kind, values{
			"blocks": intExpr(d.Blocks), "seed": intExpr(d.Seed), "nesting": quoted(d.Nesting), "order": quoted(d.Order),
		})
	}
	var orders expr
	if len(d.Orders) > 0 && d.Orders[0].Case == "" {
		orders = each(d.Orders[0].Blocks, func(b *[]string) expr { return quotedList(*b) })
	} else {
		items := make([]item, len(d.Orders))
		for i, o := range d.Orders {
			items[i] = entryOf(o.Case, each(o.Blocks, func(b *[]string) expr { return quotedList(*b) }))
		}
		orders = dict(items)
	}
	return f.call(d.Kind, values{"orders": orders, "nesting": quoted(d.Nesting)})
}

func (f *flat) estimand(e *protocol.Estimand) expr {
	return f.call(e.Kind, values{"interval": f.interval(&e.Interval), "also": each(e.Also, f.interval)})
}

func (f *flat) interval(i *protocol.Interval) expr {
	vs := values{"level": leaf(protocol.FormatFloat(i.Level))}
	if i.Kind == protocol.Percentile {
		vs["resamples"], vs["seed"] = intExpr(i.Resamples), intExpr(i.Seed)
	}
	return f.call(i.Kind, vs)
}

func (f *flat) metric(m *protocol.Metric) expr {
	estimand := leaf("None")
	if m.Estimand != nil {
		estimand = f.estimand(m.Estimand)
	}
	switch m.Role {
	case protocol.RoleConstant:
		return f.call(m.Role, values{"unit": quoted(m.Unit), "equals": f.equals(m.Equals), "confound": textOrNone(m.Confound)})
	case protocol.RoleDerived:
		return f.call(m.Role, values{
			"name": quoted(m.Unit), "num": quoted(m.Num), "den": quoted(m.Den), "better": quoted(m.Better), "estimand": estimand,
		})
	}
	return f.call(m.Role, values{"unit": quoted(m.Unit), "better": quoted(m.Better), "estimand": estimand})
}

// equals prints what a constant equals, in the order of the cases.
func (f *flat) equals(m map[string]float64) expr {
	if len(m) == 0 {
		return leaf("None")
	}
	var items []item
	for _, c := range f.phase.Cases {
		if v, ok := m[c.Name]; ok {
			items = append(items, entryOf(c.Name, leaf(protocol.FormatFloat(v))))
		}
	}
	return dict(items)
}

func (f *flat) process(p *protocol.Process) expr {
	aslr, nice := leaf("None"), leaf("None")
	if p.ASLR != nil {
		aslr = flagExpr(*p.ASLR)
	}
	if p.Nice != nil {
		nice = intExpr(*p.Nice)
	}
	return f.call("process", values{
		"cpus": textOrNone(p.CPUs), "env": envExpr(p.Env), "netns": textOrNone(p.Netns), "aslr": aslr, "nice": nice,
		"timeout": durationOrNone(p.Timeout), "limits": sortedDict(p.Limits, intExpr[int64]), "host": textOrNone(p.Host), "pad": flagExpr(p.Pad),
		"calibrate": durationOrNone(p.Calibrate),
	})
}

func (f *flat) expect(x *protocol.Expect) expr {
	kindName := "expect." + x.Kind
	switch x.Kind {
	case protocol.ExpectExit:
		return f.call(kindName, values{"code": intExpr(x.Code)})
	case protocol.ExpectStdout:
		return f.call(kindName, values{"matches": textOrNone(x.Matches), "sha256": textOrNone(x.SHA256)})
	case protocol.ExpectMetric:
		return f.call(kindName, values{"unit": quoted(x.Unit), "equals": floatOrNone(x.Equals)})
	}
	where := make([]item, len(x.Where))
	for i, p := range x.Where {
		where[i] = entryOf(p.Name, f.value(p.Value))
	}
	return f.call(kindName, values{"name": quoted(x.Name), "per_repeat": intExpr(x.PerRepeat), "where": dict(where)})
}

func (f *flat) check(c *protocol.Check) expr {
	vs := values{"on": quoted(c.On)}
	if k := kindOf(c.Kind); k == nil || k.index("metric") >= 0 {
		vs["metric"] = quoted(c.Metric)
	}
	return f.call(c.Kind, vs)
}

func (f *flat) gate(g *protocol.Gate) expr {
	return f.call("gate", values{
		"metric": quoted(g.Metric), "max_ratio": floatOrNone(g.MaxRatio), "min_ratio": floatOrNone(g.MinRatio),
		"max_difference": floatOrNone(g.MaxDifference), "cases": quotedList(g.Cases), "accept_narrow": flagExpr(g.AcceptNarrow),
	})
}

func (f *flat) reference(r *protocol.Reference) expr {
	return f.call("reference", values{
		"label": quoted(r.Label), "value": leaf(protocol.FormatFloat(r.Value)), "metric": textOrNone(r.Metric),
		"case": textOrNone(r.Case), "low": floatOrNone(r.Low), "high": floatOrNone(r.High), "source": quoted(r.Source),
	})
}
