package stats_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/stats"
)

// experiment is raw samples of a few arms with every number that follows from them, computed with exact fractions.
type experiment struct {
	ID              string
	Arms            []string
	Baseline        string
	Blocks, Repeats int
	Processes       []struct {
		Block, Position int
		Arm             string
		Ns              []float64 `json:"ns_per_op"`
	}
	Expected map[string]json.RawMessage
}

type expected struct {
	Absolute    float64   `json:"absolute_median_over_blocks"`
	Ratios      []float64 `json:"block_ratios"`
	GeoMean     float64   `json:"geo_mean"`
	Exact       []float64 `json:"exact_percentile95"`
	LeaveOneOut []float64 `json:"leave_one_block_out"`
}

func pipeline(t *testing.T) []experiment {
	t.Helper()
	cases := golden[struct{ Cases []experiment }](t, "pipeline.json").Cases
	if len(cases) != 4 {
		t.Fatalf("%d experiments, want 4", len(cases))
	}
	return cases
}

// blockMedians returns the process medians of an arm in block order.
func (e *experiment) blockMedians(t *testing.T, arm string) []float64 {
	t.Helper()
	out := make([]float64, e.Blocks)
	for _, p := range e.Processes {
		if p.Arm == arm {
			m, err := stats.Median(p.Ns)
			if err != nil {
				t.Fatal(err)
			}
			out[p.Block-1] = m
		}
	}
	return out
}

func (e *experiment) expect(t *testing.T, arm string) expected {
	t.Helper()
	var x expected
	if err := json.Unmarshal(e.Expected[arm], &x); err != nil {
		t.Fatal(err)
	}
	return x
}

// From raw samples to every number, to 1e-12.
func TestPipeline(t *testing.T) {
	for _, e := range pipeline(t) {
		base := e.blockMedians(t, e.Baseline)
		for _, arm := range e.Arms {
			want, medians := e.expect(t, arm), e.blockMedians(t, arm)
			absolute, err := stats.Median(medians)
			if err != nil {
				t.Fatal(err)
			}
			near(t, e.ID+" absolute of "+arm, absolute, want.Absolute, 1e-12)
			if arm == e.Baseline {
				continue
			}
			v, err := stats.LogRatios(medians, base)
			if err != nil {
				t.Fatal(err)
			}
			near(t, e.ID+" estimate of "+arm, math.Exp(stats.Mean(v)), want.GeoMean, 1e-12)
			for i, w := range want.Ratios {
				near(t, fmt.Sprintf("%s block %d of %s", e.ID, i+1, arm), math.Exp(v[i]), w, 1e-12)
			}
			for i, w := range want.LeaveOneOut {
				near(t, fmt.Sprintf("%s without block %d of %s", e.ID, i+1, arm), math.Exp(stats.LeaveOneOut(v)[i]), w, 1e-12)
			}
			low, high, ok := stats.ExactPercentile(v, 0.95)
			if !ok {
				t.Fatal("no exact limit")
			}
			near(t, e.ID+" exact low of "+arm, math.Exp(low), want.Exact[0], 1e-12)
			near(t, e.ID+" exact high of "+arm, math.Exp(high), want.Exact[1], 1e-12)
		}
	}
}

// The Python program comes to the same estimates and, with this package's intervals, to the same table.
func TestReplicatePipeline(t *testing.T) {
	for _, e := range pipeline(t) {
		for _, kind := range []string{"student_t", "sign_flip"} {
			out, code := replicate(t, e.folder(t, kind))
			rows := strings.Join(strings.Fields(out), " ")
			for _, arm := range e.Arms {
				if arm == e.Baseline {
					continue
				}
				v, err := stats.LogRatios(e.blockMedians(t, arm), e.blockMedians(t, e.Baseline))
				if err != nil {
					t.Fatal(err)
				}
				low, high, err := stats.StudentT(v, 0.9)
				if err != nil {
					t.Fatal(err)
				}
				if kind == "sign_flip" {
					r, _ := stats.SignFlip(v, 0.9)
					low, high = r.Low, r.High
				}
				want := fmt.Sprintf("%s ns/op %s vs %s %d blocks %.12g %.12g %.12g %s",
					e.ID, arm, e.Baseline, e.Blocks, e.expect(t, arm).GeoMean, math.Exp(low), math.Exp(high), kind)
				if code != 0 || !strings.Contains(rows, want) {
					t.Errorf("exit %d, want %q:\n%s", code, want, out)
				}
			}
		}
	}
}

// folder writes the experiment as plan.json and metrics.csv, its orders declared as they were run.
func (e *experiment) folder(t *testing.T, kind string) string {
	t.Helper()
	type object map[string]any
	orders := make([][]string, e.Blocks)
	var runs, arms, contrasts []object
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	rows := [][]string{{"run", "case", "arm", "block", "attempt", "position", "repeat", "iterations", "ns/op"}}
	for i, p := range e.Processes {
		orders[p.Block-1] = append(orders[p.Block-1], p.Arm)
		runs = append(runs, object{"run": i + 1, "case": e.ID, "arm": p.Arm, "block": p.Block, "position": p.Position, "repeats": e.Repeats})
		for r, x := range p.Ns {
			rows = append(rows, []string{
				strconv.Itoa(i + 1), e.ID, p.Arm, strconv.Itoa(p.Block), "1", strconv.Itoa(p.Position), strconv.Itoa(r + 1), "1",
				strconv.FormatFloat(x, 'f', -1, 64),
			})
		}
	}
	for _, arm := range e.Arms {
		arms = append(arms, object{"name": arm})
		if arm != e.Baseline {
			contrasts = append(contrasts, object{"arm": arm, "base": e.Baseline})
		}
	}
	plan, err := json.Marshal(object{"version": 1, "runs": runs, "protocol": object{
		"name": e.ID, "baseline": e.Baseline, "arms": arms, "contrasts": contrasts,
		"cases":    []object{{"name": e.ID, "arms": slices.Clone(e.Arms)}},
		"design":   object{"kind": "fixed", "blocks": e.Blocks, "seed": 0, "nesting": "blocks", "order": "case", "orders": []object{{"blocks": orders}}},
		"metrics":  []object{{"unit": "ns/op", "role": "metric", "better": "lower"}},
		"estimand": object{"kind": "block_ratio", "interval": object{"kind": kind, "level": 0.9}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"plan.json": plan, "metrics.csv": table.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
