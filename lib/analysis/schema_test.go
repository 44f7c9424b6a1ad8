package analysis_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
)

const schemaFile = "../../docs/schema/analysis.schema.json"

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// everything is a set of experiments that between them use every part of the format.
func everything(t *testing.T) map[string]*experiment {
	place := plan.Place{File: "x.star", Line: 3, Col: 5}
	limit := 1.05
	gated := threeArms()
	gated.phase.Family = "bh"
	gated.phase.Estimand.Also = []plan.Interval{{Kind: plan.Percentile, Level: 0.95, Resamples: 1000, Seed: 7}, {Kind: plan.SignFlip, Level: 0.95}}
	gated.phase.Gates = []plan.Gate{{Metric: "ns/op", MaxRatio: &limit, At: place}, {Metric: "ns/op", MinRatio: &limit, Cases: []string{"none"}}}
	stopped := newExperiment(2, 1, "a", "b").cases("x", "y").medians("ns/op", map[string][]float64{"a": {1, 2}, "b": {2, 3}})
	stopped.facts.Statuses = map[string]ledger.CaseStatus{"x": {Case: "x", Status: analysis.Contaminated, Why: "a ceiling"}}
	one := newExperiment(1, 1, "a", "b").medians("ns/op", map[string][]float64{"a": {1}, "b": {2}})
	alone := newExperiment(2, 1, "a").medians("ns/op", map[string][]float64{"a": {1, 2}})
	alone.processes = nil
	replaced := newExperiment(2, 1, "a", "b").medians("ns/op", map[string][]float64{"a": {1, 2}, "b": {2, 3}})
	first := replaced.processes[0]
	first.Retained = false
	replaced.processes[0].Attempt = 2
	replaced.processes = append(replaced.processes, first)
	return map[string]*experiment{
		"confounded": d2(), "three arms, gates, a family": gated, "failed": threeArms().fail("only", "c", 2), "contaminated": stopped,
		"one block": one, "nothing ran": alone, "a replaced attempt": replaced,
		"undefined": pairOf(t, "allocs/op", "z_old", "z_new"), "equal": pairOf(t, "x/op", "five", "five"),
		"ten blocks": pairOf(t, "ns/op", "d_old", "d_new").percentile(20000, 391706),
	}
}

func TestSchema(t *testing.T) {
	s := schema(t)
	for name, x := range everything(t) {
		data, err := x.analyze(t).JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema must be able to refuse: every change below makes an output wrong.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	data, err := d2().analyze(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"version": 1`, `"version": 2`},
		{`"verdict": "lower"`, `"verdict": "faster"`},
		{`"status": "measured"`, `"status": "fine"`},
		{`"severity": "warning"`, `"severity": "error"`},
		{`"estimand": "block_ratio"`, `"estimand": "ratio"`},
		{`"base_first": {`, `"base_last": {`},
		{`"seal": null`, `"seal": null, "extra": 1`},
		{`"samples": 72`, `"samples": "72"`},
	} {
		changed := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(changed, data) {
			t.Fatalf("the output has no %s", change[0])
		}
		if validate(t, s, changed) == nil {
			t.Errorf("%s passes", change[1])
		}
	}
}

// Every field of the Go types stands in the schema, and nothing else does.
func TestSchemaMatchesTypes(t *testing.T) {
	var doc struct {
		Properties map[string]json.RawMessage
		Defs       map[string]struct {
			Properties map[string]json.RawMessage
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(readFile(t, "../"+schemaFile)), &doc); err != nil {
		t.Fatal(err)
	}
	compare := func(name string, properties map[string]json.RawMessage, typ reflect.Type) {
		fields := map[string]bool{}
		for i := range typ.NumField() {
			fields[strings.Split(typ.Field(i).Tag.Get("json"), ",")[0]] = true
		}
		for f := range fields {
			if properties[f] == nil {
				t.Errorf("%s: the schema lacks %q", name, f)
			}
		}
		for p := range properties {
			if !fields[p] {
				t.Errorf("%s: the type lacks %q", name, p)
			}
		}
	}
	compare("result", doc.Properties, reflect.TypeFor[analysis.Result]())
	r := reflect.TypeFor[analysis.Result]()
	findings, _ := r.FieldByName("Findings")
	for name, typ := range map[string]reflect.Type{
		"completeness": reflect.TypeFor[analysis.Completeness](), "case": reflect.TypeFor[analysis.Case](),
		"process": reflect.TypeFor[analysis.Process](), "metric": reflect.TypeFor[analysis.Metric](),
		"absolute": reflect.TypeFor[analysis.Absolute](), "comparison": reflect.TypeFor[analysis.Comparison](),
		"interval": reflect.TypeFor[analysis.Interval](), "ends": reflect.TypeFor[analysis.Ends](),
		"unregistered": reflect.TypeFor[analysis.Unregistered](), "block_ratio": reflect.TypeFor[analysis.BlockRatio](),
		"order_part": reflect.TypeFor[analysis.OrderPart](), "gate": reflect.TypeFor[analysis.Gate](),
		"finding": findings.Type.Elem(),
	} {
		compare(name, doc.Defs[name].Properties, typ)
	}
}

func TestJSONForm(t *testing.T) {
	x := d2()
	x.phase.Name = "a<b&c>"
	r := x.analyze(t)
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	s := string(data)
	contains(t, s, "{\n  \"version\": 1,\n  \"phase\": \"a<b&c>\",\n  \"seal\": null,")
	if !strings.HasSuffix(s, "}\n") || strings.HasSuffix(s, "\n\n") {
		t.Error("want one newline at the end")
	}
	again, err := x.analyze(t).JSON()
	if err != nil || !bytes.Equal(data, again) {
		t.Error("a second analysis gives other bytes")
	}
	nan := math.NaN()
	r.Cases[0].Metrics[0].Comparisons[0].Estimate = &nan
	if _, err := r.JSON(); err == nil {
		t.Error("a NaN is written")
	}
}
