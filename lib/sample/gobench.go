package sample

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/plan"
)

// gobench reads Go benchmark output from standard output: exactly the planned rows of one name, and nothing that
// says that a benchmark failed. Exit status 0 and PASS are not proof of that.
func (r *reader) gobench() error {
	g := &goOutput{file: r.files.Stdout.Name, name: r.wantName(), procs: r.procs(), most: r.run.Repeats}
	in, err := r.files.Stdout.open()
	if err != nil {
		return err
	}
	defer in.Close()
	err = eachLine(in, g.file, maxOutput, g.line)
	var text *textError
	if errors.As(err, &text) {
		return r.fail(FailParse, "%s", text.message)
	}
	if err != nil {
		return err
	}
	said, err := r.marksOf(r.files.Stderr)
	if err != nil {
		return err
	}
	if err := r.failedInside(g, said); err != nil {
		return err
	}
	if g.broken != nil {
		return r.fail(FailParse, "%s", g.broken.message)
	}
	if err := r.countRows(g); err != nil {
		return err
	}
	return r.holdRows(g)
}

// wantName returns the name that the rows must have, as testing prints it; "" is any one name.
func (r *reader) wantName() string {
	if len(r.run.Names) == 0 {
		return ""
	}
	return RewriteName(r.run.Names[0])
}

// goOutput is what one pass over Go benchmark output has found.
type goOutput struct {
	file  string
	name  string // that rows must have, "" for any
	procs int
	most  int // rows to keep

	rows    []goRow
	count   int        // of rows, those beyond most too
	extra   int        // the line of the first row beyond most
	broken  *textError // the first thing that cannot be read
	oddity  string     // what the output looks like, if there are no rows
	seen    marks
	parser  rowParser
	headers map[string]bool // goos, goarch, pkg
	glued   string          // the first header line with text before it
}

// maxExtra is how many rows beyond the declared ones are read, to say of a torn one that it is torn; more are counted.
const maxExtra = 100

// line looks at one line. After the first thing that cannot be read only marks are looked for.
func (g *goOutput) line(l line) error {
	g.seen.see(g.file, l)
	i := bytes.Index(l.text, []byte("Benchmark"))
	if i < 0 {
		g.header(l)
		g.odd(l)
		return nil
	}
	switch {
	case g.broken != nil:
	case g.odd(l):
		g.broken = &textError{nil, fmt.Sprintf("%s:%d: no benchmark row, but %s: %s", g.file, l.number, g.oddity, quoted(l.text))}
	case i == 0 && isBenchmark(l.text):
		g.row(l)
	default:
		g.between(l)
	}
	return nil
}

// isBenchmark reports whether text begins with a benchmark's name: "Benchmark" alone, or not followed by a
// lower-case letter ("Benchmarking …" is text).
func isBenchmark(text []byte) bool {
	c, _ := utf8.DecodeRune(text[len("Benchmark"):])
	return len(text) == len("Benchmark") || !unicode.IsLower(c)
}

