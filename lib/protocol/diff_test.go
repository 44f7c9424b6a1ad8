package protocol_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/protocol"
)

// small returns a phase of two arms and two cases, the same whenever it is called.
func small() *protocol.Phase {
	build := &protocol.Build{Package: "./sort", Test: true}
	command := func(flag string) protocol.Command {
		return protocol.Command{Argv: []protocol.Arg{{File: build.Label()}, {Text: "-x"}, {Text: flag}}, Format: "gobench"}
	}
	return &protocol.Phase{
		Name: "p", Question: "q?", Baseline: "old", Repeats: 3,
		Params: []protocol.Parameter{{Name: "quick", Value: protocol.Bool(false)}},
		Files:  []protocol.File{{Label: build.Label(), Kind: protocol.KindGoTest, Build: build}},
		Arms:   []protocol.Arm{{Name: "old"}, {Name: "new", Env: map[string]string{"GOGC": "off"}, Params: []protocol.Parameter{{Name: "m", Value: protocol.Int(1)}}}},
		Contrasts: []protocol.Contrast{
			{Arm: "new", Base: "old"},
		},
		Cases: []protocol.Case{
			{Name: "c1", Arms: []string{"old", "new"}, Commands: map[string]protocol.Command{"old": command("-a"), "new": command("-b")}},
			{Name: "c2", Arms: []string{"old", "new"}, Commands: map[string]protocol.Command{"old": command("-a"), "new": command("-b")}},
		},
		Design:   protocol.Design{Kind: "counterbalanced", Blocks: 6, Seed: 1, Nesting: "blocks", Order: "case"},
		Metrics:  []protocol.Metric{{Unit: "ns/op", Role: "metric", Better: "lower"}, {Unit: "rows/op", Role: "constant", Equals: map[string]float64{"c1": 10, "c2": 20}}},
		Estimand: protocol.Estimand{Kind: "block_ratio", Interval: protocol.Interval{Kind: "student_t", Level: 0.95}},
		Expect:   []protocol.Expect{{Kind: "audit", Name: "path", PerRepeat: 2, Where: []protocol.Parameter{{Name: "plan", Value: protocol.Str("scan")}}}},
		Limits:   []string{"One host.", "No disk."},
	}
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name   string
		change func(p *protocol.Phase)
		want   []string
	}{
		{"nothing", func(p *protocol.Phase) {}, nil},
		{"places", func(p *protocol.Phase) { p.At.File, p.Design.At.Line, p.Arms[0].At.Line = "x", 7, 9 }, nil},
		{"empty for absent", func(p *protocol.Phase) { p.Arms[0].Env, p.Predictions = map[string]string{}, []string{} }, nil},
		{"the phase", func(p *protocol.Phase) { p.Repeats = 5 }, []string{`The phase: repeats is 5; it was 3.`}},
		{"the design", func(p *protocol.Phase) { p.Design.Seed = 2 }, []string{`The design: seed is 2; it was 1.`}},
		{"an interval", func(p *protocol.Phase) { p.Estimand.Interval.Level = 0.99 }, []string{`The estimand: interval level is 0.99; it was 0.95.`}},
		{"an estimand of its own", func(p *protocol.Phase) {
			p.Metrics[0].Estimand = &protocol.Estimand{Kind: "block_difference", Interval: protocol.Interval{Kind: "student_t", Level: 0.9}}
		}, []string{`Metric "ns/op": estimand kind "block_difference", interval kind "student_t", level 0.9 is new.`}},
		{"a parameter of the script", func(p *protocol.Phase) { p.Params[0].Value = protocol.Bool(true) }, []string{`The phase: parameter quick is True; it was False.`}},
		{"of an arm", func(p *protocol.Phase) { p.Arms[1].Params[0].Value = protocol.Float(1) }, []string{`Arm "new": parameter m is 1.0; it was 1.`}},
		{"of an audit", func(p *protocol.Phase) { p.Expect[0].Where[0].Value = protocol.Str("seek") }, []string{`Expectation audit "path": where parameter plan is "seek"; it was "scan".`}},
		{"environment", func(p *protocol.Phase) { p.Arms[1].Env = map[string]string{"GOGC": "50", "A": "1"} }, []string{`Arm "new": env A "1" is new.`, `Arm "new": env GOGC is "50"; it was "off".`}},
		{"environment gone", func(p *protocol.Phase) { p.Arms[1].Env = nil }, []string{`Arm "new": env GOGC "off" is gone.`}},
		{"one word of several commands", func(p *protocol.Phase) {
			for _, c := range p.Cases {
				c.Commands["new"].Argv[2].Text = "-c"
			}
		}, []string{`Case "c1", arm "new"; case "c2", arm "new": argv[2] is "-c"; it was "-b".`}},
		{"a word more", func(p *protocol.Phase) {
			c := p.Cases[0].Commands["old"]
			c.Argv = append(c.Argv, protocol.Arg{Text: "-y"})
			p.Cases[0].Commands["old"] = c
		}, []string{`Case "c1", arm "old": argv is [file "sort.test-LABEL", "-x", "-a", "-y"]; it was [file "sort.test-LABEL", "-x", "-a"].`}},
		{"sentences", func(p *protocol.Phase) { p.Limits = []string{"No disk.", "Two hosts."} }, []string{`The phase: limit "One host." is gone.`, `The phase: limit "Two hosts." is new.`}},
		{"sentences in another order", func(p *protocol.Phase) { p.Limits[0], p.Limits[1] = p.Limits[1], p.Limits[0] }, []string{
			`The phase: limits[0] is "No disk."; it was "One host.".`, `The phase: limits[1] is "One host."; it was "No disk.".`,
		}},
		{"arms in another order", func(p *protocol.Phase) { p.Arms[0], p.Arms[1] = p.Arms[1], p.Arms[0] }, []string{
			`The arms stand in another order: arm "new", arm "old"; they stood arm "old", arm "new".`,
		}},
		{"an arm and what follows from it", func(p *protocol.Phase) {
			p.Arms = append(p.Arms, protocol.Arm{Name: "third"})
			p.Contrasts = append(p.Contrasts, protocol.Contrast{Arm: "third", Base: "old"})
			for i := range p.Cases {
				p.Cases[i].Arms = append(p.Cases[i].Arms, "third")
				p.Cases[i].Commands["third"] = p.Cases[i].Commands["old"]
			}
		}, []string{`Arm "third" is new.`}},
		{"a case and what follows from it", func(p *protocol.Phase) {
			p.Cases = p.Cases[:1]
			delete(p.Metrics[1].Equals, "c2")
		}, []string{`Case "c2" is gone.`}},
		{"a case that no longer asks an arm", func(p *protocol.Phase) {
			p.Cases[0].Arms = []string{"old"}
			delete(p.Cases[0].Commands, "new")
		}, []string{`Case "c1": arm "new" is gone.`, `Case "c1", arm "new": command argv [file "sort.test-LABEL", "-x", "-b"], format "gobench" is gone.`}},
		{"a recipe, and not the label that follows from it", func(p *protocol.Phase) {
			b := *p.Files[0].Build
			b.Ref = "v2"
			p.Files[0] = protocol.File{Label: b.Label(), Kind: protocol.KindGoTest, Build: &b}
			for _, c := range p.Cases {
				for _, cmd := range c.Commands {
					cmd.Argv[0].File = b.Label()
				}
			}
		}, []string{`go_test "sort.test-LABEL": build ref "v2" is new.`}},
		{"a metric", func(p *protocol.Phase) { p.Metrics = p.Metrics[1:] }, []string{`Metric "ns/op" is gone: unit "ns/op", role "metric", better "lower".`}},
		{"a constant of one case", func(p *protocol.Phase) { p.Metrics[1].Equals["c2"] = 21 }, []string{`Constant "rows/op": equals c2 is 21; it was 20.`}},
		{"a second of one name", func(p *protocol.Phase) { p.Expect = append(p.Expect, p.Expect[0]) }, []string{
			`Expectation audit "path", number 2 is new: kind "audit", name "path", per repeat 2, where [name "plan", value "scan"].`,
		}},
	}
	label := small().Files[0].Label
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			after := small()
			tt.change(after)
			var got []string
			for _, c := range protocol.Diff(small(), after) {
				got = append(got, strings.ReplaceAll(c.Sentence(), label, "sort.test-LABEL"))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if back := protocol.Diff(after, small()); (len(back) == 0) != (len(tt.want) == 0) {
				t.Errorf("the other way round: %v", back)
			}
		})
	}
}

