package host

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"go.starlark.net/starlark"

	"github.com/phaselock/phaselock/lib/protocol"
)

// referenceTemplate is what the tables cannot say: rules, callbacks, errors.
//
//go:embed reference.md.tmpl
var referenceTemplate string

// Reference renders the reference of the phase language as Markdown: the tables of the builtins and the docstrings of
// the standard library, x.star for @std//x.star, between the text of reference.md.tmpl. It fails where a builtin, a
// module or a parameter would stand there without a line of doc, or not exactly once.
func Reference(std fs.FS) ([]byte, error) {
	r := &reference{std: std, shown: map[string]int{}}
	t, err := template.New("language.md").Funcs(template.FuncMap{
		"index_of_builtins": r.index,
		"builtins":          r.kinds,
		"module":            r.module,
		"language_names":    languageNames,
		"process_units":     func() string { return code(protocol.ProcessUnits) },
		"reserved":          func() string { return code(reserved) },
		"steps":             func() int { return defaultMaxSteps },
		"max_runs":          func() int { return maxRuns },
		"max_cases":         func() int { return maxCases },
		"max_arms":          func() int { return maxArms },
	}).Parse(referenceTemplate)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, nil); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	if err := r.complete(); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return b.Bytes(), nil
}

// reference is a rendering: what it has shown so far.
type reference struct {
	std   fs.FS
	shown map[string]int // by kind, and by label of a module
}

// complete refuses a reference in which a builtin or a module is missing, or stands twice.
func (r *reference) complete() error {
	var want []string
	for _, k := range kinds {
		want = append(want, k.name)
	}
	modules, err := fs.Glob(r.std, "*.star")
	if err != nil {
		return err
	}
	for _, m := range modules {
		want = append(want, stdPrefix+m)
	}
	for _, name := range want {
		if r.shown[name] != 1 {
			return fmt.Errorf("%s stands there %d times, want once", name, r.shown[name])
		}
	}
	return nil
}

// index renders what every builtin gives, a row each.
func (r *reference) index() (string, error) {
	var b strings.Builder
	b.WriteString("| builtin | gives |\n| --- | --- |\n")
	for _, k := range kinds {
		doc, err := cell(k.doc)
		if err != nil {
			return "", fmt.Errorf("%s: %w", k.name, err)
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", k.name, anchor(k.name), doc)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// kinds renders a section for each of the named builtins.
func (r *reference) kinds(names ...string) (string, error) {
	var sections []string
	for _, name := range names {
		k := kindsByName[name]
		if k == nil {
			return "", fmt.Errorf("there is no builtin %q", name)
		}
		r.shown[name]++
		s, err := k.section()
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		sections = append(sections, s)
	}
	return strings.Join(sections, "\n\n"), nil
}

// section renders a builtin: heading, what it gives, and a row for each parameter.
func (k *kind) section() (string, error) {
	var b strings.Builder
	call := k.name + "(…)"
	if k.leading {
		call = fmt.Sprintf("%s(%s, …)", k.name, k.params[0].name)
		if len(k.params) == 1 && !k.own {
			call = fmt.Sprintf("%s(%s)", k.name, k.params[0].name)
		}
	}
	if _, err := cell(k.doc); err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "#### %s\n\n`%s`: %s.\n\n", k.name, call, k.doc)
	b.WriteString("| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for i := range k.params {
		p := &k.params[i]
		doc, err := cell(p.doc)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.name, err)
		}
		value := "required"
		if !p.required() {
			value = "`" + p.value.String() + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.name, linked(p.typ.name), value, doc)
	}
	if k.own {
		fmt.Fprintf(&b, "| `**params` | None, a bool, int, float or string, a file, or lists, tuples and dicts of these | none | parameters of the %s's own; "+
			"a callback reads them as `%s.NAME`, and one that no callback reads is an error |\n", k.name, k.name)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

var constructed = regexp.MustCompile(`[a-z_.]+\(\)`)

// linked renders the name of a type, with the builtins in it as links.
func linked(typ string) string {
	return constructed.ReplaceAllStringFunc(escapePipes(typ), func(call string) string {
		name := strings.TrimSuffix(call, "()")
		if kindsByName[name] == nil {
			return call
		}
		return fmt.Sprintf("[`%s`](#%s)", name, anchor(name))
	})
}

// anchor is the fragment of a heading, as GitHub makes it.
func anchor(heading string) string { return strings.ReplaceAll(heading, ".", "") }

var codeSpan = regexp.MustCompile("`[^`]*`")

// cell renders a line of doc, which is Markdown, in a table. What Markdown would take for markup must stand in backticks.
func cell(doc string) (string, error) {
	if rest := codeSpan.ReplaceAllString(doc, ""); doc == "" || strings.ContainsAny(rest, "*<$`") {
		return "", fmt.Errorf("want a line of doc, code in backticks, got %q", doc)
	}
	return escapePipes(doc), nil
}

func escapePipes(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// languageNames renders the names of Starlark itself.
func languageNames() string { return code(slices.Sorted(maps.Keys(starlark.Universe))) }

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
