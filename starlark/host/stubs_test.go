package host_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// TestStubs holds the stubs to a file that a reviewer has read: what a change of the tables does to them is seen.
func TestStubs(t *testing.T) {
	got, err := host.Stubs(std.FS, "")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/stubs.pyi"
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s is out of date; go test ./starlark/host -run Stubs -update\n%s", golden, d)
	}
}

// TestStubsArePython has Python parse them, and find each name that stands in a type.
func TestStubsArePython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	text, err := host.Stubs(std.FS, "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", `
import ast, builtins, sys
tree = ast.parse(sys.stdin.read())
bound = set(dir(builtins))
for node in ast.walk(tree):
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        bound.add(node.name)
    elif isinstance(node, ast.alias):
        bound.add(node.name)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        bound.add(node.id)
for node in ast.walk(tree):
    if isinstance(node, ast.Name) and node.id not in bound:
        sys.exit("line %d: %s is not bound" % (node.lineno, node.id))
top = [n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
twice = sorted(n for n in set(top) if top.count(n) > 1)
if twice:
    sys.exit("bound twice: %s" % twice)
for node in ast.walk(tree):
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("__") and not ast.get_docstring(node):
        sys.exit("%s has no docstring" % node.name)
`)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestStubsOfAModule(t *testing.T) {
	got, err := host.Stubs(std.FS, "@std//grid.star")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(got), "def grid(**axes):\n    \"\"\"") || strings.Contains(string(got), "points = [{}]") {
		t.Errorf("%s", got)
	}
	for _, label := range []string{"@std//gird.star", "grid.star", "@std//"} {
		_, err := host.Stubs(std.FS, label)
		if err == nil || !strings.Contains(err.Error(), "there are @std//checks.star, @std//fdb.star, @std//go.star") {
			t.Errorf("%s: %v", label, err)
		}
	}
	if _, err := host.Stubs(std.FS, "@std//gird.star"); !strings.Contains(err.Error(), `did you mean "@std//grid.star"`) {
		t.Error(err)
	}
	bare := fstest.MapFS{"x.star": {Data: []byte("def f():\n    pass\n")}}
	if _, err := host.Stubs(bare, "@std//x.star"); err == nil || err.Error() != "@std//x.star: f has no docstring" {
		t.Error(err)
	}
}

// TestStubSignatures holds what a table's parameter becomes, one of each form.
func TestStubSignatures(t *testing.T) {
	text, err := host.Stubs(std.FS, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`def arm\(\n    name: str,\n    \*,\n(    .*\n)*    \*\*params: Value,\n\) -> Arm:`,
		`def process\(\n    \*,\n    cpus: str \| None = None,`,
		`    seed: int,\n`,
		`    pad: bool = True,\n`,
		`    better: Literal\["lower", "higher"\],\n`,
		`    family: Literal\["holm", "bh"\] \| None = None,\n`,
		`    command: Command \| Callable\[\[Arm, Case\], Command\] \| None = None,\n`,
		`    commands: Mapping\[Arm \| str, Command\] \| None = None,\n`,
		`    limits: Mapping\[Literal\["as", "core", .*"stack"\], int\] = {},\n`,
		`    @staticmethod\n    def exit\(\n        code: int,\n    \) -> ExpectExit:`,
		`def cpu_set\(\n    cpus: str,\n\) -> Any:`,
	} {
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("no match for %s", want)
		}
	}
}