func TestSentenceOfMany(t *testing.T) {
	c := protocol.Change{Kind: protocol.Changed, Aspect: "argv[1]", Before: `"a"`, After: `"b"`}
	for i := range 10 {
		c.Subjects = append(c.Subjects, fmt.Sprintf("case \"c%d\"", i))
	}
	if want := `Case "c0"; case "c1"; case "c2"; and 7 more: argv[1] is "b"; it was "a".`; c.Sentence() != want {
		t.Error(c.Sentence())
	}
}

// TestDiffSeesEveryField fills a phase, so that each field of each type below it has a value, changes one after the
// other, and wants each to be told.
func TestDiffSeesEveryField(t *testing.T) {
	const most = 1000
	told := 0
	for n := range most {
		before, after := filled(-1), filled(n)
		changes := protocol.Diff(before.phase, after.phase)
		if after.changed == "" {
			if told < 60 || len(changes) > 0 {
				t.Errorf("only %d fields, and %v", told, changes)
			}
			return
		}
		if len(changes) == 0 {
			t.Errorf("%s: a change is not seen", after.changed)
		}
		told++
	}
	t.Error("a phase has fewer fields")
}

// filling fills a phase; the field that is number change has another value than it usually would.
type filling struct {
	phase   *protocol.Phase
	change  int
	n       int
	changed string
}

