package host

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/syntax"
)

// docstring is the documentation of a function of the standard library: sentences, then the sections "Args:" and
// "Returns:", indented by two spaces, as docstrings of Bazel's rules are written.
type docstring struct {
	text    []string // paragraphs
	args    []argDoc
	returns string
}

type argDoc struct{ name, doc string }

var argLine = regexp.MustCompile(`^  (\*{0,2}[a-z_]+): (.*)$`)

// parseDocstring reads a docstring, and refuses a line that belongs to nothing.
func parseDocstring(s string) (*docstring, error) {
	d := &docstring{}
	section := ""
	for i, line := range strings.Split(strings.TrimRight(dedented(s), " \n"), "\n") {
		line = strings.TrimRight(line, " ")
		m := argLine.FindStringSubmatch(line)
		switch {
		case line == "":
			if section == "" {
				d.text = append(d.text, "")
			}
		case line == "Args:" || line == "Returns:":
			section = line
		case section == "":
			if len(d.text) == 0 {
				d.text = []string{""}
			}
			d.text[len(d.text)-1] = joined(d.text[len(d.text)-1], line)
		case section == "Args:" && m != nil:
			d.args = append(d.args, argDoc{m[1], m[2]})
		case section == "Args:" && strings.HasPrefix(line, "    ") && len(d.args) > 0:
			last := &d.args[len(d.args)-1]
			last.doc = joined(last.doc, line)
		case section == "Returns:" && strings.HasPrefix(line, "  "):
			d.returns = joined(d.returns, line)
		default:
			return nil, fmt.Errorf("docstring, line %d: %q stands in no section", i+1, line)
		}
	}
	d.text = slices.DeleteFunc(d.text, func(p string) bool { return p == "" })
	if len(d.text) == 0 {
		return nil, fmt.Errorf("no docstring")
	}
	return d, nil
}

func joined(text, line string) string {
	return strings.TrimSpace(text + " " + strings.TrimSpace(line))
}

// dedented takes the indentation of the body from all lines but the first.
func dedented(s string) string {
	lines := strings.Split(s, "\n")
	indent := -1
	for _, l := range lines[1:] {
		if t := strings.TrimLeft(l, " "); t != "" && (indent < 0 || len(l)-len(t) < indent) {
			indent = len(l) - len(t)
		}
	}
	for i := 1; i < len(lines); i++ {
		lines[i] = lines[i][min(max(indent, 0), len(lines[i])):]
	}
	return strings.Join(lines, "\n")
}

// docOf returns the docstring with which a body starts; "" where there is none.
func docOf(body []syntax.Stmt) string {
	if len(body) == 0 {
		return ""
	}
	e, ok := body[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	lit, ok := e.X.(*syntax.Literal)
	if !ok || lit.Token != syntax.STRING {
		return ""
	}
	return lit.Value.(string)
}

// module renders a module of the standard library: a section for each of its public functions.
func (r *reference) module(file string) (string, error) {
	label := stdPrefix + file
	src, err := fs.ReadFile(r.std, file)
	if err != nil {
		return "", err
	}
	tree, err := dialect.Parse(label, src, 0)
	if err != nil {
		return "", err
	}
	r.shown[label]++
	head, err := parseDocstring(docOf(tree.Stmts))
	if err != nil {
		return "", fmt.Errorf("%s: %w", label, err)
	}
	sections := []string{fmt.Sprintf("### %s\n\n%s", label, strings.Join(head.text, "\n\n"))}
	for _, s := range tree.Stmts {
		def, ok := s.(*syntax.DefStmt)
		if !ok || strings.HasPrefix(def.Name.Name, "_") {
			continue
		}
		section, err := functionSection(def, string(src))
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", label, def.Name.Name, err)
		}
		sections = append(sections, section)
	}
	return strings.Join(sections, "\n\n"), nil
}

// functionSection renders a function: its head as it stands in the source, its docstring, a row for each parameter.
func functionSection(def *syntax.DefStmt, src string) (string, error) {
	d, err := parseDocstring(docOf(def.Body))
	if err != nil {
		return "", err
	}
	line := strings.Split(src, "\n")[def.Def.Line-1]
	head := strings.TrimSuffix(strings.TrimPrefix(line, "def "), ":")
	if !strings.HasSuffix(head, ")") {
		return "", fmt.Errorf("want its head in one line, got %q", line)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#### %s\n\n`%s`\n\n", def.Name.Name, head)
	for _, p := range append(d.text, d.returns) {
		switch _, err := cell(p); {
		case p == "":
		case err != nil:
			return "", err
		case p == d.returns:
			fmt.Fprintf(&b, "It returns %s\n\n", sentenceEnd(p))
		default:
			fmt.Fprintf(&b, "%s\n\n", p)
		}
	}
	var documented, declared []string
	for _, p := range def.Params {
		if name := documentedName(p); name != "*" {
			declared = append(declared, name)
		}
	}
	for _, a := range d.args {
		documented = append(documented, a.name)
	}
	if !slices.Equal(documented, declared) {
		return "", fmt.Errorf("its docstring has the arguments %q, and it takes %q", documented, declared)
	}
	if len(d.args) > 0 {
		b.WriteString("| parameter | meaning |\n| --- | --- |\n")
	}
	for _, a := range d.args {
		doc, err := cell(strings.TrimSuffix(a.doc, "."))
		if err != nil {
			return "", fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", a.name, doc)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func sentenceEnd(s string) string {
	if strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// documentedName returns a parameter as a docstring names it: name, *args, **kwargs; "*" where only keywords follow.
func documentedName(p syntax.Expr) string {
	switch p := p.(type) {
	case *syntax.Ident:
		return p.Name
	case *syntax.BinaryExpr:
		return p.X.(*syntax.Ident).Name
	case *syntax.UnaryExpr:
		if p.X == nil {
			return "*"
		}
		return p.Op.String() + p.X.(*syntax.Ident).Name
	}
	return ""
}
