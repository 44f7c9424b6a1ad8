package sample_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func metric(unit string) plan.Metric {
	return plan.Metric{Unit: unit, Role: plan.RoleMetric, Better: "lower"}
}

func process(number, attempt int, name, arm string, block, position int, samples ...map[string]float64) sample.Process {
	p := sample.Process{Run: plan.Run{Number: number, Case: name, Arm: arm, Block: block, Position: position}, Attempt: attempt, Retained: true}
	for i, v := range samples {
		p.Samples = append(p.Samples, sample.Sample{Repeat: i + 1, Iterations: 100, Values: v})
	}
	return p
}

// The file to the letter: header, order, numbers, empty fields, every attempt, no row of a failed run.
func TestWriteCSV(t *testing.T) {
	p := &plan.Plan{Phase: &plan.Phase{Metrics: []plan.Metric{
		metric("ns/op"), metric("wall-ns"),
		{Unit: "rows/op", Role: plan.RoleConstant},
		{Unit: "ns/row", Role: plan.RoleDerived, Num: "ns/op", Den: "rows/op"},
	}}}
	failed := process(2, 1, "c,1", "b", 1, 2)
	failed.Failure = &sample.Failure{Kind: sample.FailExit}
	procs := []sample.Process{
		process(3, 1, `c"2"`, "b", 1, 1, map[string]float64{"ns/op": 0.1, "rows/op": 0, "wall-ns": 5e-324}),
		process(1, 2, "c,1", "a", 1, 1, map[string]float64{"ns/op": 46600000, "rows/op": 1000, "ns/row": 46600, "wall-ns": 1e21, "extra": 1}, map[string]float64{"ns/op": 1e-7, "rows/op": 1000, "ns/row": 1e-10}),
		failed,
		process(1, 1, "c,1", "a", 1, 1, map[string]float64{"ns/op": -1.5, "rows/op": 1, "ns/row": -1.5, "wall-ns": 123456789012345680}),
	}
	var b bytes.Buffer
	if err := sample.WriteCSV(&b, p, procs); err != nil {
		t.Fatal(err)
	}
	want := `run,case,arm,block,attempt,position,repeat,iterations,ns/op,wall-ns,rows/op,ns/row
1,"c,1",a,1,1,1,1,100,-1.5,123456789012345680,1,-1.5
1,"c,1",a,1,2,1,1,100,46600000,1e+21,1000,46600
1,"c,1",a,1,2,1,2,100,1e-07,,1000,1e-10
3,"c""2""",b,1,1,1,1,100,0.1,5e-324,0,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	for name, values := range map[string]map[string]float64{
		"no ns/op, which is declared": {"rows/op": 1, "wall-ns": 1}, "no wall-ns, which is declared": {"ns/op": 1, "rows/op": 1}, "NaN ns/op is not finite": {"ns/op": math.NaN(), "rows/op": 1, "wall-ns": 1},
	} {
		if err := sample.WriteCSV(&b, p, []sample.Process{process(4, 1, "c", "a", 1, 1, values)}); err == nil || err.Error() != "run 4, repeat 1: "+name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := sample.WriteCSV(failing{}, p, procs); err == nil {
		t.Error("a file that cannot be written is no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

const twoArms = `arm,block,position,repeat,ns/op,rows/op
old,1,1,1,10,7
old,1,1,2,11,7
new,1,2,1,8,7
new,1,2,2,9,7
new,2,1,1,8,7
new,2,1,2,9,7
old,2,2,1,10,7
old,2,2,2,12,7
`

func readCSV(t *testing.T, text string, o sample.CSVOptions) (*plan.Plan, []sample.Process) {
	t.Helper()
	p, procs, err := sample.ReadCSV(strings.NewReader(text), "m.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	return p, procs
}

func TestReadCSV(t *testing.T) {
	o := sample.CSVOptions{Baseline: "old", Constants: []sample.CSVConstant{{Unit: "rows/op", Confound: "table"}}}
	p, procs := readCSV(t, twoArms, o)
	want := &plan.Phase{
		Name: "csv", Question: "What do the samples of m.csv say?", Baseline: "old", Repeats: 2,
		Arms: []plan.Arm{{Name: "old"}, {Name: "new"}}, Contrasts: []plan.Contrast{{Arm: "new", Base: "old"}},
		Cases:    []plan.Case{{Name: "all", Arms: []string{"old", "new"}}},
		Metrics:  []plan.Metric{metric("ns/op"), {Unit: "rows/op", Role: plan.RoleConstant, Confound: "table"}},
		Estimand: plan.Estimand{Kind: plan.BlockRatio, Interval: plan.Interval{Kind: plan.StudentT, Level: 0.95}},
		Design: plan.Design{
			Kind: plan.DesignFixed, Blocks: 2, Nesting: plan.NestBlocks, Order: plan.OrderCase,
			Orders: []plan.CaseOrders{{Case: "all", Blocks: [][]string{{"old", "new"}, {"new", "old"}}}},
		},
	}
	if diff := cmp.Diff(want, p.Phase); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, proc := range procs {
		got = append(got, fmt.Sprintf("%d %s %d %d %d %v %v %v", proc.Run.Number, proc.Run.Arm, proc.Run.Block, proc.Run.Position, proc.Attempt, proc.Retained, column(proc.Samples, "ns/op"), column(proc.Samples, "rows/op")))
	}
	wantProcs := []string{"1 old 1 1 1 true [10 11] [7 7]", "2 new 1 2 1 true [8 9] [7 7]", "3 new 2 1 1 true [8 9] [7 7]", "4 old 2 2 1 true [10 12] [7 7]"}
	if !slices.Equal(got, wantProcs) {
		t.Errorf("got %q", got)
	}
}

// The order of lines and columns, a byte order mark, line ends and blanks around numbers make no difference.
func TestReadCSVForms(t *testing.T) {
	o := sample.CSVOptions{Baseline: "old"}
	wantPlan, wantProcs := readCSV(t, twoArms, o)
	lines := strings.SplitAfter(twoArms, "\n")
	sorted := lines[0] + strings.Join([]string{lines[1], lines[2], lines[8], lines[7], lines[6], lines[5], lines[4], lines[3]}, "")
	for name, text := range map[string]string{
		"CRLF":           strings.ReplaceAll(twoArms, "\n", "\r\n"),
		"BOM":            "\xef\xbb\xbf" + twoArms,
		"no last end":    strings.TrimSuffix(twoArms, "\n"),
		"blanks":         strings.ReplaceAll(twoArms, ",10,", ", 10 ,"),
		"quoted":         strings.ReplaceAll(twoArms, "old,", `"old",`),
		"sorted by arm":  sorted,
		"empty lines":    strings.ReplaceAll(twoArms, "\n", "\n\n"),
		"other numerals": strings.ReplaceAll(twoArms, ",10,", ",1.0e1,"),
	} {
		p, procs := readCSV(t, text, o)
		if diff := cmp.Diff(wantPlan, p) + cmp.Diff(wantProcs, procs); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A process that the file has no row of stands in the plan, at the place that is left for it.
func TestReadCSVHoles(t *testing.T) {
	const holes = "run,case,arm,block,attempt,position,repeat,x\n" +
		"1,c,a,1,1,1,1,5\n2,c,b,1,1,2,1,6\n" +
		"4,c,a,2,1,2,1,7\n" + // run 3, b in block 2, failed
		"5,c,a,3,1,1,1,8\n6,c,b,3,1,2,1,9\n" + // run again whole: attempt 1 of b was interrupted
		"5,c,a,3,2,1,1,8.5\n6,c,b,3,2,2,1,9.5\n" +
		"7,d,a,1,1,1,1,4\n"
	p, procs := readCSV(t, holes, sample.CSVOptions{Baseline: "a"})
	var runs []string
	for _, r := range p.Runs {
		runs = append(runs, fmt.Sprintf("%d %s %s %d %d", r.Number, r.Case, r.Arm, r.Block, r.Position))
	}
	want := []string{"1 c a 1 1", "2 c b 1 2", "3 c b 2 1", "4 c a 2 2", "5 c a 3 1", "6 c b 3 2", "7 d a 1 1", "8 d a 2 1", "9 d a 3 1"}
	if !slices.Equal(runs, want) {
		t.Errorf("runs %q", runs)
	}
	var got []string
	for _, proc := range procs {
		got = append(got, fmt.Sprintf("%d.%d %v", proc.Run.Number, proc.Attempt, proc.Retained))
	}
	if want := []string{"1.1 true", "2.1 true", "4.1 true", "5.1 false", "5.2 true", "6.1 false", "6.2 true", "7.1 true"}; !slices.Equal(got, want) {
		t.Errorf("processes %q", got)
	}
	if diff := cmp.Diff([][]string{{"a", "b"}, {"b", "a"}, {"a", "b"}}, p.Phase.Design.Orders[0].Blocks); diff != "" {
		t.Error(diff)
	}
}

func TestReadCSVOptions(t *testing.T) {
	o := sample.CSVOptions{
		Baseline: "new", Interval: plan.Percentile, Level: 0.9, Resamples: 5000, Seed: 42,
		Metrics: []sample.CSVMetric{{Unit: "rows/op", Better: "higher"}, {Unit: "ns/op", Better: "lower"}}, Differences: []string{"ns/op"},
	}
	p, _ := readCSV(t, twoArms, o)
	interval := plan.Interval{Kind: plan.Percentile, Level: 0.9, Resamples: 5000, Seed: 42}
	want := []plan.Metric{
		{Unit: "rows/op", Role: plan.RoleMetric, Better: "higher"},
		{Unit: "ns/op", Role: plan.RoleMetric, Better: "lower", Estimand: &plan.Estimand{Kind: plan.BlockDifference, Interval: interval}},
	}
	if diff := cmp.Diff(want, p.Phase.Metrics) + cmp.Diff(plan.Estimand{Kind: plan.BlockRatio, Interval: interval}, p.Phase.Estimand); diff != "" {
		t.Error(diff)
	}
	if c := p.Phase.Contrasts; len(c) != 1 || c[0] != (plan.Contrast{Arm: "old", Base: "new"}) {
		t.Errorf("contrasts %v", c)
	}
	one := "arm,block,position,repeat,x\na,1,1,1,5\n"
	if p, _ := readCSV(t, one, sample.CSVOptions{}); p.Phase.Baseline != "a" || len(p.Phase.Contrasts) != 0 {
		t.Errorf("one arm: baseline %q, contrasts %v", p.Phase.Baseline, p.Phase.Contrasts)
	}
	// whole-process figures stand on repeat 1; columns that are not named are not read
	text := "arm,block,position,repeat,x,wall-ns,host\na,1,1,1,5,100,n1\na,1,1,2,6,,n1\n"
	_, procs := readCSV(t, text, sample.CSVOptions{Metrics: []sample.CSVMetric{{"x", "lower"}, {"wall-ns", "lower"}}})
	if got := procs[0].Samples; !maps.Equal(got[0].Values, map[string]float64{"x": 5, "wall-ns": 100}) || !maps.Equal(got[1].Values, map[string]float64{"x": 6}) {
		t.Errorf("samples %+v", got)
	}
}

func TestReadCSVErrors(t *testing.T) {
	const head = "arm,block,position,repeat,x\n"
	old := sample.CSVOptions{Baseline: "old"}
	for _, tt := range []struct {
		name, text string
		o          sample.CSVOptions
		parts      []string
	}{
		{"empty", "", old, []string{"m.csv: the file is empty", "arm,block,position,repeat"}},
		{"header alone", head, old, []string{"a header and no samples"}},
		{"UTF-16", "\xff\xfea", old, []string{"UTF-16"}},
		{"no arm", "block,position,repeat,x\n1,1,1,5\n", old, []string{"m.csv:1:1: no column \"arm\""}},
		{"another case of letters", "Arm,block,position,repeat,x\na,1,1,1,5\n", old, []string{`no column "arm" (did you mean "Arm"?)`}},
		{"semicolons", "arm;block;position;repeat;x\n", old, []string{"separate columns by commas"}},
		{"two columns of one name", "arm,block,position,repeat,x,x\n", old, []string{`m.csv:1:29: two columns are named "x"`}},
		{"a column without name", "arm,block,position,repeat,x,\n", old, []string{`m.csv:1:29: "" is no name of a column`}},
		{"no unit", "arm,block,position,repeat\na,1,1,1\n", old, []string{"no column of a metric"}},
		{"thousands", head + "a,1,1,1,1,234\n", old, []string{"m.csv:2:9:", "6 fields, and the header has 5", "separators of thousands"}},
		{"thousands in quotes", head + "a,1,1,1,\"1,234\"\n", old, []string{"m.csv:2:9: x:", `"1,234" is no number`, "separators of thousands"}},
		{"ragged", head + "a,1,1,1\n", old, []string{"m.csv:2:7:", "4 fields, and the header has 5"}},
		{"no number", head + "a,1,1,1,5 ms\n", old, []string{"m.csv:2:9: x:", `"5 ms" is no number`, "--metric"}},
		{"hexadecimal", head + "a,1,1,1,0x1p4\n", old, []string{`"0x1p4" is no number`}},
		{"underscores", head + "a,1,1,1,0x_1p4\n", old, []string{"is no number"}},
		{"NaN", head + "a,1,1,1,NaN\n", old, []string{"m.csv:2:9: x:", `"NaN" is not finite`}},
		{"Inf", head + "a,1,1,1,-Inf\n", old, []string{"is not finite"}},
		{"too large", head + "a,1,1,1,1e999\n", old, []string{"is too large"}},
		{"empty value", head + "a,1,1,1,\n", old, []string{"m.csv:2:9: x: the field is empty"}},
		{"empty value of some repeats", head + "a,1,1,1,5\na,1,1,2,6\na,1,1,3,\n", old, []string{"m.csv:4:9: x: the field is empty"}},
		{"empty arm", head + ",1,1,1,5\n", old, []string{"m.csv:2:1: the name of the arm is empty"}},
		{"block 0", head + "a,0,1,1,5\n", old, []string{`m.csv:2:3: block "0": want a whole number from 1`}},
		{"negative repeat", head + "a,1,1,-1,5\n", old, []string{`m.csv:2:7: repeat "-1"`}},
		{"position 1.5", head + "a,1,1.5,1,5\n", old, []string{`m.csv:2:5: position "1.5"`}},
		{"iterations", "arm,block,position,repeat,iterations,x\na,1,1,1,-5,5\n", old, []string{`m.csv:2:9: iterations "-5"`}},
		{"block far away", head + "a,100000,1,1,5\n", old, []string{"number blocks from 1 without gaps"}},
		{"block further away", head + "a,1000000000000,1,1,5\n", old, []string{"block", "want a whole number"}},
		{"twice", head + "a,1,1,1,5\na,1,1,1,6\n", old, []string{"m.csv:3:", "repeat 1: line 2 has this sample already"}},
		{"two positions of a process", head + "a,1,1,1,5\na,1,2,2,6\n", old, []string{"m.csv:3:", "position 2 here, and 1 in line 2"}},
		{"one position twice", head + "old,1,1,1,5\nnew,1,1,1,6\n", old, []string{`arm "new" and arm "old" (line 2) both have position 1`}},
		{"two runs of a process", "run,arm,block,position,repeat,x\n1,a,1,1,1,5\n2,a,1,1,2,6\n", old, []string{"m.csv:3:", "run 2 here, and 1 in line 2"}},
		{"one run twice", "run,arm,block,position,repeat,x\n1,a,1,1,1,5\n1,a,2,1,1,6\n", old, []string{"m.csv:3: run 1 is"}},
		{"runs against positions", "run,arm,block,position,repeat,x\n2,old,1,1,1,5\n1,new,1,2,1,6\n", old, []string{"position 2 and run 1", "position 1 and run 2"}},
		{"a quote inside", head + "a\"b,1,1,1,5\n", old, []string{"m.csv:2:2:", "twice"}},
		{"a quote that does not end", head + "\"a,1,1,1,5\n", old, []string{"m.csv:"}},
		{"Latin-1", head + "\xfcber,1,1,1,5\n", old, []string{"m.csv:2:1:", "no UTF-8"}},
		{"no baseline", twoArms, sample.CSVOptions{}, []string{"2 arms", "--baseline", `"old", "new"`}},
		{"another baseline", twoArms, sample.CSVOptions{Baseline: "odl"}, []string{`no arm named "odl"`}},
		{"a baseline that is close", twoArms, sample.CSVOptions{Baseline: "olds"}, []string{`did you mean "old"?`}},
		{"unknown metric", twoArms, sample.CSVOptions{Baseline: "old", Metrics: []sample.CSVMetric{{"ns/ops", "lower"}}}, []string{`--metric "ns/ops"`, `did you mean "ns/op"?`}},
		{"a label as metric", twoArms, sample.CSVOptions{Baseline: "old", Metrics: []sample.CSVMetric{{"block", "lower"}}}, []string{`--metric "block": no column`}},
		{"a metric twice", twoArms, sample.CSVOptions{Baseline: "old", Metrics: []sample.CSVMetric{{"ns/op", "lower"}, {"ns/op", "lower"}}}, []string{"declared twice"}},
		{"neither lower nor higher", twoArms, sample.CSVOptions{Baseline: "old", Metrics: []sample.CSVMetric{{"ns/op", "more"}}}, []string{"want lower or higher"}},
		{"unknown constant", twoArms, sample.CSVOptions{Baseline: "old", Constants: []sample.CSVConstant{{Unit: "row/op"}}}, []string{`--constant "row/op"`, `did you mean "rows/op"?`}},
		{"a difference of a constant", twoArms, sample.CSVOptions{Baseline: "old", Constants: []sample.CSVConstant{{Unit: "rows/op"}}, Differences: []string{"rows/op"}}, []string{`--difference "rows/op": no metric`}},
		{"unknown interval", twoArms, sample.CSVOptions{Baseline: "old", Interval: "student"}, []string{`--interval "student"`, "sign_flip"}},
		{"level", twoArms, sample.CSVOptions{Baseline: "old", Level: 95}, []string{"--level 95"}},
		{"resamples", twoArms, sample.CSVOptions{Baseline: "old", Interval: plan.Percentile, Resamples: 5}, []string{"--resamples 5"}},
		{"seed", twoArms, sample.CSVOptions{Baseline: "old", Interval: plan.Percentile, Seed: -1}, []string{"--seed -1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := sample.ReadCSV(strings.NewReader(tt.text), "m.csv", tt.o)
			if err == nil {
				t.Fatal("no error")
			}
			for _, p := range tt.parts {
				if !strings.Contains(err.Error(), p) {
					t.Errorf("%q is missing in: %v", p, err)
				}
			}
		})
	}
}

// What WriteCSV writes, ReadCSV reads back: every sample, label and number, to the last bit; and what is written
// again is the same file.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.StringMatching(`[a-z",;ü'# ]{0,6}[a-z",]`)
		arms := rapid.SliceOfNDistinct(names, 1, 4, rapid.ID[string]).Draw(t, "arms")
		cases := rapid.SliceOfNDistinct(names, 1, 3, rapid.ID[string]).Draw(t, "cases")
		blocks, repeats := rapid.IntRange(1, 4).Draw(t, "blocks"), rapid.IntRange(1, 3).Draw(t, "repeats")
		number := rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) })
		p := &plan.Plan{Phase: &plan.Phase{Metrics: []plan.Metric{metric("ns/op"), metric("wall-ns"), {Unit: "k,k", Role: plan.RoleConstant}}}}
		var procs []sample.Process
		for block := 1; block <= blocks; block++ {
			for _, name := range cases {
				for i, arm := range rapid.Permutation(arms).Draw(t, "order") {
					proc := process(len(procs)+1, 1, name, arm, block, i+1)
					for r := 1; r <= repeats; r++ {
						values := map[string]float64{"ns/op": number.Draw(t, "ns/op"), "k,k": number.Draw(t, "k")}
						if r == 1 {
							values["wall-ns"] = number.Draw(t, "wall-ns")
						}
						proc.Samples = append(proc.Samples, sample.Sample{Repeat: r, Iterations: rapid.Int64Range(0, math.MaxInt64).Draw(t, "n"), Values: values})
					}
					proc.Run.Repeats = repeats
					procs = append(procs, proc)
				}
			}
		}
		var file bytes.Buffer
		if err := sample.WriteCSV(&file, p, procs); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		back, got, err := sample.ReadCSV(strings.NewReader(text), "m.csv", sample.CSVOptions{Baseline: arms[0], Constants: []sample.CSVConstant{{Unit: "k,k"}}})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(procs, got); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
		if len(back.Runs) != len(procs) || back.Phase.Repeats != repeats || back.Phase.Design.Blocks != blocks {
			t.Fatalf("%d runs of %d repeats in %d blocks", len(back.Runs), back.Phase.Repeats, back.Phase.Design.Blocks)
		}
		file.Reset()
		if err := sample.WriteCSV(&file, back, got); err != nil || file.String() != text {
			t.Fatalf("%v: the file again differs:\n%s\n%s", err, text, file.String())
		}
	})
}
