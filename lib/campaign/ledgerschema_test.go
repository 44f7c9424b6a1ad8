package campaign_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/ledger"
)

// bodies are samples of events, by kind: those that a run writes, and those that other commands do.
func bodies() map[string]ledger.Body {
	text, seven, exit, size := "SIGSEGV", int64(7), 0, int64(20<<20)
	digest := strings.Repeat("ab", 32)
	host := map[string]string{"os": "linux"}
	output := ledger.Output{Bytes: 3, SHA256: digest}
	three, placement := 3.0, ledger.Placement{Rows: 10, Colocated: 0.5, All: 0.25, Teams: digest}
	all := []ledger.Body{
		&ledger.Opened{
			Phase: "p", Tool: "t", PlanDigest: digest, ProtocolDigest: digest, Seal: &digest, Anchor: "commit 1234", Host: host, HarnessCPUs: "0", AllowedCPUs: "0-3,7",
			MaxRSSFloor: seven, Notes: []string{"n"},
			Files: []ledger.PinnedFile{{Label: "l", Kind: "binary", Path: "bin/" + digest, Source: "/s", SHA256: digest, Size: 1, Build: map[string]string{"go": "go1.26"}, Dir: "/d", Pattern: "*.txt", User: "u"}},
			Root:  "/r", Stored: map[string]string{"plan.json": digest},
		},
		&ledger.PinVerified{When: "opening", Files: 1},
		&ledger.PinBroken{When: "after run 7", Run: 7, Label: "l", Want: digest, Got: "it is gone"},
		&ledger.RunStarted{Run: 1, Attempt: 1, Case: "c", Arm: "a", Block: 1, Position: 1, Exec: "/x", Argv: []string{"x", ""}, Env: map[string]string{"A": ""}, Dir: "/", CPUs: "2", Total: 9, SpinNS: 5},
		&ledger.RunFinished{Run: 1, Attempt: 1, Exit: &exit, MaxRSSBytes: &size, CPUs: "2", Stdout: output, Stderr: output, Audit: &output, Samples: 3, Leftover: 1},
		&ledger.RunInterrupted{Run: 1, Attempt: 1, Why: "w"},
		&ledger.BlockRerun{Case: "c", Block: 1, Attempt: 2, Why: "w"},
		&ledger.CaseStatus{Case: "c", Status: "contaminated", Why: "w"},
		&ledger.ServiceStarted{Service: "kv", Output: "services/01", PID: 7, Exec: "/x", Argv: []string{"x"}, Env: map[string]string{"A": ""}, Dir: "/", CPUs: "0", ReadyNS: 5},
		&ledger.ServiceEnded{Service: "kv", Asked: true, Exit: &exit, MaxRSSBytes: &size, Stdout: output, Stderr: output, Leftover: 1},
		&ledger.StepFinished{
			When: "after_each", Run: 1, Attempt: 1, Step: "ceiling", Name: "queue", WallNS: 5, Value: &three, Max: &three, Output: "steps/0001",
			Stdout: &output, Stderr: &output, Exit: &exit,
		},
		&ledger.LabelSealed{Name: "cells", Placement: placement, Why: "w"},
		&ledger.PhaseStopped{Why: "w", Exit: 130},
		&ledger.Note{Type: "erratum", Text: "t"},
		&ledger.Analysis{Path: "analyses/001.json", SHA256: digest, Command: []string{"phaselock"}, ExitVerdict: 5},
		&ledger.Resumed{Tool: "t", Host: host, Torn: 12, TornSHA256: digest, GapNS: 5, LeftIncomplete: []string{"c, block 2"}},
		&ledger.Closed{Finished: 1, Failed: 0, Host: host},
	}
	out := map[string]ledger.Body{}
	for _, b := range all {
		out[b.Kind()] = b
	}
	out["pin-verified, moved"] = &ledger.PinVerified{When: "after run 7", Files: 2, Moved: []string{"l"}}
	out["run-finished, no process"] = &ledger.RunFinished{Run: 1, Attempt: 1, Step: "before_each: …", Stdout: ledger.Output{}, Failure: "step", Message: "m"}
	out["step-finished, killed"] = &ledger.StepFinished{When: "before_phase", Step: "step", Name: "load", Failure: "f", Signal: &text, StartError: &text, TimedOut: true}
	out["step-finished, cluster"] = &ledger.StepFinished{When: "before_each", Run: 1, Attempt: 1, Step: "fdb.placement", Name: "cells", Placement: &placement, Output: "steps/0002", Document: &output}
	out["run-finished, killed"] = &ledger.RunFinished{Run: 1, Attempt: 2, Signal: &text, TimedOut: true, Stdout: output, Stderr: output, Failure: "timeout", Message: "m"}
	out["run-finished, not started"] = &ledger.RunFinished{Run: 1, Attempt: 1, StartError: &text, Failure: "start", Message: "m"}
	return out
}

