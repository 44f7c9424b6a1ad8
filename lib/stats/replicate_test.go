package stats_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/stats"
)

// replicate runs docs/replicate.py, which is written from the documents and shares nothing with this package, on a folder.
func replicate(t *testing.T, folder string) (out string, code int) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3 is not here; docs/replicate.py is not tested without it")
		}
		t.Skip("python3 is not here: docs/replicate.py is not tested")
	}
	b, err := exec.Command(python, "-S", "-E", "../../docs/replicate.py", folder).CombinedOutput()
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		return string(b), ee.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b), 0
}

const awkward = "testdata/replicate/awkward"

// copied returns a copy of the awkward folder: three cases of three and two arms in six blocks, a failed process, a block that was
// run again, names that need quotes, a confound, a derived metric, a difference, a family, a control arm.
func copied(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "awkward")
	if err := os.CopyFS(folder, os.DirFS(awkward)); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestReplicateAgrees(t *testing.T) {
	folder := copied(t)
	out, code := replicate(t, folder)
	for _, want := range []string{"42 runs, in the order of the design and its seed", "every number agrees to 1e-12"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, want 0 and %q:\n%s", code, want, out)
		}
	}
	if err := os.Remove(filepath.Join(folder, "analysis.json")); err != nil {
		t.Fatal(err)
	}
	bare, code := replicate(t, folder)
	table, _, _ := strings.Cut(out, "analysis.json")
	if code != 0 || bare != table+"no analysis.json to compare with\n" {
		t.Errorf("without analysis.json: exit %d:\n%s", code, bare)
	}
	var left []string
	_ = fs.WalkDir(os.DirFS("../../docs"), ".", func(path string, _ fs.DirEntry, _ error) error {
		if strings.Contains(path, "__pycache__") {
			left = append(left, path)
		}
		return nil
	})
	if len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