func filled(change int) *filling {
	f := &filling{phase: &protocol.Phase{}, change: change}
	f.fill("phase", reflect.ValueOf(f.phase).Elem())
	p := f.phase
	// What is said of arms and cases that are not there is not compared.
	for i := range p.Cases {
		p.Cases[i].Name = "c"
		p.Cases[i].Arms = []string{"x"}
	}
	for i := range p.Contrasts {
		p.Contrasts[i] = protocol.Contrast{Arm: "x", Base: "x"}
	}
	p.Arms[0].Name = "x"
	return f
}

func (f *filling) fill(path string, v reflect.Value) {
	set := func(usual, other any) {
		x := usual
		if f.n == f.change {
			x, f.changed = other, path
		}
		f.n++
		v.Set(reflect.ValueOf(x).Convert(v.Type()))
	}
	switch path {
	case "phase.Contrasts[0].Arm", "phase.Contrasts[0].Base", "phase.Cases[0].Name", "phase.Cases[0].Arms[0]", "phase.Arms[0].Name":
		return // set above
	case "phase.Files[0].Label":
		return // that of a build follows from its recipe
	}
	switch v.Type() {
	case reflect.TypeFor[protocol.Arg]():
		set(protocol.Arg{Text: "a"}, protocol.Arg{File: "a"})
		return
	case reflect.TypeFor[protocol.Place]():
		return
	case reflect.TypeFor[protocol.Value]():
		set(protocol.Str("1"), protocol.Int(1))
		return
	}
	switch v.Kind() {
	case reflect.String:
		set("a", "b")
	case reflect.Bool:
		set(true, false)
	case reflect.Int, reflect.Int64:
		set(7, 8)
	case reflect.Float64:
		set(0.5, 0.25)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(path, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(path+"[0]", v.Index(0))
	case reflect.Map:
		x := reflect.New(v.Type().Elem()).Elem()
		f.fill(path+"[]", x)
		key := "k"
		if strings.HasSuffix(path, ".Commands") {
			key = "x"
		} else if strings.HasSuffix(path, ".Equals") {
			key = "c"
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(key), x)
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	default:
		panic(path + ": a kind of field that this test does not fill")
	}
}
