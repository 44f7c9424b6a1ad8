package design_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/design"
	"github.com/phaselock/phaselock/lib/protocol"
)

// docs/replicate.py, which shares nothing with this package, comes to the same runs for every kind of design; and says so when they
// are not those of the design.
func TestReplicateOrders(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3 is not here; docs/replicate.py is not tested without it")
		}
		t.Skip("python3 is not here: docs/replicate.py is not tested")
	}
	fixed := []protocol.CaseOrders{
		{Case: "two", Blocks: [][]string{{"b", "a"}, {"a", "b"}}},
		{Blocks: [][]string{{"a", "b"}, {"a", "b"}}},
	}
	for _, tc := range []struct {
		kind           string
		arms, blocks   int
		nesting, order string
	}{
		{protocol.DesignCounterbalanced, 2, 6, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignCounterbalanced, 2, 7, protocol.NestCases, protocol.OrderCase},
		{protocol.DesignCounterbalanced, 2, 20, protocol.NestBlocks, protocol.OrderShared},
		{protocol.DesignCounterbalanced, 3, 12, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignCounterbalanced, 1, 3, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignWilliams, 4, 8, protocol.NestCases, protocol.OrderShared},
		{protocol.DesignWilliams, 5, 10, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignWilliams, 2, 4, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignRandomized, 2, 5, protocol.NestBlocks, protocol.OrderCase},
		{protocol.DesignRandomized, 6, 4, protocol.NestCases, protocol.OrderShared},
		{protocol.DesignFixed, 2, 2, protocol.NestBlocks, protocol.OrderCase},
	} {
		t.Run(fmt.Sprintf("%s of %d arms in %d blocks", tc.kind, tc.arms, tc.blocks), func(t *testing.T) {
			d := protocol.Design{Kind: tc.kind, Blocks: tc.blocks, Seed: 641401, Nesting: tc.nesting, Order: tc.order}
			if tc.kind == protocol.DesignFixed {
				d.Orders, d.Seed = fixed, 0
			}
			runs := runsOf(t, d, armNames(tc.arms))
			for _, swap := range []bool{false, true} {
				want := "in the order of the design"
				if swap {
					want = "the runs are not those of the design"
					last := len(runs) - 1
					runs[0], runs[last] = runs[last], runs[0]
				}
				out, err := exec.Command(python, "-S", "-E", "../../docs/replicate.py", folder(t, d, armNames(tc.arms), runs)).CombinedOutput()
				if (err != nil) != swap || !strings.Contains(string(out), want) {
					t.Errorf("%v, want %q:\n%s", err, want, out)
				}
			}
		})
	}
}

var caseNames = []string{"one", "two", "größe, \"3\""}

type object map[string]any

// runsOf lists every run in order, as a plan does.
func runsOf(t *testing.T, d protocol.Design, arms []string) []object {
	t.Helper()
	orders := map[string][][]string{}
	for _, c := range caseNames {
		o, ps := design.Orders(d, c, arms)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		orders[c] = o
	}
	var runs []object
	add := func(c string, b int) {
		for i, arm := range orders[c][b] {
			runs = append(runs, object{"run": len(runs) + 1, "case": c, "arm": arm, "block": b + 1, "position": i + 1, "repeats": 1})
		}
	}
	if d.Nesting == protocol.NestCases {
		for _, c := range caseNames {
			for b := range d.Blocks {
				add(c, b)
			}
		}
		return runs
	}
	for b, row := range design.CaseOrder(d, caseNames) {
		for _, c := range row {
			add(c, b)
		}
	}
	return runs
}

// folder writes a plan of which nothing has run.
func folder(t *testing.T, d protocol.Design, arms []string, runs []object) string {
	t.Helper()
	var names, cases []object
	for _, a := range arms {
		names = append(names, object{"name": a})
	}
	for _, c := range caseNames {
		cases = append(cases, object{"name": c, "arms": arms})
	}
	plan, err := json.Marshal(object{"version": 1, "runs": runs, "protocol": object{
		"name": "p", "baseline": "a", "arms": names, "contrasts": []object{}, "cases": cases, "design": d,
		"metrics":  []object{{"unit": "ns/op", "role": "metric", "better": "lower"}},
		"estimand": object{"kind": "block_ratio", "interval": object{"kind": "student_t", "level": 0.95}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	header := "run,case,arm,block,attempt,position,repeat,iterations,ns/op\n"
	for name, data := range map[string]string{"plan.json": string(plan), "metrics.csv": header} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
