package host

import (
	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// What several of the tables below have alike.
var (
	besideCPUs  = param{"cpus", optional(cpuNumbers), none, "its CPUs, `2-7`; none of them may be measured on the same machine. Those of the harness where left out"}
	besideEnv   = param{"env", environment, noDict, "environment variables; nothing is inherited"}
	besideDir   = param{"dir", optional(folder), none, "the working folder, from the root; the root where left out"}
	besideNetns = param{"netns", optional(networkRef), none, "the network namespace: one of `networks`, or, where the phase declares none, one that the machine has; the harness's where left out"}
	besideHost  = param{"host", optional(hostRef), none, "the machine, one of `hosts`; this one where left out"}
	besideArgv  = "the program and its arguments, one item each, as in `command`; there is no shell"
)

func timeoutOf(text, doc string) param {
	return param{"timeout", duration, starlark.String(text), doc}
}

// stepKinds are what stands in before_phase, before_each, after_each and after_phase.
var stepKinds = []string{
	protocol.StepProgram, protocol.StepCeiling,
	protocol.StepFDBClear, protocol.StepFDBCeiling, protocol.StepFDBPlacement, protocol.StepFDBRequire, protocol.StepFDBStatus,
}

var besideKinds = []*kind{{
	name: "service", leading: true,
	doc: "a program that runs beside the measured processes, from before the first run to after the last",
	params: []param{
		{"name", name, nil, "unique in the phase"},
		{"command", argv, nil, besideArgv},
		{"ready", optional(valueOf("tcp")), none, "when it can be used; as soon as it has started where left out"},
		besideCPUs,
		besideEnv,
		besideDir,
		besideNetns,
		besideHost,
		{"grace", duration, starlark.String("10s"), "how long it may take to end once it is asked to; it is ended then"},
	},
}, {
	name: "tcp", leading: true,
	doc: "a service can be used once an address accepts a connection",
	params: []param{
		{"address", address, nil, "`host:port`, as the service's own machine and namespace reach it; an IPv6 host stands in brackets"},
		timeoutOf("30s", "how long that may take; the phase does not start then"),
	},
}, {
	name: "network", leading: true,
	doc: "a network namespace that is made before the phase and removed after it; those of one host are joined",
	params: []param{
		{"name", fileName, nil, "unique in the phase; `netns` of a process, a service or a step names it"},
		{"addresses", listOf(interfaceAddress, 1, maxItems), nil, "the addresses of its interface, each with the length of its prefix: `10.0.0.2/24`"},
		{"delay", optional(duration), none, "what every packet that leaves it is delayed by; nothing where left out"},
		besideHost,
	},
}, {
	name: "host", leading: true,
	doc: "another machine, reached over SSH with its key known; one program is copied there",
	params: []param{
		{"name", name, nil, "unique in the phase; `host` of a process, a service or a step names it"},
		{"ssh", sshDestination, nil, "where it is, as ssh takes it: `root@10.0.0.2`"},
		{"port", optional(integer(1, 65535)), none, "the port; that of ssh's own configuration where left out"},
		{"dir", optional(absoluteFolder), none, "an absolute folder there, for what is copied; a new temporary one where left out"},
		{"housekeeping", optional(cpuNumbers), none, "CPUs of the harness there, `0`; none of them may be measured. Chosen where left out"},
	},
}, {
	name: "sampler", leading: true,
	doc: "reads what a machine does, at a steady pace through the whole phase",
	params: []param{
		{"name", fileName, nil, "unique in the phase; a file of the result folder carries it"},
		{"reads", listOf(oneOf(protocol.Samples...), 1, len(protocol.Samples)), frozen(quotedItems(protocol.Samples)), "what is read, each once"},
		{"every", duration, starlark.String("1s"), "the time from one reading to the next"},
		besideCPUs,
		besideHost,
	},
}}

var betweenKinds = []*kind{{
	name: "step", leading: true,
	doc: "a program that runs to its end while nothing is measured; one that fails is a failed run, or ends the phase before it starts",
	params: []param{
		{"name", name, nil, "unique in its list"},
		{"command", argv, nil, besideArgv},
		besideCPUs,
		besideEnv,
		besideDir,
		besideNetns,
		besideHost,
		timeoutOf("1m", "how long it may take; it is ended then, and has failed"),
	},
}, {
	name: "ceiling", leading: true,
	doc: "a program that prints one number, which must not be above `max`; a case with a number above is contaminated",
	params: []param{
		{"name", name, nil, "unique in its list; it names the number"},
		{"command", argv, nil, besideArgv},
		{"max", number, nil, "the highest number that is no breach"},
		besideCPUs,
		besideEnv,
		besideDir,
		besideNetns,
		besideHost,
		timeoutOf("1m", "how long it may take; it is ended then, and has failed"),
	},
}}

func quotedItems(words []string) *starlark.List {
	items := make([]starlark.Value, len(words))
	for i, w := range words {
		items[i] = starlark.String(w)
	}
	return starlark.NewList(items)
}