// Both programs compute the same from the same samples, to the 12 digits that are printed.
func TestReplicateComputesWhatStatsDoes(t *testing.T) {
	out, _ := replicate(t, awkward)
	arm, base := medians(t, "reverse-small-1000", "new", "ns/op"), medians(t, "reverse-small-1000", `old, "v1"`, "ns/op")
	v, err := stats.LogRatios(arm, base)
	if err != nil {
		t.Fatal(err)
	}
	b, err := stats.NewBootstrap(len(v), 2000, 391706)
	if err != nil {
		t.Fatal(err)
	}
	low, high, err := b.Percentile(v, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	arm, base = medians(t, "reverse-small-1000", "new", "allocs/op"), medians(t, "reverse-small-1000", `old, "v1"`, "allocs/op")
	d, err := stats.Differences(arm, base)
	if err != nil {
		t.Fatal(err)
	}
	dlow, dhigh, err := stats.StudentT(d, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		fmt.Sprintf(`ns/op new vs old, "v1" 6 blocks %.12g %.12g %.12g percentile higher`, math.Exp(stats.Mean(v)), math.Exp(low), math.Exp(high)),
		fmt.Sprintf(`allocs/op new vs old, "v1" 6 blocks %.12g %.12g %.12g student_t unresolved`, stats.Mean(d), dlow, dhigh),
	} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// medians returns the process medians of an arm by block, of the last attempts, read from the folder's metrics.csv.
func medians(t *testing.T, name, arm, unit string) []float64 {
	t.Helper()
	f, err := os.Open(awkward + "/metrics.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	samples := map[int]map[string][]float64{} // by block and attempt
	for _, r := range rows[1:] {
		if r[column("case")] != name || r[column("arm")] != arm {
			continue
		}
		block, err := strconv.Atoi(r[column("block")])
		if err != nil {
			t.Fatal(err)
		}
		x, err := strconv.ParseFloat(r[column(unit)], 64)
		if err != nil {
			t.Fatal(err)
		}
		if samples[block] == nil {
			samples[block] = map[string][]float64{}
		}
		attempt := r[column("attempt")]
		samples[block][attempt] = append(samples[block][attempt], x)
	}
	out := make([]float64, len(samples))
	for block, byAttempt := range samples {
		last := "1"
		if byAttempt["2"] != nil {
			last = "2"
		}
		if out[block-1], err = stats.Median(byAttempt[last]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Whatever is changed in either of the two files is found and named; what cannot be read is refused with its place.
func TestReplicateFindsChangesInItsInput(t *testing.T) {
	const first = "1,reverse-small-1000,new,1,1,1,1,100,1050.5,3,1105813322,1,1000,6,350.1666666666667\n"
	for _, tc := range []struct {
		name, file, from, to string
		code                 int
		want                 string
	}{
		{"one digit of a sample", "metrics.csv", "100,1050.5,3", "100,1050.6,3", 1, "case reverse-small-1000, arm new, block 1: median: ns/op: 1054.095 here, 1054.045 in analysis.json"},
		{"one digit of a constant", "metrics.csv", "1,1000,6,350.1", "1,1001,6,350.1", 1, "block 1: constant: rows/op: - here, 1000 in"},
		{"one digit of the confound", "metrics.csv", "1,1000,6,350.1", "1,1000,5,350.1", 1, "block 1: matched: False here, True in"},
		{"a derived metric", "metrics.csv", "350.1666666666667", "350.1666666666668", 1, "ns/alloc in metrics.csv is not ns/op / allocs/op"},
		{"a sample left out", "metrics.csv", first, "", 1, "completeness: samples: 81 here, 82 in"},
		{"a process left out", "metrics.csv", first + "1,reverse-small-1000,new,1,1,1,2,100,1057.59,4,,1,1000,6,264.3975\n", "", 1, "measured in analysis.json, and no rows here for arm new in block 1"},
		{"a sample twice", "metrics.csv", first, first + first, 2, "run 1, attempt 1 has repeat 1 twice"},
		{"another arm's label", "metrics.csv", "1,reverse-small-1000,new,1", "1,reverse-small-1000,old again,1", 2, "line 2: no run 1 of arm old again in block 1 of case reverse-small-1000 at position 1 is planned"},
		{"no number", "metrics.csv", "100,1050.5,3", `100,"1,050.5",3`, 2, "line 2, ns/op: '1,050.5' is no number"},
		{"not finite", "metrics.csv", "100,1050.5,3", "100,NaN,3", 2, "line 2, ns/op: NaN is not finite"},
		{"no block", "metrics.csv", "1,reverse-small-1000,new,1,", "1,reverse-small-1000,new,,", 2, "line 2: "},
		{"too few fields", "metrics.csv", "100,1050.5,3", "1050.5,3", 2, "line 2: not as many fields as the header"},
		{"a missing column", "metrics.csv", ",prefix-B,ns/alloc", ",prefix,ns/alloc", 2, "no column prefix-B"},
		{"another seed of the orders", "plan.json", `"seed": 641401`, `"seed": 641402`, 1, "the runs are not those of the design and its seed"},
		{"another seed of the resamples", "plan.json", `"seed": 391706`, `"seed": 391707`, 1, "interval: seed: 391707 here, 391706 in"},
		{"another level", "plan.json", `"level": 0.95,`, `"level": 0.9,`, 1, "interval: low"},
		{"another estimand", "plan.json", `"kind": "block_ratio"`, `"kind": "block_difference"`, 1, "estimand: block_difference here, block_ratio in"},
		{"another family", "plan.json", `"family": "holm"`, `"family": "bh"`, 1, "adjusted_p"},
		{"a later version", "plan.json", `"version": 1`, `"version": 2`, 2, "version 2; this program reads 1"},
		{"no JSON", "plan.json", `"version": 1`, `"version": `, 2, "Expecting value"},
		{"another form", "plan.json", `"repeats": 2`, `"repeat": 2`, 2, "plan.json or analysis.json is not of the form that docs/formats.md describes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			folder := copied(t)
			path := filepath.Join(folder, tc.file)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(data, []byte(tc.from)) {
				t.Fatalf("%s has no %q", tc.file, tc.from)
			}
			n := 1
			if tc.name == "another form" {
				n = -1
			}
			if err := os.WriteFile(path, bytes.Replace(data, []byte(tc.from), []byte(tc.to), n), 0o644); err != nil {
				t.Fatal(err)
			}
			out, code := replicate(t, folder)
			if code != tc.code || !strings.Contains(out, tc.want) || strings.Contains(out, "Traceback") {
				t.Errorf("exit %d, want %d and %q:\n%s", code, tc.code, tc.want, out)
			}
		})
	}
	for name, want := range map[string]string{"plan.json": "plan.json", "metrics.csv": "metrics.csv"} {
		folder := copied(t)
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
		if out, code := replicate(t, folder); code != 2 || !strings.Contains(out, want) {
			t.Errorf("without %s: exit %d\n%s", name, code, out)
		}
	}
}

// at follows keys and indices into decoded JSON.
func at(v any, path []any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// Every field of analysis.json that follows from the two files is held: changed by 1e-11, it is named.
func TestReplicateFindsChangesInTheAnalysis(t *testing.T) {
	data, err := os.ReadFile(awkward + "/analysis.json")
	if err != nil {
		t.Fatal(err)
	}
	first := []any{"cases", 0, "metrics", 0, "comparisons", 0}
	in := func(path ...any) []any { return slices.Concat(first, path) }
	for _, path := range [][]any{
		in("blocks"), in("estimate"), in("verdict"), in("interval", "low"), in("interval", "high"), in("interval", "level"), in("interval", "kind"), in("interval", "resamples"),
		in("also", 0, "low"), in("also", 1, "high"), in("registered_agrees"), in("p"), in("adjusted_p"),
		in("unregistered", "exact_percentile", "low"), in("unregistered", "student_t", "high"),
		in("unregistered", "sign_flip", "low"), in("unregistered", "sign_flip", "level"), in("unregistered", "sign_flip", "p"), in("unregistered", "sign_flip", "min_p"),
		in("block_ratios", 2, "ratio"), in("block_ratios", 2, "first"), in("block_ratios", 2, "matched"),
		in("order", "base_first", "estimate"), in("order", "arm_first", "blocks"),
		in("leave_one_out", "low"), in("leave_one_out", "high"), in("leave_one_out", "low_without"),
		in("matched", "estimate"), in("matched", "base_first"), in("matched", "status"),
		{"cases", 0, "metrics", 0, "absolute", "new", "median"},
		{"cases", 0, "metrics", 0, "absolute", "new", "max"},
		{"cases", 0, "metrics", 0, "absolute", "new", "samples"},
		{"cases", 0, "metrics", 0, "better"},
		{"cases", 0, "processes", 0, "medians", "ns/op"},
		{"cases", 0, "processes", 0, "constants", "rows/op"},
		{"cases", 0, "processes", 0, "position"},
		{"cases", 0, "processes", 3, "medians", "ns/op"}, // replaced by a later attempt
		{"cases", 1, "metrics", 0, "comparisons", 0, "estimate"},
		{"cases", 1, "status"},                                  // incomplete
		{"cases", 2, "metrics", 0, "comparisons", 0, "verdict"}, // equal
		{"completeness", "processes_finished"},
		{"completeness", "samples"},
		{"completeness", "derived_omitted"},
		{"completeness", "limited_to_complete_blocks"},
	} {
		t.Run(strings.Trim(strings.Join(strings.Fields(fmt.Sprint(path)), "."), "[]"), func(t *testing.T) {
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			parent, key := at(v, path[:len(path)-1]).(map[string]any), path[len(path)-1].(string)
			switch x := parent[key].(type) {
			case float64:
				if x == math.Trunc(x) && math.Abs(x) < 1000 {
					parent[key] = x + 1
				} else {
					parent[key] = x * (1 + 1e-11)
				}
			case bool:
				parent[key] = !x
			case string:
				parent[key] = map[string]string{"higher": "lower", "equal": "lower", "incomplete": "measured"}[x]
			default:
				t.Fatalf("%v is %v", path, x)
			}
			out, code := replicateAnalysis(t, v)
			if code != 1 || !strings.Contains(out, "DIFFERS") {
				t.Errorf("exit %d:\n%s", code, out)
			}
		})
	}
	t.Run("the last bit", func(t *testing.T) { // another library's log and exp
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		c := at(v, first).(map[string]any)
		c["estimate"] = math.Nextafter(c["estimate"].(float64), 2)
		if out, code := replicateAnalysis(t, v); code != 0 {
			t.Errorf("exit %d:\n%s", code, out)
		}
	})
}

func replicateAnalysis(t *testing.T, analysis any) (out string, code int) {
	t.Helper()
	folder := copied(t)
	data, err := json.Marshal(analysis)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "analysis.json"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return replicate(t, folder)
}
