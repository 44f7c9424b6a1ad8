package host

import "go.starlark.net/starlark"

var better = param{"better", oneOf("lower", "higher"), nil, "which direction is an improvement"}

var estimand = param{"estimand", optional(valueOf("block_ratio", "block_difference")), none, "its own estimand, `block_difference` for what may be zero; the phase's where left out"}

var metricKinds = []*kind{{
	name: "metric", leading: true,
	doc:    "what is compared, by the unit that the program prints",
	params: []param{{"unit", unit, nil, "as the program prints it: `ns/op`; values are never rescaled"}, better, estimand},
}, {
	name: "constant", leading: true,
	doc: "what must have one value in all samples of a case: that both arms did the same work",
	params: []param{
		{"unit", unit, nil, "as the program prints it: `rows/op`"},
		{"equals", optional(caseNumber), none, "the value that it must have, exactly; where left out, any one value"},
		{"confound", optional(sentence), none, "what it would mean if it differed between processes: `physical prefix`; it may then differ, which is a finding"},
	},
}, {
	name: "derived", leading: true,
	doc: "a metric computed as num / den, sample by sample; a zero denominator gives no value, and is counted",
	params: []param{
		{"name", unit, nil, "its own unit: `allocs/row`"},
		{"num", unitRef, nil, "unit of the numerator"},
		{"den", unitRef, nil, "unit of the denominator"},
		{"better", better.typ, starlark.String("lower"), better.doc},
		estimand,
	},
}}

var correctnessKinds = []*kind{{
	name: "expect.exit", leading: true,
	doc:    "the exit code that every run must have; 0 where nothing is expected",
	params: []param{{"code", integer(0, 255), nil, "the exit code"}},
}, {
	name: "expect.stdout",
	doc:  "what every run must print; exactly one of the two",
	params: []param{
		{"matches", optional(regularExpression), none, "a regular expression (RE2) that is found in it"},
		{"sha256", optional(digest), none, "SHA-256 of the whole output, 64 lower-case hexadecimal digits"},
	},
	check: checkStdout,
}, {
	name: "expect.metric", leading: true,
	doc:    "the value that a metric must have in every sample",
	params: []param{{"unit", unitRef, nil, "a declared metric or constant"}, {"equals", number, nil, "the value, exactly"}},
}, {
	name: "expect.audit", leading: true,
	doc: "audit lines, JSON objects with `\"audit\": name`, that a benchmark appends to the file named by `PHASELOCK_AUDIT`, outside its timing",
	params: []param{
		{"name", name, nil, "the value of `audit` in the lines that are counted"},
		{"per_repeat", integer(1, 1_000_000), oneUnit, "how many such lines each repeat writes"},
		{"where", fields, noDict, "fields that each such line must have, with their values"},
	},
}, {
	name: "prefix_confound", leading: true,
	doc: "raises the finding about a confounded constant that differs between the processes of a case",
	params: []param{
		{"metric", unitRef, nil, "the constant, declared with `confound`"},
		{"on", oneOf("warning", "invalid"), starlark.String("warning"), "severity of the finding; `invalid` makes the exit code 3"},
	},
}, {
	name:   "complete",
	doc:    "every planned run finished and gave exactly its samples",
	params: []param{{"on", oneOf("invalid"), starlark.String("invalid"), "severity of the finding; it has no other"}},
}, {
	name: "gate", leading: true,
	doc: "a bound for CI on the registered interval of every comparison of a metric; exactly one of the three bounds",
	params: []param{
		{"metric", unitRef, nil, "a declared metric or derived metric"},
		{"max_ratio", optional(positive), none, "with `block_ratio`: passes if the whole interval is at or below, fails if the whole is above, else inconclusive; 1.05 allows 5%"},
		{"min_ratio", optional(positive), none, "with `block_ratio`: passes if the whole interval is at or above, fails if the whole is below, else inconclusive"},
		{"max_difference", optional(number), none, "with `block_difference`, in the metric's unit: as `max_ratio`; 0 allows no increase"},
		{"cases", listOf(caseRef, 0, maxCases), noList, "the cases that it holds for; all where left out"},
		{"accept_narrow", flag, noFlag, "lets a `percentile` interval of fewer than 20 blocks decide; such a gate is else inconclusive"},
	},
	check: checkGate,
}}

var processKinds = []*kind{{
	name: "process",
	doc:  "how every measured process runs",
	params: []param{
		{"cpus", optional(cpuList), none, "CPUs that a process may use: `8-15`, `2,4`, or `auto`, one allowed CPU away from the harness's; where left out, it is not pinned"},
		{"env", environment, noDict, "environment variables; nothing is inherited, and the harness sets `PATH`, `LANG`, `HOME` and `TMPDIR`"},
		{"netns", optional(networkRef), none, "the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out"},
		{"aslr", optional(flag), none, "`False` turns the randomisation of addresses off; where left out it stays as the machine has it"},
		{"nice", optional(integer(-20, 19)), none, "the priority, lower is more; where left out it stays as it is"},
		{"timeout", duration, starlark.String("10m"), "how long one run may take, `10m`, `1m30s`; it is ended then, which is a failed run"},
		{"limits", rlimits, noDict, "resource limits in the kernel's units: bytes, seconds, counts"},
		{"host", optional(hostRef), none, "the machine on which every process runs, one of `hosts`; this one where left out"},
		{"pad", flag, starlark.Bool(true), "pads the environment so that argv, environment and path have one total length in all arms of a case"},
		{"calibrate", optional(duration), none, "a fixed spin before each run, `20ms`; off where left out"},
	},
}}
