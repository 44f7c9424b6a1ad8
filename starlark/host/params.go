package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// params are the parameters of a script, in the order of their declaration.
type params struct {
	used     []protocol.Parameter
	declared []*record
	values   []starlark.Value
}

// paramValue returns the value of a param(): the one that --set gives, read as the default's type, or the default.
func paramValue(r *record) starlark.Value {
	e := r.call.eval
	if r.failed {
		return nil
	}
	name, value := r.text("name"), r.get("default")
	for i, d := range e.params.declared {
		if d.text("name") != name {
			continue
		}
		if same, _ := starlark.Equal(d.get("default"), value); same && d.get("default").Type() == value.Type() {
			return e.params.values[i]
		}
		r.report(r.arg("default"), "declared at %s with the default %s", d.at(), describe(d.get("default")))
		return nil
	}
	if set, ok := e.options.Params[name]; ok {
		v, err := parseSet(set, value)
		if err != nil {
			r.report(r.arg("name"), "--set %s=%s: %v", name, set, err)
			return nil
		}
		value = v
	}
	e.params.declared = append(e.params.declared, r)
	e.params.values = append(e.params.values, value)
	e.params.used = append(e.params.used, protocol.Parameter{Name: name, Value: protocolValue(value)})
	return value
}

// parseSet reads the text of a --set as the type of the default.
func parseSet(text string, like starlark.Value) (starlark.Value, error) {
	switch like.(type) {
	case starlark.Bool:
		switch strings.ToLower(text) {
		case "true":
			return starlark.True, nil
		case "false":
			return starlark.False, nil
		}
		return nil, fmt.Errorf("want true or false")
	case starlark.Int:
		i, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("want an int")
		}
		return starlark.MakeInt64(i), nil
	case starlark.Float:
		f, err := strconv.ParseFloat(text, 64)
		if v := starlark.Float(f); err == nil {
			if _, finite := finiteNumber(v); finite {
				return v, nil
			}
		}
		return nil, fmt.Errorf("want a finite number")
	}
	if s := starlark.String(text); invalidUTF8([]byte(text)) < 0 && len(text) < maxText && !strings.Contains(text, "\x00") {
		return s, nil
	}
	return nil, fmt.Errorf("want UTF-8 text without NUL bytes, shorter than %d bytes", maxText)
}

// checkUnknown reports --set values that no param() takes.
func (p *params) checkUnknown(e *evaluation) {
	var known, unknown []string
	for _, d := range p.declared {
		known = append(known, d.text("name"))
	}
	for name := range e.options.Params {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		there := "the script has no param()"
		if len(known) > 0 {
			there = "there are " + strings.Join(known, ", ")
		}
		e.add(Diagnostic{File: e.entry.name, What: "--set", Message: fmt.Sprintf("no parameter %q%s; %s", name, didYouMean(name, known), there)})
	}
}
