package report

import "io"

// before are the sections of the page before results: those of the report that the script alone can fill.
var before = []section{
	{"Question", (*writer).question},
	{"Arms", (*writer).arms},
	{"Environment and design", (*writer).environment},
	{"Cases", (*writer).cases},
	{"Correctness and path checks", (*writer).correctness},
	{"Estimand and interval", (*writer).estimand},
	{"Orders", (*writer).orders},
	{"Predictions", (*writer).predictions},
	{"Limits", (*writer).limits},
}

// Explain writes the page before results: what a reviewer reads before anything is run. A result that the page has is
// left out.
func Explain(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return err
	}
	p.Result, p.Ledger, p.Folder = nil, nil, ""
	d := newWriter(p)
	d.title()
	for _, s := range before {
		d.heading(2, s.heading)
		s.write(d)
	}
	return d.writeTo(w)
}

func (w *writer) question() {
	w.text("**" + orElse(escape(w.page.phase().Question), "No question is stated.") + "**")
}
