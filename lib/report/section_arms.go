package report

import "strings"

// arms lists the arms, and what differs between them.
func (w *writer) arms() {
	ph := w.page.phase()
	g := newGrid("Arm", "Role", "Parameters")
	for i := range ph.Arms {
		a := &ph.Arms[i]
		role := ""
		switch {
		case a.Name == ph.Baseline:
			role = "baseline"
		case a.Control:
			role = "control (A/A)"
		}
		params := ""
		if len(a.Params) > 0 {
			params = code(parameters(a.Params))
		}
		g.row(code(a.Name), role, params)
	}
	w.table(g)
	w.differences()
}

func (w *writer) differences() {
	ph := w.page.phase()
	all := w.page.differences()
	commands := 0
	for i := range ph.Cases {
		commands += len(ph.Cases[i].Commands)
	}
	switch {
	case len(ph.Arms) < 2:
		return
	case commands == 0:
		w.text("What differs between them is not known: no commands are part of this plan.")
		return
	case len(all) == 0:
		w.text("Nothing differs between them: argv, environment, CPUs and programs are the same in every case.")
		return
	}
	w.text("What differs between them:")
	header := []string{"What"}
	for i := range ph.Arms {
		header = append(header, code(ph.Arms[i].Name))
	}
	g := newGrid(append(header, "Cases")...)
	for _, a := range all {
		row := []string{a.what}
		for _, v := range a.values {
			if v != missing {
				v = code(v)
			}
			row = append(row, v)
		}
		g.row(append(row, w.whichCases(a.cases))...)
	}
	w.table(g)
}

// whichCases writes "all" or the names.
func (w *writer) whichCases(names []string) string {
	if len(names) == 0 || len(names) == len(w.page.phase().Cases) {
		return "all"
	}
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = code(n)
	}
	return strings.Join(words, ", ")
}
