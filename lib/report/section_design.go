package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

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

// environmentAndDesign is the section of the report: the page before results has its parts as sections.
func (w *writer) environmentAndDesign() {
	w.environment()
	for _, part := range []section{
		{"Cases", (*writer).cases},
		{"Correctness and path checks", (*writer).correctness},
		{"Estimand and interval", (*writer).estimand},
		{"Orders", (*writer).orders},
	} {
		w.heading(3, part.heading)
		part.write(w)
	}
}

func (w *writer) environment() {
	ph := w.page.phase()
	pr := &ph.Process
	g := newGrid("What", "Value")
	add := func(what, value string) {
		if value != "" {
			g.row(what, value)
		}
	}
	if o := w.journal.opened; o != nil {
		for _, k := range sortedKeys(o.Host) {
			add("host: "+escape(k), escape(o.Host[k]))
		}
		add("tool", escape(o.Tool))
		add("CPUs of the harness", escape(orElse(o.HarnessCPUs, "unpinned")))
		add("CPUs allowed", escape(o.AllowedCPUs))
	}
	add("CPUs of every process", escape(orElse(pr.CPUs, "unpinned")))
	add("host of every process", escape(pr.Host))
	add("environment", environment(pr.Env))
	add("network namespace", escape(pr.Netns))
	if pr.ASLR != nil {
		add("address space randomisation", map[bool]string{true: "as the system has it", false: "off"}[*pr.ASLR])
	}
	if pr.Nice != nil {
		add("nice", fmt.Sprint(*pr.Nice))
	}
	if pr.Timeout > 0 {
		add("deadline of a run", pr.Timeout.String())
	}
	add("resource limits", resourceLimits(pr.Limits))
	if w.hasCommands() {
		add("argv, environment and path", map[bool]string{true: "padded to one total length in all arms of a case", false: "not padded"}[pr.Pad])
	}
	if pr.Calibrate > 0 {
		add("calibration", "a spin of "+pr.Calibrate.String()+" before each run")
	}
	add("parameters", codeOrNothing(parameters(ph.Params)))
	add("design", designText(&ph.Design, written))
	add("size", sizeText(w.page.Plan))
	add("on failure", escape(ph.OnFailure))
	add("interrupted blocks", escape(ph.Interrupted))
	w.table(g)
}

func (w *writer) hasCommands() bool {
	return slices.ContainsFunc(w.page.phase().Cases, func(c plan.Case) bool { return len(c.Commands) > 0 })
}

func codeOrNothing(s string) string {
	if s == "" {
		return ""
	}
	return code(s)
}

func environment(env map[string]string) string {
	var words []string
	for _, k := range sortedKeys(env) {
		words = append(words, code(k+"="+env[k]))
	}
	return strings.Join(words, " ")
}

func resourceLimits(limits map[string]int64) string {
	var words []string
	for _, k := range sortedKeys(limits) {
		words = append(words, fmt.Sprintf("%s %d", escape(k), limits[k]))
	}
	return strings.Join(words, ", ")
}

// designText says how the arms are ordered.
func designText(d *plan.Design, v voice) string {
	s := fmt.Sprintf("%s, %s", v.prose(d.Kind), count(d.Blocks, "block"))
	if d.Kind != plan.DesignFixed {
		s += fmt.Sprintf(", seed %d", d.Seed)
	}
	if d.Nesting == plan.NestCases {
		s += "; case after case"
	} else if d.Nesting != "" {
		s += "; every case inside block 1, then block 2"
	}
	if d.Order == plan.OrderShared {
		s += "; one sequence of orders for all cases"
	}
	return s
}

// sizeText is "4 cases, 2 arms, 6 blocks, 48 processes, 144 samples".
func sizeText(pl *plan.Plan) string {
	return strings.Join([]string{
		count(len(pl.Phase.Cases), "case"), count(len(pl.Phase.Arms), "arm"), count(pl.Phase.Design.Blocks, "block"),
		count(len(pl.Runs), "process"), count(pl.Samples(), "sample"),
	}, ", ")
}

// cases lists the cases with what each arm runs.
func (w *writer) cases() {
	ph := w.page.phase()
	g := newGrid("Case", "Parameters", "Arm", "Runs")
	for i := range ph.Cases {
		c := &ph.Cases[i]
		for j, arm := range c.Arms {
			name, params := "", ""
			if j == 0 {
				name, params = code(c.Name), codeOrNothing(parameters(c.Params))
			}
			runs := "not part of this plan"
			if cmd, ok := c.Commands[arm]; ok {
				runs = codes(argv(cmd.Argv))
			}
			g.row(name, params, code(arm), runs)
		}
	}
	w.table(g)
}

// correctness lists what every run must meet, the declared constants and the declared checks.
func (w *writer) correctness() {
	ph := w.page.phase()
	var items []string
	for i := range ph.Expect {
		items = append(items, expectation(&ph.Expect[i]))
	}
	for i := range ph.Metrics {
		if m := &ph.Metrics[i]; m.Role == plan.RoleConstant {
			items = append(items, constantText(m, ph))
		}
	}
	for i := range ph.Checks {
		c := &ph.Checks[i]
		s := "Check " + code(c.Kind)
		if c.Metric != "" {
			s += " of " + code(c.Metric)
		}
		items = append(items, s+": findings are "+escape(orElse(c.On, "of its own severity"))+".")
	}
	for i := range ph.Gates {
		items = append(items, gateText(&ph.Gates[i]))
	}
	items = append(items, "Every process must give exactly the rows that are planned; a failed one gives no number.")
	w.items(items...)
}

