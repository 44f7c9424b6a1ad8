package host

import (
	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

var (
	fdbCluster = param{"cluster", optional(rootPath), none, "the cluster file, from the root; the one that `FDB_CLUSTER_FILE` of the harness names where left out"}
	fdbTimeout = timeoutOf("1m", "how long it may take; it has failed then")
)

var fdbKinds = []*kind{{
	name: protocol.StepFDBClear,
	doc:  "clears every user key of a cluster, and waits until its queues and what it moves have fallen",
	params: []param{
		{"settle", integer(0, maxSeed), starlark.MakeInt(1_000_000), "bytes in the worst queue, and in movement, at which it has settled"},
		fdbCluster,
		timeoutOf("10m", "how long that may take; it has failed then"),
	},
}, {
	name: protocol.StepFDBCeiling, leading: true,
	doc: "a number of the cluster's status document, which must not be above `max`; a case with a number above is contaminated, and a missing one is unknown, never 0",
	params: []param{
		{"path", statusPath, nil, "where it stands in the document: `cluster.qos.worst_queue_bytes_log_server`"},
		{"max", number, nil, "the highest number that is no breach"},
		fdbCluster,
		fdbTimeout,
	},
}, {
	name: protocol.StepFDBPlacement, leading: true,
	doc: "reads on which storage servers an index and its records lie; before and after a run it must be the same",
	params: []param{
		{"name", name, nil, "unique in its list; the label that is sealed before timing carries it"},
		{"index", keyPrefix, nil, "the prefix of the index's keys, in lower-case hexadecimal: `152a`"},
		{"records", keyPrefix, nil, "the prefix of the records' keys"},
		{"colocated", optional(fraction), none, "the least fraction of a row's servers that have its record too; it is recorded alone where left out"},
		fdbCluster,
		fdbTimeout,
	},
}, {
	name: protocol.StepFDBRequire,
	doc:  "what a cluster must be, by its status document; at least one of the parameters",
	params: []param{
		{"redundancy", optional(oneOf(protocol.Redundancies...)), none, "its mode of redundancy"},
		{"engine", optional(sentence), none, "its storage engine, as the document names it: `ssd-2`"},
		{"version", optional(sentence), none, "the version of every process: `7.3.63`"},
		{"roles", dictOf(oneOf(protocol.Roles...), integer(0, 100_000)), noDict, "how many processes have a role, exactly: `{\"log\": 3}`"},
		{"machines", optional(integer(1, 100_000)), none, "how many machines it has, exactly"},
		{"storage", optional(integer(1, 100_000)), none, "how many storage servers it has, exactly"},
		fdbCluster,
		fdbTimeout,
	},
	check: checkRequire,
}, {
	name:   protocol.StepFDBStatus,
	doc:    "keeps the status document of a cluster in the result folder",
	params: []param{fdbCluster, fdbTimeout},
}}

// checkRequire refuses to require nothing.
func checkRequire(r *record) {
	k := r.kind
	for i := range k.params {
		switch p := &k.params[i]; p.name {
		case fdbCluster.name, fdbTimeout.name:
		default:
			if !isDefault(r.fields[i], p.value) {
				return
			}
		}
	}
	r.call.report(r.call.whole(), r.title(), "requires nothing; want at least one of redundancy, engine, version, roles, machines, storage")
}
