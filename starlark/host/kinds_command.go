package host

import "github.com/phaselock/phaselock/lib/protocol"

var commandKinds = []*kind{{
	name: "command", leading: true,
	doc: "what to run and how to read it",
	params: []param{
		{"argv", argv, nil, "a list, no shell; its first item is a binary(), a path from the root, or a program of the fixed PATH"},
		{"format", oneOf(protocol.FormatGobench, protocol.FormatJSON, protocol.FormatProcess, protocol.FormatNone), nil, "how the output is read"},
		{"names", listOf(text, 0, 1), noList, "the benchmark name that must come out; one distinct name where left out"},
		{"env", environment, noDict, "variables that override the arm's and the process's"},
		{"stdin", optional(valueOf("input", "binary")), none, "a file; /dev/null where left out"},
		{"dir", optional(folder), none, "the working folder from the root; the root, or the package's for a go_test binary"},
	},
}, {
	name: "binary", leading: true,
	doc: "a program that is pinned by digest",
	params: []param{
		{"path", rootPath, nil, "from the root; links are followed and their target is pinned"},
		{"sha256", optional(digest), none, "its digest; the one found when sealing where left out"},
	},
}, {
	name: "input", leading: true,
	doc: "a data file that is pinned by digest",
	params: []param{
		{"path", rootPath, nil, "from the root; globs are expanded when sealing"},
		{"sha256", optional(digest), none, "its digest; the one found when sealing where left out"},
	},
}, {
	name: "go_test", leading: true,
	doc:    "a test binary that phaselock builds when sealing",
	params: buildParams,
}, {
	name: "go_build", leading: true,
	doc:    "a Go program that phaselock builds when sealing",
	params: buildParams,
}}

var buildParams = []param{
	{"package", sentence, nil, "as the go tool takes it, resolved in dir"},
	{"ref", optional(sentence), none, "a git ref, built in a worktree of its own; the working tree where left out"},
	{"dir", optional(sentence), none, "where the module is; the root where left out"},
	{"tags", listOf(sentence, 0, maxItems), noList, "build tags"},
	{"env", environment, noDict, "variables of the build: GOEXPERIMENT, GOAMD64, CGO_ENABLED"},
	{"flags", listOf(sentence, 0, maxItems), noList, "flags of go build"},
	{"pgo", optional(valueOf("input")), none, "a profile; the go tool's default where left out"},
}
