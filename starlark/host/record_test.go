package host_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/phaselock/phaselock/starlark/host"
)

func TestValuesHaveAttributesAndPrint(t *testing.T) {
	got := printed(t, `
load("@std//go.star", "gobench")
a = arm("a", method = "M", env = {"X": "1"})
arms = [a]
def pair(): return a
print(a)
print(a.name, a.method, a.env, a.control, a.cpus, dir(a))
print(counterbalanced(blocks = 6, seed = 1).nesting, cpu_set("7,2-4,3"), cpu_set("auto"))
print(command([binary("./bin//x"), "-n", "8"], format = "json"))
print(percentile(level = 0.95, resamples = 20000, seed = 391706))
print(expect.audit("path", per_repeat = 2))
print(a == a, a == arms[0], a != None, type(a), {a: 1}[a], bool(a))
print(hasattr(a, "nope"), getattr(a, "nope", 3))
print(metric("ns/op", better = "lower", estimand = block_difference(interval = student_t(0.9))))
`)
	want := []string{
		`arm("a", env = {"X": "1"}, method = "M")`,
		`a M {"X": "1"} False None ["command", "control", "cpus", "env", "method", "name"]`,
		`blocks 2-4,7 auto`,
		`command([binary("bin/x"), "-n", "8"], format = "json")`,
		`percentile(level = 0.95, resamples = 20000, seed = 391706)`,
		`expect.audit("path", per_repeat = 2)`,
		`True True True arm 1 True`,
		`False 3`,
		`metric("ns/op", better = "lower", estimand = block_difference(interval = student_t(0.9)))`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestValuesAreFrozen(t *testing.T) {
	for _, change := range []string{
		`arm("a", env = {"X": "1"}).env["Y"] = "2"`,
		`case("a", args = [1]).args.append(2)`,
		`command(["x"], format = "json").argv.append("y")`,
		`case("a", nested = {"k": [1]}).nested["k"].append(2)`,
	} {
		_, err := evalText(t, "def f():\n    "+change+"\n\nf()\n", host.Options{})
		ds := diagnostics(t, err)
		if len(ds) != 1 || ds[0].Line != 2 || !strings.Contains(ds[0].Message, "frozen") {
			t.Errorf("%s: %v", change, ds)
		}
	}
}
