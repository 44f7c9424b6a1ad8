package report

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// mostRows bounds the table of the last screen; report.md has all rows.
const mostRows = 16

// column is one column of the table of results.
type column struct {
	title string
	right bool
	cell  func(reading) string
}

// scores writes the table of results: as many columns as fit the width. It returns how many rows were left out.
func (s *screen) scores(rs []reading) (left int) {
	shown, left := mostImportant(rs)
	for _, l := range layoutsByWidth {
		lines := s.table(l.columns(shown), shown)
		if fits(lines, s.columns) {
			for _, l := range lines {
				s.b.WriteString(l + "\n")
			}
			return left
		}
	}
	for _, r := range shown {
		e := r.effect()
		s.paragraph("", "  ", strings.Join([]string{clean(r.name), clean(r.metric.Unit), r.size(spoken), e.interval, r.scoreVerdict()}, " "))
	}
	return left
}

// mostImportant returns all rows if they are few, else those of the first metric, up to mostRows.
func mostImportant(rs []reading) (shown []reading, left int) {
	shown = rs
	if len(rs) > mostRows {
		first := rs[0].metric.Unit
		shown = nil
		for _, r := range rs {
			if r.metric.Unit == first && len(shown) < mostRows {
				shown = append(shown, r)
			}
		}
	}
	return shown, len(rs) - len(shown)
}

// layout is a set of columns to try: how long names may be, and which columns there are.
type layout struct {
	names            int
	change, absolute bool
	named            bool // the absolute columns carry the arms' names
}

// layoutsByWidth are tried from the fullest.
var layoutsByWidth = []layout{
	{names: 40, change: true, absolute: true, named: true},
	{names: 40, absolute: true, named: true},
	{names: 40, absolute: true},
	{names: 16, absolute: true},
	{names: 12, absolute: true},
	{names: 24},
	{names: 12},
}

// columns returns the columns of a layout.
func (l layout) columns(rs []reading) []column {
	ks := contrasts(rs)
	name := func(s string) string { return middle(clean(s), l.names) }
	cs := []column{{"case", false, func(r reading) string { return name(r.name) }}}
	if len(ks) > 1 {
		cs = append(cs, column{"arm", false, func(r reading) string { return name(r.c.Arm) }})
	}
	if !oneBase(ks) {
		cs = append(cs, column{"against", false, func(r reading) string { return name(r.c.Base) }})
	}
	cs = append(cs, column{"metric", false, func(r reading) string { return name(r.metric.Unit) }},
		column{estimateTitle(rs), true, func(r reading) string { e := r.effect(); return spaced(e.estimate, e.suffix) }},
		column{intervalTitle(rs), true, func(r reading) string { e := r.effect(); return spaced(e.interval, e.suffix) }})
	if l.change {
		cs = append(cs, column{"change", true, func(r reading) string { return r.effect().change }})
	}
	if l.absolute {
		base, arm := "base", "arm"
		if l.named && oneBase(ks) {
			base = name(rs[0].c.Base)
		}
		if l.named && len(ks) == 1 {
			arm = name(rs[0].c.Arm)
		}
		cs = append(cs, column{base, true, func(r reading) string { return r.absoluteCells()[1] }},
			column{arm, true, func(r reading) string { return r.absoluteCells()[0] }})
	}
	return append(cs, column{"verdict", false, reading.scoreVerdict})
}

// middle shortens a name in its middle: what tells names apart stands at their ends.
func middle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

func (r reading) absoluteCells() []string {
	a := r.metric.Absolute
	return read(r.metric.Unit).cells(a[r.c.Arm].Median, a[r.c.Base].Median)
}

func (r reading) scoreVerdict() string {
	s := r.verdictCell()
	if r.marked() {
		s += " " + disagrees
	}
	return s
}

// estimateTitle is "ratio", unless some row has a difference.
func estimateTitle(rs []reading) string {
	var ratios, differences bool
	for _, r := range rs {
		ratios = ratios || !r.difference()
		differences = differences || r.difference()
	}
	switch {
	case !differences:
		return "ratio"
	case !ratios:
		return "difference"
	}
	return "estimate"
}

// intervalTitle is the level and kind of the registered interval, where rows share one.
func intervalTitle(rs []reading) string {
	if t := intervalHeading(rs); t != "Interval" {
		return t
	}
	return "interval"
}

// table renders columns into lines.
func (s *screen) table(cs []column, rs []reading) []string {
	align := make(tw.Alignment, len(cs))
	header := make([]string, len(cs))
	for i, c := range cs {
		header[i] = s.plain(c.title)
		align[i] = tw.AlignLeft
		if c.right {
			align[i] = tw.AlignRight
		}
	}
	var b strings.Builder
	rule := "─"
	if s.ascii {
		rule = "-"
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{Global: tw.PaddingDefault},
	}
	t := tablewriter.NewTable(&b,
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbolCustom("rule").WithRow(rule).WithColumn("").WithCenter(rule).WithMidLeft(rule).WithMidRight(rule),
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off}},
		})))
	t.Header(header)
	before := ""
	for _, r := range rs {
		row := make([]string, len(cs))
		for i, c := range cs {
			row[i] = s.plain(c.cell(r))
		}
		row[len(row)-1] = s.paint(toneInk(r), row[len(row)-1])
		if row[0] == before {
			row[0] = ""
		} else {
			before = row[0]
		}
		if err := t.Append(row); err != nil {
			return []string{s.plain(err.Error())}
		}
	}
	if err := t.Render(); err != nil {
		return []string{s.plain(err.Error())}
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(" "+lines[i], " ")
	}
	return lines
}

func toneInk(r reading) ink {
	switch {
	case r.tone() > 0:
		return green
	case r.tone() < 0:
		return red
	case r.word() == noVerdict || r.word() == "undefined":
		return yellow
	}
	return ""
}

func fits(lines []string, columns int) bool {
	for _, l := range lines {
		if width(l) > columns {
			return false
		}
	}
	return true
}
