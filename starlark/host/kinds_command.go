package host

import "github.com/phaselock/phaselock/lib/protocol"

var commandKinds = []*kind{{
	name: "command", leading: true,
	doc: "what to run and how to read it",
	params: []param{
		{"argv", argv, nil, "the program and its arguments, one item each; there is no shell. The program is a file (`binary`, `go_test`, `go_build`), a path from the root, or a name found in `/usr/local/bin:/usr/bin:/bin`"},
		{"format", oneOf(protocol.FormatGobench, protocol.FormatJSON, protocol.FormatProcess, protocol.FormatNone), nil, "how samples are read: `gobench`, Go benchmark output; `json`, one object `{\"unit\": number}` a line, one line a repeat; `process` and `none`, one sample a process, its whole-process figures alone"},
		{"names", listOf(text, 0, 1), noList, "with `gobench`: the name of the benchmark that must come out, without the `-8` of GOMAXPROCS; where left out, any one name"},
		{"env", environment, noDict, "environment variables of this command; they override the arm's and the process's"},
		{"stdin", optional(valueOf("input", "binary")), none, "what the process reads on standard input, from its beginning in each run; `/dev/null` where left out"},
		{"dir", optional(folder), none, "the working folder, from the root; where left out, the package's folder for a `go_test`, else the root"},
	},
}, {
	name: "binary", leading: true,
	doc: "a program that is there already, pinned by digest",
	params: []param{
		{"path", rootPath, nil, "the file, from the root; links are followed and their target is pinned"},
		{"sha256", optional(digest), none, "SHA-256 that it must have, 64 lower-case hexadecimal digits; where left out, the one that is found before the first run"},
	},
}, {
	name: "input", leading: true,
	doc: "a data file that is pinned by digest",
	params: []param{
		{"path", rootPath, nil, "the file, from the root; `*`, `?` and `[a-z]` match several, each of which is pinned"},
		{"sha256", optional(digest), none, "SHA-256 that it must have, 64 lower-case hexadecimal digits; where left out, the one that is found before the first run"},
	},
}, {
	name: "go_test", leading: true,
	doc:    "a test binary (`go test -c`) that phaselock builds before the first run",
	params: buildParams,
}, {
	name: "go_build", leading: true,
	doc:    "a Go program (`go build`) that phaselock builds before the first run",
	params: buildParams,
}}

var buildParams = []param{
	{"package", sentence, nil, "one package as the go tool takes it, `./pkg/parse`, resolved in `dir`"},
	{"ref", optional(sentence), none, "a git commit, tag or branch, checked out and built in a folder of its own that is removed afterwards; where left out, the working tree as it is, its uncommitted changes kept as a patch"},
	{"dir", optional(sentence), none, "a folder of the module: from the root, or absolute; `..` is fine. The root where left out"},
	{"tags", listOf(sentence, 0, maxItems), noList, "build tags, one an item"},
	{"env", environment, noDict, "variables of the build, not of the runs: `GOEXPERIMENT`, `GOAMD64`, `CGO_ENABLED`"},
	{"flags", listOf(sentence, 0, maxItems), noList, "further flags of `go build`, one an item: `-gcflags=-l`"},
	{"pgo", optional(valueOf("input")), none, "a CPU profile for profile-guided optimisation; where left out, the go tool's own rule (`default.pgo` in the main package)"},
}
