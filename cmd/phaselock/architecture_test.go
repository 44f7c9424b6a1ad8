package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/phaselock/phaselock/"

// arrows says what each folder may import of the project, directly. "lib/*" is all of lib, "*" everything.
var arrows = map[string][]string{
	"cmd/phaselock":        {"*"},
	"starlark/host":        {"lib/protocol"},
	"starlark/std":         {},
	"lib/protocol":         {},
	"lib/bundle":           {},
	"lib/rng":              {},
	"lib/design":           {"lib/protocol", "lib/rng"},
	"lib/plan":             {"lib/protocol", "lib/design"},
	"lib/build":            {"lib/protocol"},
	"lib/seal":             {"lib/protocol", "lib/plan"},
	"lib/host":             {},
	"lib/spawn":            {},
	"lib/ledger":           {"lib/protocol", "lib/plan"},
	"lib/engine":           {"lib/plan", "lib/seal", "lib/spawn", "lib/ledger", "lib/sample", "lib/host"},
	"lib/sample":           {"lib/plan"},
	"lib/stats":            {"lib/rng"},
	"lib/stats/coverage":   {"lib/stats", "lib/rng"}, // the program that makes the table of lib/stats
	"lib/check":            {"lib/plan", "lib/ledger", "lib/sample", "lib/stats"},
	"lib/analysis":         {"lib/plan", "lib/ledger", "lib/sample", "lib/stats", "lib/check"},
	"lib/report":           {"lib/analysis", "lib/plan", "lib/ledger"},
	"lib/campaign":         {"lib/*"},
	"fdb":                  {},
	"fdb/apple":            {},
	"fdb/cluster":          {"lib/protocol"},
	"fdb/conformance":      {"fdb", "fdb/tuple"},
	"fdb/connect":          {"fdb", "fdb/embedded", "fdb/kvserve"},
	"fdb/kvserve":          {"fdb", "fdb/embedded", "fdb/wire"},
	"fdb/directory":        {"fdb", "fdb/tuple"},
	"fdb/embedded":         {"fdb", "fdb/tuple"},
	"fdb/wire":             {"fdb"},
	"fdb/placement":        {"fdb", "fdb/tuple"},
	"fdb/steps":            {"fdb", "fdb/cluster", "fdb/placement", "lib/engine", "lib/plan"},
	"fdb/tuple":            {},
	"workloads/audit":      {},
	"workloads/fetchbench": {"fdb", "fdb/connect", "fdb/directory", "fdb/tuple", "workloads/audit", "workloads/records"},
	"workloads/histogram":  {},
	"workloads/indexfetch": {},
	"workloads/kvload":     {"fdb", "fdb/connect", "fdb/tuple", "workloads/audit", "workloads/histogram"},
	"workloads/planskip":   {},
	"workloads/records":    {"fdb", "fdb/tuple"},
	"workloads/latency":    {},
	"workloads/lookup":     {},
	"workloads/allocate":   {},
	"workloads/jsondoc":    {},
	"workloads/pgo":        {},
	"workloads/sorting":    {},
	"workloads/sqlfetch":   {"workloads/records"},
}

// standardOnly are folders that import nothing outside the standard library and the project.
var standardOnly = []string{"lib/protocol", "lib/rng", "lib/design", "lib/plan", "lib/stats"}

// never are packages that may not stand anywhere below a folder, however they came there.
var never = []struct {
	below     string
	forbidden []string
}{
	{"lib/", []string{"go.starlark.net"}},
	{"lib/stats", []string{"net", "golang.org/x/term", "os/exec"}},
	{"lib/design", []string{"net", "golang.org/x/term", "os/exec"}},
	{"lib/plan", []string{"net", "golang.org/x/term", "os/exec"}},
	{"lib/protocol", []string{"net", "golang.org/x/term", "os/exec"}},
	{"lib/check", []string{"net", "golang.org/x/term", "os/exec"}},
	{"lib/analysis", []string{"net", "golang.org/x/term", "os/exec"}},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t) {
		folder := strings.TrimPrefix(p.ImportPath, module)
		allowed, known := arrows[folder]
		if !known {
			t.Errorf("%s is not in the table of arrows", folder)
			continue
		}
		seen[folder] = true
		for _, imp := range p.Imports {
			target, ours := strings.CutPrefix(imp, module)
			switch {
			case ours && !permits(allowed, target):
				t.Errorf("%s imports %s; it may import %v", folder, target, allowed)
			case !ours && slices.Contains(standardOnly, folder) && strings.Contains(strings.SplitN(imp, "/", 2)[0], "."):
				t.Errorf("%s imports %s; it may import the standard library only", folder, imp)
			}
		}
		for _, n := range never {
			if !strings.HasPrefix(folder+"/", strings.TrimSuffix(n.below, "/")+"/") {
				continue
			}
			for _, dep := range p.Deps {
				for _, f := range n.forbidden {
					if dep == f || strings.HasPrefix(dep, f+"/") && dep != "net/netip" { // netip reads addresses and opens nothing
						t.Errorf("%s depends on %s, which may not stand below %s", folder, dep, n.below)
					}
				}
			}
		}
	}
	for folder := range arrows {
		if !seen[folder] {
			t.Errorf("the table of arrows names %s, which is not there", folder)
		}
	}
}

func permits(allowed []string, target string) bool {
	for _, a := range allowed {
		if a == "*" || a == target || a == "lib/*" && strings.HasPrefix(target, "lib/") {
			return true
		}
	}
	return false
}
