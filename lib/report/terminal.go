package report

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

// TerminalOptions say what the terminal can show.
type TerminalOptions struct {
	Width int  // columns; 0 is 100, and less than 30 is 30
	Color bool // the caller respects NO_COLOR
	ASCII bool // nothing beyond ASCII; the default is UTF-8
}

const (
	defaultWidth = 100
	leastWidth   = 30
	mostFindings = 8 // lines of findings and of gates on the last screen, each
	mostAnswers  = 6
)

// labelWidth is the room of the words at the left of the last lines.
const labelWidth = 10

// Terminal writes the last screen of a run: the phase's question and its answer, the ratios, what was checked, gates,
// completeness, the seal, and where the files lie. No line is longer than the width.
func Terminal(w io.Writer, p Page, o TerminalOptions) error {
	if err := p.check(); err != nil {
		return err
	}
	if p.Result == nil {
		return errNoResult
	}
	s := newScreen(o)
	rs := p.readings()
	heading := clean(p.phase().Name)
	if c := p.clients(); c != "" {
		heading += " (" + clean(c) + ")"
	}
	s.paragraph(bold, "", heading+": "+clean(p.phase().Question))
	if by := p.exploratory(spoken); by != "" {
		s.paragraph(yellow, "", by)
	}
	s.blank()
	answers := p.answers(spoken)
	for i, a := range answers {
		if i == mostAnswers {
			s.paragraph("", "  ", fmt.Sprintf("and %s more in the report", count(len(answers)-mostAnswers, "contrast")))
			break
		}
		s.paragraph("", "  ", a)
	}
	s.blank()
	if len(rs) > 0 {
		left := s.scores(rs)
		s.legend(rs, left)
		s.blank()
	}
	if why := p.stopped(); why != "" {
		s.entry(red, "stopped", clean(why))
	}
	s.checked(p)
	s.gates(p.Result.Gates)
	s.complete(p)
	digest, seal := p.seal(spoken)
	if digest == "" {
		s.entry(yellow, "seal", seal)
	} else {
		s.entry("", "seal", "sealed "+short(digest)+", "+p.anchorShort())
	}
	if p.Head != "" && (digest != "" || p.Anchor.HeadKey != "") {
		s.entry("", "head", p.Head+fmt.Sprintf(", line %d of the ledger", len(p.Ledger)))
	}
	s.files(p)
	_, err := io.WriteString(w, s.b.String())
	return err
}

// stopped says why no run followed the last one; "" where all were run, or the phase was gone on with.
func (p Page) stopped() string {
	why := ""
	for i := range p.Ledger {
		switch b := p.Ledger[i].Body.(type) {
		case *ledger.PhaseStopped:
			why = b.Why
		case *ledger.Resumed:
			why = ""
		}
	}
	return why
}

func newScreen(o TerminalOptions) *screen {
	columns := o.Width
	if columns <= 0 {
		columns = defaultWidth
	}
	return &screen{columns: max(columns, leastWidth), color: o.Color, ascii: o.ASCII}
}

// legend explains what the table leaves open.
func (s *screen) legend(rs []reading, left int) {
	for _, r := range rs {
		if r.marked() {
			s.paragraph(dim, "  ", disagrees+" another interval comes to another verdict: see the appendix of the report")
			break
		}
	}
	if left > 0 {
		s.paragraph(dim, "  ", fmt.Sprintf("and %s more in the report", count(left, "comparison")))
	}
}

// entry writes one labelled thing.
func (s *screen) entry(i ink, label, text string) {
	s.paragraph(i, label+strings.Repeat(" ", max(labelWidth-len(label), 1)), text)
}

// brief writes one labelled thing in one line.
func (s *screen) brief(i ink, label, text string) {
	label = s.plain(label)
	label += strings.Repeat(" ", max(labelWidth-len(label), 1))
	s.b.WriteString(s.paint(i, label) + s.cut(s.plain(text), s.columns-width(label)) + "\n")
}