func expectation(e *plan.Expect) string {
	switch e.Kind {
	case plan.ExpectExit:
		return fmt.Sprintf("Every run exits with status %d.", e.Code)
	case plan.ExpectStdout:
		if e.SHA256 != "" {
			return "Standard output of every run has the SHA-256 " + code(e.SHA256) + "."
		}
		return "Standard output of every run matches " + code(e.Matches) + "."
	case plan.ExpectMetric:
		if e.Equals == nil {
			return code(e.Unit) + " stands in every sample."
		}
		return fmt.Sprintf("%s is %s in every sample.", code(e.Unit), exact(*e.Equals))
	case plan.ExpectAudit:
		s := fmt.Sprintf("Audit %s: %s for each repeat", code(e.Name), count(e.PerRepeat, "line"))
		if len(e.Where) > 0 {
			s += ", with " + code(parameters(e.Where))
		}
		return s + "."
	}
	return "Expectation " + code(e.Kind) + "."
}

func constantText(m *plan.Metric, ph *plan.Phase) string {
	s := code(m.Unit) + " is constant within a case"
	if len(m.Equals) > 0 {
		var words []string
		for i := range ph.Cases {
			if v, ok := m.Equals[ph.Cases[i].Name]; ok {
				words = append(words, exact(v)+" in "+code(ph.Cases[i].Name))
			}
		}
		s += ": " + list(words)
	}
	if m.Confound != "" {
		s += "; where it is not, it stands for a confound: " + escape(m.Confound)
	}
	return s + "."
}

func gateText(g *plan.Gate) string {
	s := "Gate on " + code(g.Metric) + ":"
	switch {
	case g.MaxRatio != nil:
		s += " the interval may not lie above the ratio " + exact(*g.MaxRatio)
	case g.MinRatio != nil:
		s += " the interval may not lie below the ratio " + exact(*g.MinRatio)
	case g.MaxDifference != nil:
		s += " the interval may not lie above the difference " + exact(*g.MaxDifference)
	default:
		s += " no bound"
	}
	if len(g.Cases) > 0 {
		words := make([]string, len(g.Cases))
		for i, c := range g.Cases {
			words[i] = code(c)
		}
		s += " in " + list(words)
	}
	return s + "."
}

// estimand says what is estimated, with which interval, and how many comparisons that makes.
func (w *writer) estimand() {
	ph := w.page.phase()
	w.text(estimandText(&ph.Estimand))
	var own []string
	for i := range ph.Metrics {
		m := &ph.Metrics[i]
		if m.Estimand != nil {
			own = append(own, code(m.Unit)+": "+lowerFirst(estimandText(m.Estimand)))
		}
	}
	w.items(own...)
	g := newGrid("Metric", "Role", "Better", "From")
	for i := range ph.Metrics {
		m := &ph.Metrics[i]
		if m.Role == plan.RoleConstant {
			continue
		}
		from := ""
		if m.Role == plan.RoleDerived {
			from = code(m.Num) + " / " + code(m.Den)
		}
		g.row(code(m.Unit), escape(m.Role), escape(m.Better), from)
	}
	w.table(g)
	w.text(familyText(ph))
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func estimandText(e *plan.Estimand) string {
	s := "Geometric mean over blocks of the ratio of process medians, arm over base: below 1 means lower."
	if e.Kind == plan.BlockDifference {
		s = "Mean over blocks of the difference of process medians, arm minus base: below 0 means lower."
	}
	s += " Registered interval: " + intervalText(&e.Interval) + "."
	for i := range e.Also {
		s += " Also registered: " + intervalText(&e.Also[i]) + "."
	}
	return s
}

func intervalText(iv *plan.Interval) string {
	s := kindName(iv.Kind) + ", " + level(iv.Level)
	if iv.Kind == plan.Percentile {
		s += fmt.Sprintf(", %d resamples of whole blocks, seed %d", iv.Resamples, iv.Seed)
	}
	return s
}

var families = map[string]string{"holm": "Holm", "bh": "Benjamini-Hochberg"}

func familyText(ph *plan.Phase) string {
	words := make([]string, len(ph.Contrasts))
	for i, k := range ph.Contrasts {
		words[i] = code(k.Arm) + " against " + code(k.Base)
	}
	s := ""
	if len(words) > 0 {
		s = capital(plural(len(words), "contrast")) + ": " + list(words) + ". "
	}
	if ph.Family == "" {
		return s + "No correction over comparisons is declared."
	}
	return s + orElse(families[ph.Family], escape(ph.Family)) + " over all comparisons: adjusted p values stand beside the intervals, and verdicts are those of the intervals."
}

// orders shows every case's orders, block by block, and how balanced they are.
func (w *writer) orders() {
	ph := w.page.phase()
	words := make([]string, len(ph.Arms))
	for i := range ph.Arms {
		words[i] = letter(i) + " is " + code(ph.Arms[i].Name)
	}
	w.text(list(words) + "; one group of letters a block.")
	bs := balances(w.page.Plan)
	g := newGrid("Case", "Orders")
	for i := range bs {
		g.row(code(bs[i].name), strings.Join(bs[i].orders, " "))
	}
	w.table(g)
	var lines []string
	for _, t := range balanceTexts(bs, written) {
		lines = append(lines, capital(t)+".")
	}
	if len(lines) == 1 {
		w.text(lines[0])
		return
	}
	w.items(lines...)
}