// written returns the line that the ledger writes for an event.
func written(t testing.TB, b ledger.Body) []byte {
	t.Helper()
	dir := t.TempDir()
	w, err := ledger.Create(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Append(b); err != nil {
		t.Fatal(err)
	}
	return lines(t, dir)[0]
}

// Every kind of event has a branch of the schema with exactly its fields.
func TestLedgerSchemaHasEveryEvent(t *testing.T) {
	var doc struct {
		Properties map[string]struct{ Enum []string }
		AllOf      []struct {
			If struct {
				Properties struct{ Event struct{ Const string } }
			}
			Then struct {
				Ref string `json:"$ref"`
			}
		}
		Defs map[string]struct{ Properties map[string]json.RawMessage } `json:"$defs"`
	}
	decoded(t, &doc, schemas, "ledger.schema.json")
	branches := map[string]bool{}
	for _, b := range doc.AllOf {
		kind := b.If.Properties.Event.Const
		branches[kind] = true
		if b.Then.Ref != "#/$defs/"+kind {
			t.Errorf("event %q is held to %s", kind, b.Then.Ref)
		}
	}
	s := schema(t, "ledger")
	kinds := map[string]bool{}
	for name, b := range bodies() {
		kinds[b.Kind()] = true
		if err := validate(t, s, written(t, b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		compareFields(t, b.Kind(), doc.Defs[b.Kind()].Properties, reflect.TypeOf(b).Elem())
	}
	want := slices.Sorted(maps.Keys(kinds))
	if got := slices.Sorted(maps.Keys(branches)); !slices.Equal(got, want) {
		t.Errorf("the schema has branches for %v, Go has %v", got, want)
	}
	if got := slices.Sorted(slices.Values(doc.Properties["event"].Enum)); !slices.Equal(got, want) {
		t.Errorf("the schema names %v, Go has %v", got, want)
	}
	if declared := declaredEvents(t); !slices.Equal(declared, want) {
		t.Errorf("the package declares %v, these tests have %v", declared, want)
	}
}

func TestLedgerSchemaRefuses(t *testing.T) {
	s := schema(t, "ledger")
	line := func(name string) []byte { return written(t, bodies()[name]) }
	for name, changes := range map[string][]change{
		"opened": {
			{`"event":"opened"`, `"event":"begun"`},
			{`"plan_digest":"`, `"plan_digest":"x`},
			{`"kind":"binary"`, `"kind":"program file"`},
			{`"path":"bin/`, `"path":"/bin/`},
			{`"harness_cpus":"0"`, `"harness_cpus":"none"`},
			{`"seq":1`, `"seq":0`},
			{`"prev":"0`, `"prev":"`},
		},
		"pin-verified":              {{`"when":"opening"`, `"when":"sometimes"`}, {`"files":1`, `"files":1,"label":"l"`}},
		"pin-broken":                {{`"run":7`, `"run":0`}, {`"got":"it is gone"`, `"got":""`}},
		"service-started":           {{`services/01`, `services/../01`}, {`"argv":["x"]`, `"argv":[]`}},
		"service-ended":             {{`"exit":0`, `"exit":null`}, {`"asked":true`, `"asked":1`}},
		"step-finished":             {{`after_each`, `after`}, {`"step":"ceiling"`, `"step":"spin"`}, {`"value":3`, `"value":"3"`}, {`steps/0001`, `0001`}},
		"label-sealed":              {{`"colocated":0.5`, `"colocated":1.5`}},
		"run-finished, no process":  {{`"failure":"step"`, `"failure":"exit"`}},
		"run-started":               {{`"exec":"/x"`, `"exec":"x"`}, {`"total_bytes":9`, `"total":9`}, {`"argv":["x",""]`, `"argv":[]`}, {`Z","monotonic`, `+01:00","monotonic`}},
		"run-finished":              {{`"exit":0`, `"exit":256`}, {`"exit":0`, `"exit":null`}, {`"signal":null`, `"signal":"SIGSEGV"`}, {`"samples":3`, `"samples":0`}, {`"leftover":1`, `"leftover":1,"failure":"exit","message":"m"`}},
		"run-finished, killed":      {{`"failure":"timeout"`, `"failure":"slow"`}, {`"samples":0`, `"samples":1`}, {`,"message":"m"`, ``}},
		"run-finished, not started": {{`"failure":"start"`, `"failure":"exit"`}, {`"bytes":0`, `"bytes":1`}},
		"run-interrupted":           {{`,"why":"w"`, ``}},
		"block-rerun":               {{`"attempt":2`, `"attempt":1`}},
		"case-status":               {{`contaminated`, `measured`}},
		"phase-stopped":             {{`"exit":130`, `"exit":131`}},
		"note":                      {{`erratum`, `remark`}, {`"event":"note"`, `"event":"closed"`}},
		"analysis":                  {{`"registered":false`, `"registered":0`}},
		"resumed":                   {{`"torn_bytes":12`, `"torn_bytes":-1`}, {`"gap_ns":5`, `"gap_ns":0`}},
		"closed":                    {{`"finished":1`, `"finished":1.5`}},
	} {
		refuses(t, s, name, line(name), changes)
	}
}
