package design_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/design"
	"github.com/phaselock/phaselock/lib/protocol"
)

type golden struct {
	Williams []struct {
		T       int
		Rows    int     `json:"rows_needed"`
		Example [][]int `json:"example_square"`
	}
	MinBlocks []struct {
		T        int
		Williams int `json:"williams_multiple_of"`
	} `json:"min_blocks"`
	TwoArms []struct {
		Blocks     int `json:"n_blocks"`
		Admissible int
	} `json:"two_arm_orders"`
	WilliamsT3 struct {
		Admissible int `json:"admissible_row_orders"`
	} `json:"williams_t3_six_blocks"`
	ShuffleTest struct {
		Critical float64 `json:"crit_alpha_1e_6"`
		Six      struct {
			Critical float64 `json:"crit_1e_6"`
		} `json:"t3_six_perms"`
		All struct {
			Critical float64 `json:"crit_1e_6"`
		} `json:"df719_for_720"`
	} `json:"shuffle_test"`
}

func read(t *testing.T) golden {
	t.Helper()
	data, err := os.ReadFile("testdata/designs.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func armNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	return names
}

func orders(t *testing.T, kind string, arms, blocks int, seed int64) [][]string {
	t.Helper()
	o, ps := design.Orders(protocol.Design{Kind: kind, Blocks: blocks, Seed: seed, Order: protocol.OrderCase}, "case", armNames(arms))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return o
}

func TestWilliamsSquares(t *testing.T) {
	for _, w := range read(t).Williams {
		if got := design.Square(w.T); !reflect.DeepEqual(got, w.Example) {
			t.Errorf("%d arms: %v, want %v", w.T, got, w.Example)
		}
	}
}

// Every arm stands in every position and follows every other equally often; never itself.
func TestBalance(t *testing.T) {
	for _, w := range read(t).Williams {
		for _, kind := range []string{protocol.DesignCounterbalanced, protocol.DesignWilliams} {
			for seed := range int64(20) {
				o := orders(t, kind, w.T, 2*w.Rows, seed)
				if len(o) != 2*w.Rows {
					t.Fatalf("%d orders, want %d", len(o), 2*w.Rows)
				}
				positions, follows := map[string]int{}, map[string]int{}
				for _, row := range o {
					seen := map[string]bool{}
					for i, arm := range row {
						seen[arm] = true
						positions[fmt.Sprint(arm, i)]++
						if i > 0 {
							follows[row[i-1]+arm]++
						}
					}
					if len(seen) != w.T || len(row) != w.T {
						t.Fatalf("%v is no order of %d arms", row, w.T)
					}
				}
				equal(t, positions, w.T*w.T)
				equal(t, follows, w.T*(w.T-1))
			}
		}
	}
}

func equal(t *testing.T, counts map[string]int, keys int) {
	t.Helper()
	if len(counts) != keys {
		t.Errorf("%d of %d combinations: %v", len(counts), keys, counts)
	}
	first := -1
	for _, n := range counts {
		if first < 0 {
			first = n
		}
		if n != first {
			t.Errorf("unequal counts: %v", counts)
			return
		}
	}
}

func TestCountsThatCannotBeBalanced(t *testing.T) {
	for _, m := range read(t).MinBlocks {
		for blocks := 1; blocks <= 3*m.Williams; blocks++ {
			d := protocol.Design{Kind: protocol.DesignWilliams, Blocks: blocks, Order: protocol.OrderCase}
			_, ps := design.Orders(d, "case", armNames(m.T))
			if refused := len(ps) > 0; refused != (blocks%m.Williams != 0) {
				t.Errorf("%d arms in %d blocks: refused %v, multiples of %d can be balanced", m.T, blocks, refused, m.Williams)
			} else if refused && !strings.Contains(ps[0].Message, fmt.Sprint((blocks/m.Williams+1)*m.Williams)) {
				t.Errorf("%d arms in %d blocks: %q does not name the next count", m.T, blocks, ps[0].Message)
			}
		}
	}
}

// Two arms: each order n/2 times, or differing by one where n is odd; the number of different sequences is that counted by
// enumeration.
func TestTwoArms(t *testing.T) {
	for _, g := range read(t).TwoArms {
		if g.Blocks > 8 {
			continue // more sequences than seeds
		}
		seen := map[string]bool{}
		for seed := range int64(20000) {
			s := letters(orders(t, protocol.DesignCounterbalanced, 2, g.Blocks, seed))
			a := strings.Count(s, "A")
			if d := 2*a - g.Blocks; d < -1 || d > 1 {
				t.Fatalf("%s is not balanced", s)
			}
			seen[s] = true
		}
		if len(seen) != g.Admissible {
			t.Errorf("%d blocks: %d sequences, want %d", g.Blocks, len(seen), g.Admissible)
		}
	}
}

// Every admissible sequence is equally likely: chi-square over 20,000 seeds at alpha 1e-6.
func TestSequencesAreUniform(t *testing.T) {
	g := read(t).ShuffleTest
	counts := map[string]float64{}
	for seed := range int64(20000) {
		counts[letters(orders(t, protocol.DesignCounterbalanced, 2, 6, seed))]++
	}
	if chi := chiSquare(counts, 1000); len(counts) != 20 || chi > g.Critical {
		t.Errorf("%d sequences, chi-square %v, critical %v", len(counts), chi, g.Critical)
	}
	counts = map[string]float64{}
	for seed := range int64(72000) {
		counts[fmt.Sprint(orders(t, protocol.DesignWilliams, 3, 6, seed))]++
	}
	if chi := chiSquare(counts, 100); len(counts) != read(t).WilliamsT3.Admissible || chi > g.All.Critical {
		t.Errorf("three arms in six blocks: %d plans, chi-square %v, critical %v", len(counts), chi, g.All.Critical)
	}
	counts = map[string]float64{}
	for seed := range int64(20000) {
		counts[fmt.Sprint(orders(t, protocol.DesignRandomized, 3, 1, seed))]++
	}
	if chi := chiSquare(counts, 20000.0/6); len(counts) != 6 || chi > g.Six.Critical {
		t.Errorf("randomised blocks of three: %d orders, chi-square %v", len(counts), chi)
	}
}

func chiSquare(counts map[string]float64, expected float64) float64 {
	chi := 0.0
	for _, n := range counts {
		chi += (n - expected) * (n - expected) / expected
	}
	return chi
}

// Linear drift of the logs cancels exactly: the arms' positions in the session add up to the same.
func TestLinearDriftCancels(t *testing.T) {
	for _, c := range []struct{ arms, blocks int }{{2, 2}, {2, 6}, {2, 20}, {3, 6}, {4, 4}, {5, 10}} {
		for seed := range int64(50) {
			sums := map[string]int{}
			for b, row := range orders(t, protocol.DesignCounterbalanced, c.arms, c.blocks, seed) {
				for i, arm := range row {
					sums[arm] += b*c.arms + i
				}
			}
			equal(t, sums, c.arms)
		}
	}
}

func TestSharedOrderAndCaseOrder(t *testing.T) {
	d := protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 6, Seed: 7, Order: protocol.OrderShared}
	one, _ := design.Orders(d, "one", armNames(2))
	two, _ := design.Orders(d, "two", armNames(2))
	if !reflect.DeepEqual(one, two) {
		t.Error("a shared order differs between cases")
	}
	d.Order = protocol.OrderCase
	differ := 0
	for seed := range int64(20) {
		d.Seed = seed
		one, _ := design.Orders(d, "one", armNames(2))
		two, _ := design.Orders(d, "two", armNames(2))
		if !reflect.DeepEqual(one, two) {
			differ++
		}
	}
	if differ < 10 {
		t.Errorf("orders of two cases differ for %d of 20 seeds only", differ)
	}
	cases := design.CaseOrder(d, armNames(5))
	changes := map[string]bool{}
	for _, row := range cases {
		changes[fmt.Sprint(row)] = true
	}
	if len(cases) != 6 || len(changes) < 4 {
		t.Errorf("cases are not shuffled anew for each block: %v", cases)
	}
}

