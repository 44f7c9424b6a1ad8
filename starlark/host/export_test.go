package host

import (
	"context"
	"io/fs"
	"os"
)

// Parameters are all parameters of the tables, "arm.env", that the flat form of a phase can set: those that it writes out
// as commands, the builtins whose value is plain text, and what takes its default alone, are left out.
func Parameters() []string {
	var all []string
	for _, k := range kinds {
		for _, p := range k.params {
			only := p.value != nil && p.value.String() == p.typ.name
			if name := k.name + "." + p.name; !functional[name] && k.name != "cpu_set" && !only {
				all = append(all, name)
			}
		}
	}
	return all
}

// EvalSet evaluates a script and returns its phases, and the parameters that its calls set to something else than
// their default.
func EvalSet(entry string, std fs.FS) (*Script, map[string]bool, error) {
	folder, label, err := locate(entry, "")
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	e, s, err := prepare(root, folder, label, Options{Std: std})
	if err == nil {
		err = e.finish(context.Background(), s)
	}
	if err != nil {
		return nil, nil, err
	}
	set := map[string]bool{}
	note := func(r *record) {
		for i, p := range r.kind.params {
			if r.fields[i] != nil && !isDefault(r.fields[i], p.value) {
				set[r.kind.name+"."+p.name] = true
			}
		}
	}
	for _, m := range e.made {
		note(m.record)
	}
	for _, r := range e.params.declared {
		note(r)
	}
	return s, set, nil
}
