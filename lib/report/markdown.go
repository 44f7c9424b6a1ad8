package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// document is Markdown under construction.
type document struct{ b bytes.Buffer }

// heading begins a section: level 1 is the title.
func (d *document) heading(level int, text string) {
	d.gap()
	fmt.Fprintf(&d.b, "%s %s\n", strings.Repeat("#", level), text)
}

// text writes a paragraph of sentences that are Markdown already.
func (d *document) text(sentences ...string) {
	if s := strings.TrimSpace(strings.Join(sentences, " ")); s != "" {
		d.gap()
		d.b.WriteString(s + "\n")
	}
}

// items writes a list.
func (d *document) items(items ...string) {
	if len(items) == 0 {
		return
	}
	d.gap()
	for _, s := range items {
		d.b.WriteString("- " + s + "\n")
	}
}

// shell writes lines that can be pasted into a shell.
func (d *document) shell(lines ...string) {
	d.gap()
	d.b.WriteString("```sh\n" + strings.Join(lines, "\n") + "\n```\n")
}

func (d *document) gap() {
	if d.b.Len() > 0 {
		d.b.WriteByte('\n')
	}
}

func (d *document) writeTo(w io.Writer) error {
	_, err := w.Write(d.b.Bytes())
	return err
}

// grid is a Markdown table, padded so that it reads well as text too.
type grid struct {
	header []string
	right  []bool // columns that hold numbers
	rows   [][]string
}

// newGrid starts a table; a heading that begins with ">" is a column of numbers.
func newGrid(header ...string) *grid {
	g := &grid{right: make([]bool, len(header))}
	for i, h := range header {
		g.right[i] = strings.HasPrefix(h, ">")
		g.header = append(g.header, strings.TrimPrefix(h, ">"))
	}
	return g
}

func (g *grid) row(cells ...string) { g.rows = append(g.rows, cells) }

// table writes a grid, unless it has no rows.
func (d *document) table(g *grid) {
	if len(g.rows) == 0 {
		return
	}
	width := make([]int, len(g.header))
	for _, row := range append([][]string{g.header}, g.rows...) {
		for i := range width {
			width[i] = max(width[i], 3, utf8.RuneCountInString(cellText(cellAt(row, i))))
		}
	}
	d.gap()
	d.row(g.header, width, g.right)
	rule := make([]string, len(width))
	for i, n := range width {
		rule[i] = strings.Repeat("-", n)
		if g.right[i] {
			rule[i] = strings.Repeat("-", n-1) + ":"
		}
	}
	d.row(rule, width, g.right)
	for _, row := range g.rows {
		d.row(row, width, g.right)
	}
}

func (d *document) row(cells []string, width []int, right []bool) {
	for i, n := range width {
		s := cellText(cellAt(cells, i))
		pad := strings.Repeat(" ", n-utf8.RuneCountInString(s))
		if right[i] {
			s = pad + s
		} else {
			s += pad
		}
		d.b.WriteString("| " + s + " ")
	}
	d.b.WriteString("|\n")
}

// cellText keeps a cell in its column: a bar that is not escaped yet would end it, in code spans too.
func cellText(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '|' && (i == 0 || s[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func cellAt(cells []string, i int) string {
	if i < len(cells) {
		return cells[i]
	}
	return ""
}

// codes writes every text as code, separated by a space.
func codes(texts []string) string { return code(strings.Join(texts, " ")) }