// checked counts the findings, and gives each that is more than a note its line.
func (s *screen) checked(p Page) {
	r := p.Result
	var counts []string
	var loud []*analysis.Finding
	for _, v := range severities {
		fs := bySeverity(r.Findings, v.name)
		if len(fs) > 0 {
			counts = append(counts, count(len(fs), severityNoun(v.name)))
		}
		if v.name != plan.Note {
			loud = append(loud, fs...)
		}
	}
	text := "no findings"
	if len(counts) > 0 {
		text = strings.Join(counts, ", ")
		if p.Folder != "" {
			text += " (report.md, Findings)"
		}
	}
	s.entry("", "checked", text)
	for i, f := range loud {
		if i == mostFindings {
			s.brief("", "", fmt.Sprintf("and %d more in the report", len(loud)-mostFindings))
			break
		}
		i := yellow
		if f.Severity == plan.Invalid {
			i = red
		}
		s.brief(i, f.Severity, findingLine(f))
	}
}

func findingLine(f *analysis.Finding) string {
	var where []string
	for _, name := range []string{f.Case, f.Arm} {
		if name != "" {
			where = append(where, name)
		}
	}
	if len(where) == 0 {
		return f.ID + ": " + f.Message
	}
	return f.ID + " (" + strings.Join(where, ", ") + "): " + f.Message
}

// gates counts the gates, and gives each that did not pass its line.
func (s *screen) gates(gates []analysis.Gate) {
	if len(gates) == 0 {
		return
	}
	var loud []*analysis.Gate
	n := map[string]int{}
	for _, verdict := range []string{analysis.Fail, analysis.Inconclusive} {
		for i := range gates {
			if gates[i].Verdict == verdict {
				loud = append(loud, &gates[i])
			}
		}
	}
	for i := range gates {
		n[gates[i].Verdict]++
	}
	var counts []string
	for _, v := range []struct{ verdict, word string }{{analysis.Pass, "passed"}, {analysis.Fail, "failed"}, {analysis.Inconclusive, "inconclusive"}} {
		if n[v.verdict] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n[v.verdict], v.word))
		}
	}
	s.entry("", "gates", orElse(strings.Join(counts, ", "), count(len(gates), "gate")))
	for i, g := range loud {
		if i == mostFindings {
			s.brief("", "", fmt.Sprintf("and %d more in the report", len(loud)-mostFindings))
			return
		}
		i := yellow
		label := "unsure"
		if g.Verdict == analysis.Fail {
			i, label = red, "failed"
		}
		s.brief(i, label, gateLine(g))
	}
}

func gateLine(g *analysis.Gate) string {
	s := g.Metric + ", " + bound(g)
	if g.Case != "" {
		s += ", in " + g.Case
	}
	if g.Arm != "" {
		s += ": " + g.Arm + " against " + g.Base
	}
	if g.Reason != "" {
		s += ": " + g.Reason
	}
	return s
}

// complete says whether everything that was planned came.
func (s *screen) complete(p Page) {
	c := &p.Result.Completeness
	text := fmt.Sprintf("%d of %s, %d of %s", c.ProcessesFinished, count(c.ProcessesPlanned, "process"), c.Samples, count(c.SamplesPlanned, "sample"))
	var expected, passed int
	for _, a := range c.Audits {
		expected, passed = expected+a.Expected, passed+a.Passed
	}
	if expected > 0 {
		text += fmt.Sprintf(", %d of %s", passed, count(expected, "audit line"))
	}
	color := ink("")
	if more := shortfalls(p); len(more) > 0 {
		text += "; " + strings.Join(more, ", ")
		color = yellow
	}
	s.entry(color, "complete", text)
}

// files says where the files lie, and how to make the numbers again.
func (s *screen) files(p Page) {
	if p.Folder == "" {
		return
	}
	s.entry("", "files", path.Join(clean(p.Folder), "report.md")+" · analysis.json · metrics.csv")
	s.entry("", "replicate", "python3 -S -E docs/replicate.py "+quote(p.Folder))
}
