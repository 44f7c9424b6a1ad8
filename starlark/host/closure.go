package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Bounds of a closure; a parser recurses once a bracket, so they also bound its stack.
const (
	maxFileBytes = 1 << 20
	maxFiles     = 1000
)

// dialect is Starlark as Bazel users know it, with sets and with if and for at top level.
var dialect = syntax.FileOptions{Set: true, TopLevelControl: true}

// Source is one script of a closure, as evaluated.
type Source struct {
	Label  string // "//c2.star", "@std//go.star"
	Bytes  []byte
	SHA256 string // lower-case hex
}

// closure is the entry script and all that it loads, in the order in which they run: what is loaded first.
type closure struct {
	root  *os.Root
	std   fs.FS
	names map[string]bool  // of the builtins, as resolution wants them: without the language's own
	files map[string]*file // by label
	order []*file
	path  []load // from the entry to the file at hand
	diags Diagnostics
}

// resolveClosure reads, checks and parses the entry and all that it loads. Nothing runs.
func (c *closure) resolveClosure(entry string) *file {
	src, err := c.read(entry)
	if err != nil {
		c.diags.add(Diagnostic{File: printedLabel(entry), Message: err.Error()})
		return nil
	}
	return c.add(entry, src)
}

func (c *closure) add(label string, src []byte) *file {
	f := &file{label: label, name: printedLabel(label), src: src}
	f.defined = func(n string) bool { return c.names[n] || testOnly(n) && isTest(label) }
	c.files[label] = f
	f.lines = strings.Split(string(src), "\n")
	if c.checkBytes(f) && c.parse(f) {
		c.checkBindings(f)
		for _, s := range f.tree.Stmts {
			c.follow(f, s)
		}
	}
	c.order = append(c.order, f)
	return f
}

// follow resolves a load statement.
func (c *closure) follow(f *file, s syntax.Stmt) {
	stmt, ok := s.(*syntax.LoadStmt)
	if !ok {
		return
	}
	written := stmt.ModuleName()
	refuse := func(format string, args ...any) {
		c.diags.add(c.located(f, f.diagnostic(spanOf(stmt.Module), "load", fmt.Sprintf(format, args...))))
	}
	label, err := resolveLabel(f.label, written)
	if err != nil {
		refuse("%v", err)
		return
	}
	l := load{written: written, at: stmt.Module.TokenPos, from: f}
	if to := c.files[label]; to != nil {
		if !slices.Contains(c.order, to) {
			refuse("cycle: %s", c.chain(f, to))
			return
		}
		l.to = to
		f.loads = append(f.loads, l)
		return
	}
	if len(c.files) >= maxFiles {
		refuse("more than %d files are loaded", maxFiles)
		return
	}
	src, err := c.read(label)
	if err != nil {
		refuse("%v", err)
		return
	}
	c.path = append(c.path, l)
	l.to = c.add(label, src)
	c.path = c.path[:len(c.path)-1]
	f.loads = append(f.loads, l)
}

// chain prints a cycle: every file from the one that is loaded again to itself.
func (c *closure) chain(f, to *file) string {
	names := []string{to.label}
	for i := len(c.path) - 1; i >= 0 && f != to; i-- {
		names = slices.Insert(names, 0, f.label)
		f = c.path[i].from
	}
	return strings.Join(slices.Insert(names, 0, to.label), " loads ")
}

// located adds the load chain that leads to f.
func (c *closure) located(f *file, d Diagnostic) Diagnostic {
	for i := len(c.path) - 1; i >= 0; i-- {
		l := c.path[i]
		d.Load = append(d.Load, fmt.Sprintf("%s:%d:%d", l.from.name, l.at.Line, l.at.Col))
	}
	return d
}

// read returns the bytes of a label. Links out of the root are refused by os.Root.
func (c *closure) read(label string) ([]byte, error) {
	prefix, p, _ := cutLabel(label)
	var r io.ReadCloser
	var err error
	switch {
	case prefix != stdPrefix:
		if err = c.regular(p); err == nil {
			r, err = c.root.Open(p)
		}
	case c.std == nil:
		return nil, errors.New("there is no standard library here")
	default:
		r, err = c.std.Open(p)
	}
	if err != nil {
		return nil, c.openError(label, err)
	}
	defer r.Close()
	src, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, c.openError(label, err)
	}
	if len(src) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", label, maxFileBytes)
	}
	return src, nil
}

// regular refuses what is no regular file: the opening of a pipe waits for a writer that may never come.
func (c *closure) regular(p string) error {
	info, err := c.root.Stat(p)
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("is no regular file")
	}
	return err
}

func (c *closure) openError(label string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", label, err)
	}
	if !strings.HasPrefix(label, stdPrefix) {
		return fmt.Errorf("%s does not exist; labels start at the root, the folder of the entry script or --root", label)
	}
	names, _ := fs.Glob(c.std, "*.star")
	for i := range names {
		names[i] = stdPrefix + names[i]
	}
	return fmt.Errorf("%s does not exist%s; there are %s", label, didYouMean(label, names), strings.Join(names, ", "))
}

// parse compiles f and indexes its tree.
func (c *closure) parse(f *file) bool {
	tree, err := dialect.Parse(f.name, f.src, 0)
	if err == nil {
		f.tree = tree
		f.program, err = starlark.FileProgram(tree, f.defined)
	}
	var syntaxErr syntax.Error
	var names resolve.ErrorList
	switch {
	case err == nil:
		f.index()
		return true
	case errors.As(err, &syntaxErr):
		c.diags.add(c.located(f, syntaxDiagnostic(f, syntaxErr)))
	case errors.As(err, &names):
		f.index()
		for _, e := range names {
			c.diags.add(c.located(f, nameDiagnostic(f, e)))
		}
	default:
		c.diags.add(c.located(f, Diagnostic{File: f.name, Message: err.Error()}))
	}
	return false
}

// sources returns the closure by label, sorted.
func (c *closure) sources() []Source {
	all := make([]Source, 0, len(c.order))
	for _, f := range c.order {
		sum := sha256.Sum256(f.src)
		all = append(all, Source{f.label, f.src, hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Label, b.Label) })
	return all
}