func TestFixed(t *testing.T) {
	d := protocol.Design{Kind: protocol.DesignFixed, Blocks: 2, Orders: []protocol.CaseOrders{
		{Case: "x", Blocks: [][]string{{"b", "a"}, {"a", "b"}}},
		{Blocks: [][]string{{"a", "b"}, {"a", "b"}}},
	}}
	for name, want := range map[string]string{"x": "BA", "y": "AA"} {
		o, ps := design.Orders(d, name, armNames(2))
		if len(ps) > 0 || letters(o) != want {
			t.Errorf("%s: %v, %v", name, o, ps)
		}
	}
	for name, bad := range map[string]protocol.CaseOrders{
		"too few blocks": {Blocks: [][]string{{"a", "b"}}},
		"an arm twice":   {Blocks: [][]string{{"a", "a"}, {"a", "b"}}},
		"unknown arm":    {Blocks: [][]string{{"a", "c"}, {"a", "b"}}},
		"an arm missing": {Blocks: [][]string{{"a"}, {"a", "b"}}},
		"other case":     {Case: "z", Blocks: [][]string{{"a", "b"}, {"b", "a"}}},
	} {
		d.Orders = []protocol.CaseOrders{bad}
		if _, ps := design.Orders(d, "x", armNames(2)); len(ps) != 1 {
			t.Errorf("%s: %v", name, ps)
		}
	}
}

