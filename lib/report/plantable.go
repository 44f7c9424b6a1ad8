package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// leastArgv is the room below which a run's argv stands on lines of its own.
const leastArgv = 36

// PlanTable writes what a plan is: its size first, its digests, its balance, then every run in order with its argv as
// a shell would read it. Lines are broken between arguments to fit the width; an argument is never broken.
func PlanTable(w io.Writer, pl *plan.Plan, columns int) error {
	if pl == nil || pl.Phase == nil {
		return errNoPlan
	}
	s := newScreen(TerminalOptions{Width: columns})
	s.paragraph(bold, "", Size(pl))
	s.entry("", "phase", orElse(clean(pl.Phase.Name), missing)+": "+clean(pl.Phase.Question))
	s.entry("", "plan", orElse(clean(pl.Digest), "no digest"))
	s.entry("", "design", designText(&pl.Phase.Design, spoken))
	for i, t := range balanceTexts(balances(pl), spoken) {
		label := ""
		if i == 0 {
			label = "balance"
		}
		s.entry("", label, t)
	}
	s.blank()
	b := bufio.NewWriter(w)
	b.WriteString(s.b.String())
	newRunTable(pl, s.columns).write(b)
	return b.Flush()
}

// runTable writes the runs of a plan: rows may be a million, so that it holds none of them.
type runTable struct {
	plan    *plan.Plan
	widths  [5]int // of run, block, position, case, arm
	columns int
	indent  int // of the argv
	below   bool
}

var runHeader = [5]string{"run", "block", "pos", "case", "arm"}

func newRunTable(pl *plan.Plan, columns int) *runTable {
	t := &runTable{plan: pl, columns: columns}
	for i, h := range runHeader {
		t.widths[i] = len(h)
	}
	for i := range pl.Runs {
		for j, cell := range runCells(&pl.Runs[i]) {
			t.widths[j] = max(t.widths[j], width(cell))
		}
	}
	for _, n := range t.widths {
		t.indent += n + 2
	}
	if t.columns-t.indent < leastArgv {
		t.below, t.indent = true, t.widths[0]+2
	}
	return t
}

func runCells(r *plan.Run) [5]string {
	return [5]string{fmt.Sprint(r.Number), fmt.Sprint(r.Block), fmt.Sprint(r.Position), clean(r.Case), clean(r.Arm)}
}

func (t *runTable) write(b *bufio.Writer) {
	head := t.line(runHeader)
	if !t.below {
		head += "  argv"
	}
	b.WriteString(strings.TrimRight(head, " ") + "\n")
	for i := range t.plan.Runs {
		r := &t.plan.Runs[i]
		lines := t.argv(argv(r.Argv))
		start := t.line(runCells(r))
		if t.below {
			b.WriteString(strings.TrimRight(start, " ") + "\n")
		} else {
			b.WriteString(strings.TrimRight(start+"  "+lines[0], " ") + "\n")
			lines = lines[1:]
		}
		for _, l := range lines {
			if l != "" {
				b.WriteString(strings.Repeat(" ", t.indent) + l + "\n")
			}
		}
	}
}

// line writes the first cells: numbers to the right, names to the left.
func (t *runTable) line(cells [5]string) string {
	words := make([]string, len(cells))
	for i, c := range cells {
		pad := strings.Repeat(" ", t.widths[i]-width(c))
		if i < 3 {
			words[i] = pad + c
		} else {
			words[i] = c + pad
		}
	}
	return strings.Join(words, "  ")
}

// argv breaks arguments into lines, one at least.
func (t *runTable) argv(args []string) []string {
	room := t.columns - t.indent
	lines := []string{""}
	for _, a := range args {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = a
		case width(*last)+1+width(a) <= room:
			*last += " " + a
		default:
			lines = append(lines, a)
		}
	}
	return lines
}
