package host

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"go.starlark.net/syntax"
)

// stubHead is what stands before the builtins: the types that the tables' names stand for, and the builtins that have
// no table.
const stubHead = `"""The language of phase scripts, for editors: made from the tables by "phaselock stubs", not by hand."""

from typing import Any, Callable, Literal, Mapping, NoReturn, Sequence

Scalar = bool | int | float | str
File = Binary | Input | GoTest | GoBuild
Value = None | Scalar | File | Sequence[Value] | Mapping[Any, Value]

def struct(**fields: Any) -> Any:
    """A value with a field for each keyword."""

def fail(*args: Any) -> NoReturn:
    """Ends the evaluation with a message."""

def plan_of(label: str, phase: str = "", /, **params: Scalar) -> Any:
    """In scripts of tests: evaluates and plans another script, and gives its phase with every run as data."""
`

// Stubs renders the builtins and the standard library, x.star for @std//x.star, as Python with the bodies left out, as
// editors read it. With a label it renders that module alone. It fails where the tables say something that it cannot
// say in Python.
func Stubs(std fs.FS, label string) ([]byte, error) {
	modules, err := fs.Glob(std, "*.star")
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if label != "" {
		file, ok := strings.CutPrefix(label, stdPrefix)
		if _, err := fs.Stat(std, file); !ok || err != nil {
			for i := range modules {
				modules[i] = stdPrefix + modules[i]
			}
			return nil, fmt.Errorf("no module %q%s; there are %s", label, didYouMean(label, modules), strings.Join(modules, ", "))
		}
		err = moduleStub(&b, std, file)
		return []byte(b.String()), err
	}
	b.WriteString(stubHead)
	if err := builtinStubs(&b); err != nil {
		return nil, err
	}
	for _, file := range modules {
		fmt.Fprintf(&b, "\n# %s%s\n\n", stdPrefix, file)
		if err := moduleStub(&b, std, file); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// builtinStubs renders each kind as a class with its attributes and a function that gives it; those with a dot in
// their names are functions of a class that stands for their module.
func builtinStubs(b *strings.Builder) error {
	inModule := map[string][]*kind{}
	for _, k := range kinds {
		if err := classStub(b, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if module, _, dotted := strings.Cut(k.name, "."); dotted {
			inModule[module] = append(inModule[module], k)
			continue
		}
		if err := functionStub(b, k, k.name, ""); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	for _, k := range kinds {
		module, _, _ := strings.Cut(k.name, ".")
		if inModule[module] == nil {
			continue
		}
		fmt.Fprintf(b, "\nclass %s:\n    \"\"\"The builtins whose names start with %s.\"\"\"\n\n", module, module)
		for i, k := range inModule[module] {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("    @staticmethod")
			if err := functionStub(b, k, strings.TrimPrefix(k.name, module+"."), "    "); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		delete(inModule, module)
	}
	return nil
}

// classStub renders what a constructor gives; nothing where that is no value of its own.
func classStub(b *strings.Builder, k *kind) error {
	if k.result != nil {
		return nil
	}
	fmt.Fprintf(b, "\nclass %s:\n    \"\"\"%s\"\"\"\n\n", className(k.name), sentenceOf(k.doc))
	for i := range k.params {
		t, err := stubType(k.params[i].typ.name)
		if err != nil {
			return fmt.Errorf("%s: %w", k.params[i].name, err)
		}
		fmt.Fprintf(b, "    %s: %s\n", k.params[i].name, t)
	}
	if k.own {
		b.WriteString("\n    def __getattr__(self, name: str) -> Value: ...\n")
	}
	return nil
}

// functionStub renders a constructor, a parameter a line.
func functionStub(b *strings.Builder, k *kind, name, indent string) error {
	gives := className(k.name)
	if k.result != nil {
		gives = "Any"
	}
	fmt.Fprintf(b, "\n%sdef %s(\n", indent, name)
	for i := range k.params {
		p := &k.params[i]
		if i == 0 && !k.leading || i == 1 && k.leading {
			fmt.Fprintf(b, "%s    *,\n", indent)
		}
		t, err := stubType(p.typ.name)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(b, "%s    %s: %s", indent, p.name, t)
		if !p.required() {
			b.WriteString(" = " + p.value.String())
		}
		b.WriteString(",\n")
	}
	if k.own {
		fmt.Fprintf(b, "%s    **params: Value,\n", indent)
	}
	fmt.Fprintf(b, "%s) -> %s:\n%s    \"\"\"%s\n\n%s    Args:\n", indent, gives, indent, sentenceOf(k.doc), indent)
	for _, p := range k.params {
		fmt.Fprintf(b, "%s      %s: %s.\n", indent, p.name, escaped(p.doc))
	}
	if k.own {
		fmt.Fprintf(b, "%s      **params: parameters of its own, which callbacks read as attributes.\n", indent)
	}
	fmt.Fprintf(b, "%s    \"\"\"\n", indent)
	return nil
}

// moduleStub renders the public functions of a module: their heads and docstrings as they stand there.
func moduleStub(b *strings.Builder, std fs.FS, file string) error {
	src, err := fs.ReadFile(std, file)
	if err != nil {
		return err
	}
	f, err := parseAlone(stdPrefix+file, src)
	if err != nil {
		return err
	}
	written := 0
	for _, s := range f.tree.Stmts {
		def, ok := s.(*syntax.DefStmt)
		if !ok || strings.HasPrefix(def.Name.Name, "_") {
			continue
		}
		doc, ok := docLiteral(def.Body)
		if !ok {
			return fmt.Errorf("%s%s: %s has no docstring", stdPrefix, file, def.Name.Name)
		}
		if written++; written > 1 {
			b.WriteByte('\n')
		}
		_, end := doc.Span()
		for line := def.Def.Line; line <= end.Line; line++ {
			b.WriteString(f.line(int(line)) + "\n")
		}
	}
	return nil
}

// docLiteral returns the string with which a body starts.
func docLiteral(body []syntax.Stmt) (*syntax.Literal, bool) {
	e, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return nil, false
	}
	lit, ok := e.X.(*syntax.Literal)
	return lit, ok && lit.Token == syntax.STRING
}

// className returns the name of what a constructor gives: ExpectExit, GoTest.
func className(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// sentenceOf is a line of doc as a sentence.
func sentenceOf(doc string) string {
	doc = escaped(doc)
	return strings.ToUpper(doc[:1]) + doc[1:] + "."
}

var docLink = regexp.MustCompile(`\[([^\]]*)\]\(#[^)]*\)`)

// escaped is a line of doc within a docstring, its links as their words.
func escaped(doc string) string {
	return strings.ReplaceAll(docLink.ReplaceAllString(doc, "$1"), `\`, `\\`)
}
