package campaign_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

const schemas = "../../docs/schema/"

func schema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile(schemas + name + ".schema.json")
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

// lines returns the lines of a folder's ledger.
func lines(t testing.TB, dir string) [][]byte {
	t.Helper()
	return bytes.Split(bytes.TrimSuffix(read(t, dir, ledger.Name), []byte("\n")), []byte("\n"))
}

// Every JSON file of a folder that a real phase left is as its schema says.
func TestFilesOfAFolderAreAsTheirSchemasSay(t *testing.T) {
	dir, o := run(t, everything(t))
	if o.Run.Finished != 4 || o.Run.Failed != 0 {
		t.Fatalf("%+v: %s", o.Run, read(t, dir, "report.md"))
	}
	for _, name := range []string{"plan", "host", "analysis"} {
		if err := validate(t, schema(t, name), read(t, dir, name+".json")); err != nil {
			t.Errorf("%s.json: %v", name, err)
		}
	}
	s := schema(t, "ledger")
	for i, line := range lines(t, dir) {
		if err := validate(t, s, line); err != nil {
			t.Errorf("ledger.jsonl:%d: %v\n%s", i+1, err, line)
		}
	}
}

// Runs that fail in every way, and a phase that stops, are as the schema says too.
func TestFailuresAreAsTheSchemaSays(t *testing.T) {
	s := schema(t, "ledger")
	for name, c := range map[string]struct {
		line    string
		failure string
	}{
		"exit":    {`echo no >&2; exit 3`, "exit"},
		"signal":  {`kill -SEGV $$`, "signal"},
		"timeout": {`sleep 60`, "timeout"},
		"parse":   {`echo no`, "parse"},
		"rows":    {`true`, "rows"},
		"expect":  {`echo '{"x/op": 8}'`, "expect"},
	} {
		p := phase(1, c.line, c.line)
		p.OnFailure = "stop-phase"
		seven := 7.0
		p.Expect = []protocol.Expect{{Kind: protocol.ExpectMetric, Unit: "x/op", Equals: &seven}}
		if name == "timeout" {
			p.Process.Timeout = protocol.Duration(50e6)
		}
		dir, _ := run(t, script(t, p))
		found := false
		for i, line := range lines(t, dir) {
			if err := validate(t, s, line); err != nil {
				t.Errorf("%s: ledger.jsonl:%d: %v\n%s", name, i+1, err, line)
			}
			found = found || bytes.Contains(line, []byte(`"failure":"`+c.failure+`"`))
		}
		if got := events(t, dir); !found || !slices.Contains(got, "phase-stopped") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPlansAreAsTheirSchemaSays(t *testing.T) {
	s := schema(t, "plan")
	for name, pl := range others(t) {
		data, err := pl.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// change is an edit that makes a valid file wrong.
type change struct{ from, to string }

func refuses(t *testing.T, s *jsonschema.Schema, what string, data []byte, changes []change) {
	t.Helper()
	if err := validate(t, s, data); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, c := range changes {
		changed := bytes.Replace(data, []byte(c.from), []byte(c.to), 1)
		if bytes.Equal(changed, data) {
			t.Errorf("%s has no %s", what, c.from)
			continue
		}
		if validate(t, s, changed) == nil {
			t.Errorf("%s: %s passes", what, c.to)
		}
	}
}

func TestPlanSchemaRefuses(t *testing.T) {
	data, err := everything(t).Plan.JSON()
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, schema(t, "plan"), "plan.json", data, []change{
		{`"version": 1`, `"version": 2`},
		{`"digest": "`, `"digest": "0`},
		{`"runs": [`, `"extra": 1, "runs": [`},
		{`"on_failure": "continue"`, `"on_failure": "carry-on"`},
		{`"at": "dir/e.star:1:5"`, `"at": "dir/e.star:1"`},
		{`"at": "dir/e.star:1:5"`, `"at": "dir/e.star:0:5"`},
		{`"timeout": "1m30s"`, `"timeout": "90"`},
		{`"timeout": "1m30s"`, `"timeout": 90`},
		{`"kind": "counterbalanced"`, `"kind": "fixed"`},
		{`"kind": "counterbalanced"`, `"kind": "latin"`},
		{`"kind": "student_t"`, `"kind": "percentile"`},
		{`"resamples": 200`, `"resamples": 2`},
		{`"role": "derived"`, `"role": "metric"`},
		{`"role": "constant"`, `"role": "derived"`},
		{`"better": "lower"`, `"better": "smaller"`},
		{`"max_ratio": 1000000`, `"min_ratio": 1, "max_ratio": 1000000`},
		{`"max_difference"`, `"maximal_difference"`},
		{`"matches": "x/op"`, `"matches": "x/op", "unit": "x/op"`},
		{`"per_repeat": 1`, `"per_repeat": 0`},
		{`"nofile": 100`, `"files": 100`},
		{`"on": "warning"`, `"on": "error"`},
		{`"kind": "binary"`, `"kind": "go_test"`},
		{`"tuple": [`, `"pair": [`},
		{`"HOME": "{run}"`, `"HOME": "/root"`},
		{`"run": 1,`, `"run": 0,`},
		{`"run": 1,`, ``},
		{`"file": "tool"`, `"file": ""`},
		{`"seed": 7`, `"seed": 9007199254740992`},
		{`"format": "json"`, `"format": "xml"`},
	})
}

func TestHostSchemaRefuses(t *testing.T) {
	dir, _ := run(t, script(t, phase(1, prints, prints)))
	s := schema(t, "host")
	refuses(t, s, "host.json", read(t, dir, "host.json"), []change{
		{`"before"`, `"earlier"`}, {`"os": "`, `"system": "`}, {`"aslr": "`, `"aslr": 2, "x": "`}, {`"aslr": "`, `"ASLR on": "`},
	})
	var h map[string]any
	decoded(t, &h, dir, "host.json")
	h["after"] = nil // as it stands while the phase runs
	open, _ := json.Marshal(h)
	if err := validate(t, s, open); err != nil {
		t.Error(err)
	}
}

// Every field of the Go types stands in the schema of plan.json, and nothing else does.
func TestPlanSchemaMatchesTypes(t *testing.T) {
	var doc struct {
		Properties map[string]json.RawMessage
		Defs       map[string]struct{ Properties map[string]json.RawMessage } `json:"$defs"`
	}
	decoded(t, &doc, schemas, "plan.schema.json")
	compareFields(t, "plan", doc.Properties, reflect.TypeFor[plan.Plan]())
	for name, typ := range map[string]reflect.Type{
		"run": reflect.TypeFor[plan.Run](), "phase": reflect.TypeFor[protocol.Phase](), "parameter": reflect.TypeFor[protocol.Parameter](),
		"file": reflect.TypeFor[protocol.File](), "build": reflect.TypeFor[protocol.Build](), "arm": reflect.TypeFor[protocol.Arm](),
		"contrast": reflect.TypeFor[protocol.Contrast](), "case": reflect.TypeFor[protocol.Case](), "command": reflect.TypeFor[protocol.Command](),
		"design": reflect.TypeFor[protocol.Design](), "case_orders": reflect.TypeFor[protocol.CaseOrders](), "metric": reflect.TypeFor[protocol.Metric](),
		"estimand": reflect.TypeFor[protocol.Estimand](), "interval": reflect.TypeFor[protocol.Interval](), "process": reflect.TypeFor[protocol.Process](),
		"expect": reflect.TypeFor[protocol.Expect](), "check": reflect.TypeFor[protocol.Check](), "gate": reflect.TypeFor[protocol.Gate](),
		"reference": reflect.TypeFor[protocol.Reference](), "program": reflect.TypeFor[protocol.Program](), "host": reflect.TypeFor[protocol.Host](),
		"network": reflect.TypeFor[protocol.Network](), "service": reflect.TypeFor[protocol.Service](), "ready": reflect.TypeFor[protocol.Ready](),
		"sampler": reflect.TypeFor[protocol.Sampler](), "step": reflect.TypeFor[protocol.Step](), "fdb": reflect.TypeFor[protocol.FDB](),
	} {
		compareFields(t, name, doc.Defs[name].Properties, typ)
	}
}

func compareFields(t *testing.T, name string, properties map[string]json.RawMessage, typ reflect.Type) {
	t.Helper()
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
