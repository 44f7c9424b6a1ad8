package host

import "go.starlark.net/starlark"

// Values that stand for defaults in the tables. They are frozen, and a constructor copies them.
var (
	none    = starlark.None
	noList  = frozen(starlark.NewList(nil))
	noDict  = frozen(starlark.NewDict(0))
	noText  = starlark.String("")
	noFlag  = starlark.Bool(false)
	oneUnit = starlark.MakeInt(1)
)

func frozen(v starlark.Value) starlark.Value {
	v.Freeze()
	return v
}

// steps takes what happens while nothing is measured.
var steps = listOf(valueOf(stepKinds...), 0, maxItems)

var phaseKinds = []*kind{{
	name: "phase", leading: true,
	doc: "declares one preregistered phase; only the entry script may call it, or a function on its behalf",
	params: []param{
		{"name", phaseName, nil, "lower-case letters, digits, dots, underscores and hyphens; unique in the script"},
		{"campaign", text, noText, "the campaign to which the phase belongs; it is printed"},
		{"question", sentence, nil, "one sentence; the report answers it"},
		{"arms", listOf(valueOf("arm"), 1, maxArms), nil, "the sides of the comparison, at least one; the first is the baseline"},
		{"baseline", optional(armRef), none, "the arm that the others are compared with; the first where left out"},
		{"contrasts", optional(listOf(pairOf(armRef), 1, maxArms*maxArms)), none, "which arm is compared with which; every other arm with the baseline where left out"},
		{"cases", listOf(valueOf("case"), 1, maxCases), nil, "the questions asked of the arms, at least one"},
		{"command", optional(callback("command", 2)), none, "what runs where neither the case nor the arm names a command; see [Callbacks](#callbacks)"},
		{"design", valueOf("counterbalanced", "williams", "randomized", "fixed"), nil, "how many blocks, and how the arms are ordered within each"},
		{"repeats", integer(1, 1_000_000), oneUnit, "samples that each process gives: `-test.count` of a Go benchmark, lines of a `json` program; 1 with `process` and `none`"},
		{"metrics", listOf(valueOf("metric", "constant"), 1, maxMetrics), nil, "what is read from each sample; at least one `metric`"},
		{"derived", listOf(valueOf("derived"), 0, maxMetrics), noList, "metrics computed from others, sample by sample"},
		{"estimand", valueOf("block_ratio", "block_difference"), nil, "what a comparison estimates, with its interval; a metric may have its own"},
		{"family", optional(oneOf("holm", "bh")), none, "correction for many comparisons: Holm, or Benjamini-Hochberg; none where left out"},
		{"process", optional(valueOf("process")), none, "how every process runs; `process()` where left out"},
		{"hosts", listOf(valueOf("host"), 0, maxItems), noList, "other machines that the phase uses"},
		{"networks", listOf(valueOf("network"), 0, maxItems), noList, "network namespaces that are made for the phase"},
		{"services", listOf(valueOf("service"), 0, maxItems), noList, "what runs beside the measured processes; they start in this order and end in the reverse"},
		{"samplers", listOf(valueOf("sampler"), 0, maxItems), noList, "what reads the machines while the phase runs"},
		{"before_phase", steps, noList, "what happens once, in this order, before the first run"},
		{"before_each", steps, noList, "what happens before each run"},
		{"after_each", steps, noList, "what happens after each run"},
		{"after_phase", steps, noList, "what happens once, after the last run"},
		{"expect", listOf(valueOf("expect.exit", "expect.stdout", "expect.metric", "expect.audit"), 0, maxItems), noList, "what makes a run correct; a run that is not gives no samples"},
		{"checks", listOf(valueOf("prefix_confound", "complete"), 0, maxItems), noList, "checks whose severity the phase raises; all others are made anyway"},
		{"gates", listOf(valueOf("gate"), 0, maxItems), noList, "bounds that decide the exit code: 1 fails, 5 is inconclusive"},
		{"on_failure", oneOf("continue", "stop-case", "stop-phase"), starlark.String("continue"), "what a failed run stops; runs that are left out stand in the report"},
		{"on_ceiling", oneOf("stop-phase", "continue"), starlark.String("stop-phase"), "what a ceiling that is passed around a run stops: all that would follow, or nothing; the case of that run is contaminated either way"},
		{"interrupted", oneOf("rerun-block", "retain"), starlark.String("rerun-block"), "what a resumed phase does with a block that was cut short; it stands in the plan and has no effect, since no phase is resumed"},
		{"predictions", listOf(sentence, 0, maxItems), noList, "what the author expects before any result"},
		{"limits", listOf(sentence, 0, maxItems), noList, "what the phase cannot show"},
		{"references", listOf(valueOf("reference"), 0, maxItems), noList, "figures from elsewhere, printed beside; nothing is computed from them"},
	},
}, {
	name: "reference", leading: true,
	doc: "a figure from elsewhere, printed beside this phase's own",
	params: []param{
		{"label", sentence, nil, "what the figure is"},
		{"value", number, nil, "the figure"},
		{"metric", optional(unitRef), none, "the unit beside which it is printed"},
		{"case", optional(caseRef), none, "the case beside which it is printed"},
		{"low", optional(number), none, "the lower end of its interval"},
		{"high", optional(number), none, "the upper end of its interval"},
		{"source", text, noText, "where it was published or sealed"},
	},
	check: checkReference,
}}

var armKinds = []*kind{{
	name: "arm", leading: true, own: true,
	doc: "one side of the comparison",
	params: []param{
		{"name", name, nil, "unique in the phase"},
		{"command", optional(callback("command", 2)), none, "what this arm runs in every case; see [Callbacks](#callbacks)"},
		{"env", environment, noDict, "environment variables of this arm; they override the process's"},
		{"cpus", optional(cpuList), none, "CPUs of this arm, instead of the process's"},
		{"control", flag, noFlag, "`True` for an A/A arm, the baseline under another name: no gate and no correction counts it"},
	},
}, {
	name: "case", leading: true, own: true,
	doc: "one question asked of every arm, or of those named",
	params: []param{
		{"name", name, nil, "unique in the phase"},
		{"command", optional(callback("command", 2)), none, "what every arm runs in this case; see [Callbacks](#callbacks)"},
		{"commands", optional(dictOf(armRef, valueOf("command"))), none, "a command for each arm, written out; the flat form has them"},
		{"arms", optional(listOf(armRef, 1, maxArms)), none, "the arms that are asked; all where left out"},
	},
	check: checkCase,
}}

var valueKinds = []*kind{{
	name: "cpu_set", leading: true,
	doc:    "a list of CPUs, checked; its value is the string",
	params: []param{{"cpus", cpuList, nil, "CPUs in the kernel's form, `2-4,7`, or `auto`, one allowed CPU away from the harness's"}},
	result: func(r *record) starlark.Value { return r.fields[0] },
}, {
	name: "param", leading: true,
	doc: "a parameter of the script; its value is the default, or that of `--set name=value`, and stands in the plan",
	params: []param{
		{"name", identifier, nil, "unique in the script"},
		{"default", scalar, nil, "the value without `--set`; what `--set` gives is read as its type"},
	},
	result: paramValue,
}}
