package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

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
		w.host(g, o.Host)
		add("tool", escape(o.Tool))
		add("CPUs of the harness", escape(orElse(o.HarnessCPUs, "unpinned")))
		add("CPUs allowed", escape(o.AllowedCPUs))
	}
	if w.page.Result != nil {
		w.clientRows(add)
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
	add("size", Size(w.page.Plan))
	add("on failure", escape(ph.OnFailure))
	add("interrupted blocks", escape(ph.Interrupted))
	w.table(g)
	w.items(append(beside(ph), between(ph)...)...)
}

// hostFacts are what the report shows of a machine, in this order; host.json has the rest.
var hostFacts = []struct{ key, title string }{
	{"hostname", "host"},
	{"machine", "machine"},
	{"virtual", "virtual machine"},
	{"os", "system"},
	{"kernel", "kernel"},
	{"arch", "architecture"},
	{"cpu_model", "CPU"},
	{"cpu_count", "CPUs"},
	{"cpu_mhz", "CPU MHz"},
	{"smt_active", "SMT"},
	{"governor", "frequency governor"},
	{"turbo", "turbo"},
	{"cpus_isolated", "isolated CPUs"},
	{"memory_kb", "memory, KiB"},
	{"thp", "transparent huge pages"},
	{"aslr", "randomize_va_space"},
	{"clocksource", "clock source"},
	{"load_average", "load average before"},
}

// host shows the machine: what matters most of what is known, and what of that is not known.
func (w *writer) host(g *grid, facts map[string]string) {
	var unknown []string
	shown := 0
	for _, f := range hostFacts {
		switch v, ok := facts[f.key]; {
		case !ok:
			continue
		case v == "" || v == "unknown":
			unknown = append(unknown, f.title)
		default:
			g.row(f.title, escape(v))
		}
		shown++
	}
	if len(unknown) > 0 {
		g.row("not known", list(unknown))
	}
	if more := len(facts) - shown; more > 0 {
		g.row("more about the host", count(more, "fact")+" in host.json")
	}
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

// Size says how large a plan is: "4 cases, 2 arms, 6 blocks, 48 processes, 144 samples".
func Size(pl *plan.Plan) string {
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
