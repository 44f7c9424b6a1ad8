package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changing are the functions of package os that change a disk.
var changing = []string{
	"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "OpenRoot",
	"Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile",
}

// pastTheSeam says where a result folder, or a folder beside it, is changed past ledger.FS, which the fault tests make fail. All else
// that is written goes through it.
var pastTheSeam = map[string]string{
	"lib/campaign/bundle.go":         "the folder that a bundle is opened into",
	"lib/campaign/run.go":            "scratch: the builds, gone before the first run",
	"lib/campaign/scratch.go":        "scratch",
	"lib/campaign/seal.go":           "scratch",
	"lib/campaign/verify_sources.go": "scratch",
	"lib/campaign/selftest.go":       "the copy that a self-test changes",
	"lib/campaign/selftest_forge.go": "likewise",
	"lib/engine/engine.go":           "a run's folder and its home: empty folders",
	"lib/engine/services.go":         "a service's home: an empty folder",
	"lib/engine/steps.go":            "the folders of services and steps: empty folders",
	"lib/seal/copy.go":               "private copies, each held to the digest of its source when it is made and before it runs; the full disk's test fills it",
	"lib/seal/pin.go":                "opens to read, without waiting for a writer of a pipe",
	"lib/ledger/files.go":            "the seam itself",
}

// A write that goes past the seam would be one that no test has made fail.
func TestWritesGoThroughTheSeam(t *testing.T) {
	found := map[string]bool{}
	for _, folder := range []string{"analysis", "campaign", "check", "engine", "ledger", "report", "sample", "seal"} {
		files, err := filepath.Glob(filepath.Join(projectRoot, "lib", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			name := "lib/" + folder + "/" + filepath.Base(file)
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "os" && slices.Contains(changing, call.Sel.Name) {
					found[name] = true
					if pastTheSeam[name] == "" {
						t.Errorf("%s: os.%s goes past ledger.FS", set.Position(call.Pos()), call.Sel.Name)
					}
				}
				return true
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pastTheSeam)) {
		if !found[name] {
			t.Errorf("%s changes no disk any more: its line in the table goes", name)
		}
	}
}
