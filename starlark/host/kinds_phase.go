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

var phaseKinds = []*kind{{
	name: "phase", leading: true,
	doc: "declares one preregistered phase; only the entry script may call it, or a macro on its behalf",
	params: []param{
		{"name", phaseName, nil, "lower-case letters, digits, dots, underscores and hyphens; unique in the script"},
		{"campaign", text, noText, "the campaign to which the phase belongs"},
		{"question", sentence, nil, "one sentence; the report answers it"},
		{"arms", listOf(valueOf("arm"), 1, maxArms), nil, "the sides of the comparison; the first is the baseline"},
		{"baseline", optional(armRef), none, "the arm that others are compared with; the first where left out"},
		{"contrasts", optional(listOf(pairOf(armRef), 1, maxArms*maxArms)), none, "pairs (arm, base); every arm against the baseline where left out"},
		{"cases", listOf(valueOf("case"), 1, maxCases), nil, "the questions asked of the arms"},
		{"command", optional(callback("command", 2)), none, "for arms and cases that name none: a command, or a function of (arm, case)"},
		{"design", valueOf("counterbalanced", "williams", "randomized", "fixed"), nil, "how arms are ordered within blocks"},
		{"repeats", integer(1, 1_000_000), oneUnit, "samples that each process gives: testing.B's count; 1 with format \"process\""},
		{"metrics", listOf(valueOf("metric", "constant"), 1, maxMetrics), nil, "what is read from each sample"},
		{"derived", listOf(valueOf("derived"), 0, maxMetrics), noList, "metrics computed from others, sample by sample"},
		{"estimand", valueOf("block_ratio", "block_difference"), nil, "what a comparison estimates, with its interval; a metric may have its own"},
		{"family", optional(oneOf("holm", "bh")), none, "correction across the comparisons of the phase"},
		{"process", optional(valueOf("process")), none, "how every process runs; process() where left out"},
		{"expect", listOf(valueOf("expect.exit", "expect.stdout", "expect.metric", "expect.audit"), 0, maxItems), noList, "correctness of each run"},
		{"checks", listOf(valueOf("prefix_confound", "complete"), 0, maxItems), noList, "declared checks, with their severity"},
		{"gates", listOf(valueOf("gate"), 0, maxItems), noList, "bounds that fail CI"},
		{"on_failure", oneOf("continue", "stop-case", "stop-phase"), starlark.String("continue"), "what a failed run stops"},
		{"on_ceiling", oneOf("stop-phase", "continue"), starlark.String("stop-phase"), "what a ceiling that is reached stops"},
		{"interrupted", oneOf("rerun-block", "retain"), starlark.String("rerun-block"), "what becomes of a block that was cut short"},
		{"predictions", listOf(sentence, 0, maxItems), noList, "what the author expects before any result"},
		{"limits", listOf(sentence, 0, maxItems), noList, "what the phase cannot show"},
		{"references", listOf(valueOf("reference"), 0, maxItems), noList, "figures of other sealed phases, printed as descriptions"},
	},
}, {
	name: "reference", leading: true,
	doc: "names a figure of another sealed phase, printed beside this phase's as a description",
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
		{"command", optional(callback("command", 2)), none, "what this arm runs in every case: a command, or a function of (arm, case)"},
		{"env", environment, noDict, "variables that override the process's"},
		{"cpus", optional(cpuList), none, "CPUs that override the process's"},
		{"control", flag, noFlag, "an A/A arm: reported, never a finding"},
	},
}, {
	name: "case", leading: true, own: true,
	doc: "one question asked of every arm, or of those named",
	params: []param{
		{"name", name, nil, "unique in the phase"},
		{"command", optional(callback("command", 2)), none, "what every arm runs in this case: a command, or a function of (arm, case)"},
		{"commands", optional(dictOf(armRef, valueOf("command"))), none, "a command for each arm, by its name"},
		{"arms", optional(listOf(armRef, 1, maxArms)), none, "the arms that are asked; all where left out"},
	},
	check: checkCase,
}}

var valueKinds = []*kind{{
	name: "cpu_set", leading: true,
	doc:    "a list of CPUs, \"2-7\", or \"auto\": one allowed CPU away from the harness's",
	params: []param{{"cpus", cpuList, nil, "CPUs in the kernel's form, \"2-4,7\""}},
	result: func(r *record) starlark.Value { return r.fields[0] },
}, {
	name: "param", leading: true,
	doc: "a parameter of the script, changed by --set name=value; the value used is sealed",
	params: []param{
		{"name", identifier, nil, "unique in the script"},
		{"default", scalar, nil, "a bool, int, float or string; --set values are read as its type"},
	},
	result: paramValue,
}}
