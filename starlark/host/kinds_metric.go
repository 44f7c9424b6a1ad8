package host

import "go.starlark.net/starlark"

var better = param{"better", oneOf("lower", "higher"), nil, "which direction is an improvement"}

var estimand = param{"estimand", optional(valueOf("block_ratio", "block_difference")), none, "its own estimand; the phase's where left out"}

var metricKinds = []*kind{{
	name: "metric", leading: true,
	doc:    "what is compared, by the unit that the program prints",
	params: []param{{"unit", unit, nil, "verbatim: \"ns/op\""}, better, estimand},
}, {
	name: "constant", leading: true,
	doc: "what must be equal within a case",
	params: []param{
		{"unit", unit, nil, "verbatim: \"rows/op\""},
		{"equals", optional(caseNumber), none, "its value: a number, a dict of case to number, or a function of the case"},
		{"confound", optional(sentence), none, "what it would mean if it differed: \"physical prefix\""},
	},
}, {
	name: "derived", leading: true,
	doc: "a metric computed from two others, sample by sample",
	params: []param{
		{"name", unit, nil, "its unit: \"allocs/row\""},
		{"num", unitRef, nil, "unit of the numerator"},
		{"den", unitRef, nil, "unit of the denominator"},
		{"better", better.typ, starlark.String("lower"), better.doc},
		estimand,
	},
}}

var correctnessKinds = []*kind{{
	name: "expect.exit", leading: true,
	doc:    "the exit code of every run",
	params: []param{{"code", integer(0, 255), nil, "0 to 255"}},
}, {
	name: "expect.stdout",
	doc:  "standard output of every run",
	params: []param{
		{"matches", optional(regularExpression), none, "a regular expression (RE2) that it matches"},
		{"sha256", optional(digest), none, "its digest"},
	},
	check: checkStdout,
}, {
	name: "expect.metric", leading: true,
	doc:    "the value of a metric in every sample",
	params: []param{{"unit", unitRef, nil, "a declared metric or constant"}, {"equals", number, nil, "its value"}},
}, {
	name: "expect.audit", leading: true,
	doc: "audit lines that a benchmark writes to the file named by PHASELOCK_AUDIT",
	params: []param{
		{"name", name, nil, "the audit's name"},
		{"per_repeat", integer(1, 1_000_000), oneUnit, "lines for each repeat"},
		{"where", fields, noDict, "fields that each line must have, with their values"},
	},
}, {
	name: "prefix_confound", leading: true,
	doc: "looks for a confound constant that differs between processes of a case",
	params: []param{
		{"metric", unitRef, nil, "a declared constant"},
		{"on", oneOf("warning", "invalid"), starlark.String("warning"), "severity of the finding; it can be raised, never lowered"},
	},
}, {
	name:   "complete",
	doc:    "every planned run finished and gave exactly its samples",
	params: []param{{"on", oneOf("invalid"), starlark.String("invalid"), "severity of the finding; nothing is above it"}},
}, {
	name: "gate", leading: true,
	doc: "a bound on the registered interval that fails CI; exactly one bound",
	params: []param{
		{"metric", unitRef, nil, "a declared metric or derived metric"},
		{"max_ratio", optional(positive), none, "the ratio may not be above"},
		{"min_ratio", optional(positive), none, "the ratio may not be below"},
		{"max_difference", optional(number), none, "the difference may not be above"},
		{"cases", listOf(caseRef, 0, maxCases), noList, "the cases that it holds for; all where left out"},
		{"accept_narrow", flag, noFlag, "accepts a percentile interval of fewer than 20 blocks"},
	},
	check: checkGate,
}}

var processKinds = []*kind{{
	name: "process",
	doc:  "how processes run",
	params: []param{
		{"cpus", optional(cpuList), none, "\"8-15\", or \"auto\": one allowed CPU away from the harness's; unpinned where left out"},
		{"env", environment, noDict, "variables beside those that the harness sets"},
		{"netns", optional(sentence), none, "a network namespace"},
		{"aslr", optional(flag), none, "False turns address randomisation off; left as it is where left out"},
		{"nice", optional(integer(-20, 19)), none, "-20 to 19; left as it is where left out"},
		{"timeout", duration, starlark.String("10m"), "of one run"},
		{"limits", rlimits, noDict, "resource limits by name: nofile, as, cpu, core, data, fsize, stack, memlock, nproc"},
		{"pad", flag, starlark.Bool(true), "pads argv, environment and path to one length in all arms of a case"},
		{"calibrate", optional(duration), none, "a fixed spin before each run, \"20ms\" for instance; off where left out"},
	},
}}
