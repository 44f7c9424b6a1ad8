package report

import "io"

// section is one part of a page. Levels of headings below it start at 3.
type section struct {
	heading string
	write   func(*writer)
}

// sections are those of report.md, in their order, for every phase.
var sections = []section{
	{"Answer", (*writer).answer},
	{"Arms", (*writer).arms},
	{"Environment and design", (*writer).environmentAndDesign},
	{"Results", (*writer).results},
	{"Absolute values", (*writer).absolutes},
	{"Blocks", (*writer).blocks},
	{"Order and single-block sensitivity", (*writer).sensitivity},
	{"Findings", (*writer).findings},
	{"Interpretation", (*writer).interpretation},
	{"Limits", (*writer).limits},
	{"Deviations", (*writer).deviations},
	{"Completeness and pins", (*writer).completeness},
	{"How to check this", (*writer).howToCheck},
}

// writer writes one page.
type writer struct {
	document
	page     Page
	readings []reading
	journal  journal
}

func newWriter(p Page) *writer {
	return &writer{page: p, readings: p.readings(), journal: p.journal(written)}
}

// Markdown writes report.md: the same bytes for the same plan, result and ledger, wherever the folder lies. It fails
// for a page without plan or result.
func Markdown(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.Result == nil {
		return errNoResult
	}
	d := newWriter(p)
	d.title()
	if digest, text := p.seal(written); digest == "" {
		d.text("> **" + text + "**")
	}
	for _, s := range sections {
		d.heading(2, s.heading)
		s.write(d)
	}
	return d.writeTo(w)
}

func (w *writer) title() {
	ph := w.page.phase()
	title := "Phase " + escape(ph.Name)
	if ph.Campaign != "" {
		title += " of campaign " + escape(ph.Campaign)
	}
	if c := w.page.clients(); c != "" {
		title += ", " + escape(c)
	}
	w.heading(1, title)
}

func (w *writer) answer() {
	w.text("**" + orElse(escape(w.page.phase().Question), "No question is stated.") + "**")
	if by := w.page.exploratory(written); by != "" {
		w.text("**" + by + "**")
	}
	answers := w.page.answers(written)
	if len(answers) == 1 {
		w.text(answers[0])
	} else {
		w.items(answers...)
	}
	if _, text := w.page.seal(written); text != "" {
		w.text(text)
	}
}
