package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// Comparison is what changed between two declarations: of scripts, plans or result folders.
type Comparison struct {
	Before, After string // how they are called: paths
	Texts         Texts
	Phases        []Compared // the later one's, in its order, then those that are gone
}

// Texts says what is known of the sources of a comparison.
type Texts int

// What is known of two texts.
const (
	TextsUnknown Texts = iota // one of them is a plan, which has no text
	TextsSame
	TextsDiffer
)

// Compared is one phase of a comparison.
type Compared struct {
	Before, After *plan.Plan // nil: it is not there
	Changes       []plan.Change
}

// Compare pairs the phases of two declarations: by name, or the only ones, whatever they are called.
func Compare(before, after string, was, is []*plan.Plan, texts Texts) *Comparison {
	c := &Comparison{Before: before, After: after, Texts: texts}
	pair := func(b, a *plan.Plan) {
		c.Phases = append(c.Phases, Compared{b, a, plan.Diff(b.Phase, a.Phase)})
	}
	if len(was) == 1 && len(is) == 1 {
		pair(was[0], is[0])
		return c
	}
	for _, a := range is {
		if b := phaseNamed(was, a.Phase.Name); b != nil {
			pair(b, a)
		} else {
			c.Phases = append(c.Phases, Compared{After: a})
		}
	}
	for _, b := range was {
		if phaseNamed(is, b.Phase.Name) == nil {
			c.Phases = append(c.Phases, Compared{Before: b})
		}
	}
	return c
}

func phaseNamed(plans []*plan.Plan, name string) *plan.Plan {
	for _, p := range plans {
		if p.Phase.Name == name {
			return p
		}
	}
	return nil
}

// Same reports whether both are one protocol.
func (c *Comparison) Same() bool {
	for i := range c.Phases {
		if !c.Phases[i].same() {
			return false
		}
	}
	return true
}

func (p *Compared) same() bool { return p.Before != nil && p.After != nil && len(p.Changes) == 0 }

// verdict says in a sentence whether the protocol changed.
func (c *Comparison) verdict() string {
	switch {
	case !c.Same():
		return "The protocol differs."
	case c.Texts == TextsDiffer:
		return "The text differs, the protocol does not."
	case c.Texts == TextsSame:
		return "Neither the text nor the protocol differs."
	}
	return "The protocol does not differ."
}

// size says how many processes a phase has, and had.
func (p *Compared) size() string {
	was, is := len(p.Before.Runs), len(p.After.Runs)
	if was == is && p.Before.Samples() == p.After.Samples() {
		return fmt.Sprintf("It has %s and %s, as before.", count(is, "process"), count(p.After.Samples(), "sample"))
	}
	return fmt.Sprintf("It has %s and %s; it had %d and %d.", count(is, "process"), count(p.After.Samples(), "sample"), was, p.Before.Samples())
}

// sentences tells what changed in a phase; the first names it.
func (p *Compared) sentences() []string {
	switch {
	case p.Before == nil:
		return []string{fmt.Sprintf("Phase %q is new, with %s.", p.After.Phase.Name, count(len(p.After.Runs), "process"))}
	case p.After == nil:
		return []string{fmt.Sprintf("Phase %q is gone; it had %s.", p.Before.Phase.Name, count(len(p.Before.Runs), "process"))}
	case len(p.Changes) == 0:
		return []string{fmt.Sprintf("Phase %q is the same protocol.", p.After.Phase.Name)}
	}
	out := []string{fmt.Sprintf("Phase %q: %s. %s", p.After.Phase.Name, count(len(p.Changes), "change"), p.size())}
	for _, change := range p.Changes {
		out = append(out, change.Sentence())
	}
	return out
}

// about names what changed, in a cell.
func about(c plan.Change) string {
	if c.Aspect == "" {
		return c.Who()
	}
	return c.Who() + ": " + c.Aspect
}