// odd reports whether a line is in an encoding in which rows are not found, and keeps in which.
func (g *goOutput) odd(l line) bool {
	var what string
	switch text := bytes.TrimLeft(l.text, " \t"); {
	case bytes.IndexByte(text, 0) >= 0:
		what = "it contains NUL bytes (UTF-16 text?)"
	case bytes.IndexByte(text, 0x1b) >= 0:
		what = "it contains terminal escapes (turn colours off)"
	case bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"Action":`)):
		what = "it looks like test2json (run the test binary itself, without go test -json)"
	default:
		return false
	}
	if g.oddity == "" {
		g.oddity = what
	}
	return true
}

// header keeps which of testing's header lines are there, and one that has text before it.
func (g *goOutput) header(l line) {
	for _, key := range []string{"goos", "goarch", "pkg"} {
		i := bytes.Index(l.text, []byte(key+": "))
		if i < 0 {
			continue
		}
		if i > 0 && key != "pkg" && g.glued == "" {
			g.glued = fmt.Sprintf("%s:%d: %s", g.file, l.number, quoted(l.text))
		}
		if g.headers == nil {
			g.headers = map[string]bool{}
		}
		g.headers[key] = g.headers[key] || i == 0
	}
}

// row reads a line that begins with a benchmark's name. A line of the name alone is testing's verbose output.
func (g *goOutput) row(l line) {
	if bytes.IndexFunc(l.text, unicode.IsSpace) < 0 {
		return
	}
	if g.count++; g.count == g.most+1 {
		g.extra = l.number
	}
	if g.count > g.most+maxExtra {
		return
	}
	row, err := g.parser.parse(g.file, l)
	switch {
	case err != nil:
		g.broken = &textError{nil, err.Error()}
	case g.count <= g.most:
		g.rows = append(g.rows, row)
	}
}

// between refuses a line that has text before a row: the row would be lost without a word.
func (g *goOutput) between(l line) {
	i := bytes.LastIndex(l.text, []byte("Benchmark"))
	if i == 0 || !isBenchmark(l.text[i:]) {
		return
	}
	fields := bytes.Fields(l.text[i:])
	name := stripProcs(string(fields[0]), g.procs, g.name)
	if len(fields) >= 4 && isCount(string(fields[1])) && (g.name == "" || g.name == name) {
		g.broken = &textError{nil, fmt.Sprintf("%s:%d: text stands before the row of %s on its line: %s; print to standard error, and end lines",
			g.file, l.number, fields[0], quoted(l.text))}
	}
}

// failedInside refuses output that says that a benchmark failed, panicked or was skipped, or that is a compiler's.
func (r *reader) failedInside(g *goOutput, stderr *marks) error {
	if m := g.seen.first(markBuild); m != nil {
		begins := g.seen.begins
		return r.fail(FailParse, "%s: build output, no results; it begins %s", m, begins.text)
	}
	for _, seen := range []*marks{stderr, &g.seen} {
		if m := seen.first(markPanic); m != nil {
			return r.fail(FailRows, "it panicked: %s", m)
		}
	}
	if m := g.seen.first(markFail, markSkip); m != nil {
		return r.fail(FailRows, "it printed %s: %s", m.kind, m)
	}
	return nil
}

// countRows holds the number of rows to the plan.
func (r *reader) countRows(g *goOutput) error {
	want := r.run.Repeats
	of := ""
	if g.name != "" {
		of = " of " + g.name
	}
	switch {
	case g.count == want:
		return nil
	case g.count > want:
		return r.fail(FailRows, "%s:%d: %d rows where %d are declared (repeats); more than one benchmark matches, or -test.count differs",
			g.file, g.extra, g.count, want)
	case g.count == 0 && g.oddity != "":
		return r.fail(FailRows, "%s: 0 of %d rows%s: %s", g.file, want, of, g.oddity)
	case g.count == 0:
		return r.fail(FailRows, "%s: 0 of %d rows%s: skipped or not matched", g.file, want, of)
	}
	return r.fail(FailRows, "%s: %d of %d rows%s: the others were skipped, cut off by os.Exit, or torn by other output", g.file, g.count, want, of)
}

// holdRows holds names and units to the plan, and makes the rows samples.
func (r *reader) holdRows(g *goOutput) error {
	first := g.rows[0]
	for i, row := range g.rows {
		at := fmt.Sprintf("%s:%d", g.file, row.line)
		if row.name != first.name {
			return r.fail(FailRows, "%s: %s, where line %d has %s; samples of different benchmarks are never pooled", at, row.name, first.line, first.name)
		}
		if err := r.holdName(at, row.name, g); err != nil {
			return err
		}
		if err := r.holdUnits(at, row.values); err != nil {
			return err
		}
		r.samples = append(r.samples, Sample{Repeat: i + 1, Iterations: row.iterations, Values: row.values})
		r.plausible(at, row)
	}
	if mark := duplicateMark(stripProcs(first.name, g.procs, g.name)); mark != "" {
		r.warn("duplicate-name", "", "%s:%d: %s: testing appends %s to the second sub-benchmark of one name; give each its own", g.file, first.line, first.name, mark)
	}
	r.metadata(g)
	return nil
}

// holdName refuses another name than the one declared.
func (r *reader) holdName(at, name string, g *goOutput) error {
	got := stripProcs(name, g.procs, g.name)
	if g.name == "" || got == g.name {
		return nil
	}
	hint := ""
	if rest, ok := strings.CutPrefix(name, g.name+"-"); ok && isCount(rest) {
		hint = fmt.Sprintf("; its suffix says GOMAXPROCS = %s, the run has %d: set GOMAXPROCS in the environment, not -test.cpu", rest, g.procs)
	}
	return r.fail(FailRows, "%s: %s, where %s is declared%s", at, name, g.name, hint)
}

// metadata warns of a header of which a part is missing: something else was printed into it.
func (r *reader) metadata(g *goOutput) {
	var missing []string
	for _, key := range []string{"goos", "goarch", "pkg"} {
		if !g.headers[key] {
			missing = append(missing, key)
		}
	}
	if len(g.headers) == 0 || len(missing) == 0 {
		return
	}
	message := "the header lacks " + strings.Join(missing, ", ")
	if g.glued != "" {
		message += "; other output stands before it on its line: " + g.glued
	}
	r.warn("output", "", "%s: %s", g.file, message)
}

// holdUnits refuses a row without a declared metric or constant.
func (r *reader) holdUnits(at string, values map[string]float64) error {
	for i := range r.phase.Metrics {
		m := &r.phase.Metrics[i]
		if _, ok := values[m.Unit]; ok || m.Role == plan.RoleDerived || plan.IsProcessUnit(m.Unit) {
			continue
		}
		hint := ""
		switch m.Unit {
		case "ns/op":
			hint = "; b.ReportMetric(0, \"ns/op\") takes it away"
		case "B/op", "allocs/op":
			hint = "; run with -test.benchmem"
		}
		return r.failAt(m.At, FailRows, "%s: no %s in this row; it has %s%s", at, m.Unit, unitsOf(values), hint)
	}
	return nil
}