func TestOddBlocksOfTwoArms(t *testing.T) {
	extra := map[bool]int{}
	for seed := range int64(2000) {
		s := letters(orders(t, protocol.DesignCounterbalanced, 2, 7, seed))
		extra[strings.Count(s, "A") == 4]++
	}
	if extra[true] < 850 || extra[false] < 850 {
		t.Errorf("the surplus order is not drawn: %v", extra)
	}
}

// What no script can declare, but a plan.json by hand might: a problem, never a panic.
func TestNonsense(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   string
		blocks int
		arms   []string
		want   string
	}{
		"no arms":            {protocol.DesignCounterbalanced, 6, nil, "no arms"},
		"no blocks":          {protocol.DesignCounterbalanced, 0, armNames(2), "0 blocks"},
		"minus one block":    {protocol.DesignRandomized, -1, armNames(2), "-1 blocks"},
		"unknown design":     {"latin", 6, armNames(2), "there are counterbalanced, williams, randomized and fixed"},
		"no declared orders": {protocol.DesignFixed, 6, armNames(2), `no orders are given for case "case"`},
	} {
		d := protocol.Design{Kind: tc.kind, Blocks: tc.blocks}
		o, ps := design.Orders(d, "case", tc.arms)
		if len(ps) != 1 || len(o) != 0 || !strings.Contains(ps[0].Message, tc.want) {
			t.Errorf("%s: %v, %v; want %q", name, o, ps, tc.want)
		}
	}
	if got := design.CaseOrder(protocol.Design{Blocks: -1}, armNames(2)); len(got) != 0 {
		t.Errorf("orders of cases in -1 blocks: %v", got)
	}
}

// A case that runs one arm alone, as a case that names its arms may.
func TestOneArm(t *testing.T) {
	for _, kind := range []string{protocol.DesignCounterbalanced, protocol.DesignWilliams, protocol.DesignRandomized} {
		for blocks := 1; blocks <= 7; blocks++ {
			if got := orders(t, kind, 1, blocks, 1); len(got) != blocks || len(got[0]) != 1 || got[0][0] != "a" {
				t.Errorf("%s, %d blocks: %v", kind, blocks, got)
			}
		}
	}
}

// The orders are the caller's own: changing them changes neither a declared design nor another block.
func TestOrdersAreNotShared(t *testing.T) {
	d := protocol.Design{Kind: protocol.DesignFixed, Blocks: 1, Orders: []protocol.CaseOrders{{Blocks: [][]string{{"b", "a"}}}}}
	got, _ := design.Orders(d, "x", armNames(2))
	got[0][0] = "changed"
	if d.Orders[0].Blocks[0][0] != "b" {
		t.Error("the declared orders were changed")
	}
	got = orders(t, protocol.DesignCounterbalanced, 2, 4, 1)
	first := strings.Join(got[1], "")
	got[0][0], got[2][0], got[3][0] = "x", "x", "x"
	if strings.Join(got[1], "") != first {
		t.Error("blocks share their orders")
	}
}

// A fixed design has no seed: its cases run as declared in every block.
func TestCaseOrderOfFixed(t *testing.T) {
	want := armNames(5)
	for _, got := range design.CaseOrder(protocol.Design{Kind: protocol.DesignFixed, Blocks: 4}, want) {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("cases run as %v, want %v", got, want)
		}
	}
}