// cells are what a table says of a change.
func cells(c plan.Change) (what, before, after string) {
	before, after = orElse(c.Before, missing), orElse(c.After, missing)
	switch {
	case c.Aspect == "" && c.Kind == plan.Added:
		after = orElse(c.After, "new")
	case c.Aspect == "" && c.Kind == plan.Removed:
		after = "gone"
	}
	return about(c), before, after
}

// CompareText writes a comparison for a terminal: the verdict, the changes in sentences, and as a table.
func CompareText(w io.Writer, c *Comparison, o TerminalOptions) error {
	s := newScreen(o)
	s.paragraph("", "", c.verdict())
	for i := range c.Phases {
		p := &c.Phases[i]
		s.blank()
		for n, sentence := range p.sentences() {
			label := "- "
			if n == 0 {
				label = ""
			}
			s.paragraph("", label, sentence)
		}
		if len(p.Changes) > 0 {
			s.blank()
			s.changes(p.Changes)
		}
	}
	_, err := io.WriteString(w, s.b.String())
	return err
}

// changes writes a table of what, before and after; cells that are too wide are cut, since the sentences have all of it.
func (s *screen) changes(changes []plan.Change) {
	rows := [][3]string{{"what", "before", "after"}}
	for _, c := range changes {
		what, before, after := cells(c)
		rows = append(rows, [3]string{s.plain(what), s.plain(before), s.plain(after)})
	}
	room := s.columns - 4
	var widths [3]int
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], width(cell))
		}
	}
	for over := widths[0] + widths[1] + widths[2] - room; over > 0; over-- {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		widths[widest]--
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			cell = s.cut(cell, widths[i])
			line += cell + strings.Repeat(" ", max(0, widths[i]-width(cell))+2)
		}
		s.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// CompareMarkdown writes a comparison as Markdown.
func CompareMarkdown(w io.Writer, c *Comparison) error {
	d := &document{}
	d.heading(1, "What changed")
	d.text(fmt.Sprintf("From %s to %s:", code(c.Before), code(c.After)), c.verdict())
	for i := range c.Phases {
		p := &c.Phases[i]
		sentences := p.sentences()
		d.text(escape(sentences[0]))
		var items []string
		for _, s := range sentences[1:] {
			items = append(items, escape(s))
		}
		d.items(items...)
		g := newGrid("What", "Before", "After")
		for _, change := range p.Changes {
			what, before, after := cells(change)
			if change.Before != "" {
				before = code(before)
			}
			if change.After != "" {
				after = code(after)
			}
			g.row(escape(what), before, after)
		}
		d.table(g)
	}
	return d.writeTo(w)
}

// CompareJSON writes a comparison as data.
func CompareJSON(w io.Writer, c *Comparison) error {
	type phase struct {
		Phase   string        `json:"phase"`
		Status  string        `json:"status"` // same, changed, added or removed
		Runs    int           `json:"runs"`
		RunsWas int           `json:"runs_was"`
		Changes []plan.Change `json:"changes"`
	}
	out := struct {
		Before   string  `json:"before"`
		After    string  `json:"after"`
		Protocol string  `json:"protocol"` // same or differs
		Text     string  `json:"text"`     // same, differs or unknown
		Phases   []phase `json:"phases"`
	}{Before: c.Before, After: c.After, Protocol: "differs", Text: [...]string{"unknown", "same", "differs"}[c.Texts]}
	if c.Same() {
		out.Protocol = "same"
	}
	for _, p := range c.Phases {
		one := phase{Status: "changed", Changes: p.Changes}
		if p.Before != nil {
			one.Phase, one.RunsWas = p.Before.Phase.Name, len(p.Before.Runs)
		}
		if p.After != nil {
			one.Phase, one.Runs = p.After.Phase.Name, len(p.After.Runs)
		}
		switch {
		case p.same():
			one.Status = "same"
		case p.Before == nil:
			one.Status = "added"
		case p.After == nil:
			one.Status = "removed"
		}
		if one.Changes == nil {
			one.Changes = []plan.Change{}
		}
		out.Phases = append(out.Phases, one)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
