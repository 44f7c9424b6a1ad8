package sample_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/sample"
)

func TestExpectations(t *testing.T) {
	five, nine := 5.0, 9.0
	for _, tt := range []struct {
		name   string
		expect plan.Expect
		parts  []string // nil: it holds
	}{
		{"stdout matches", plan.Expect{Kind: plan.ExpectStdout, Matches: `(?m)^BenchmarkA-2 \d+`}, nil},
		{"stdout does not match", plan.Expect{Kind: plan.ExpectStdout, Matches: "^checksum"}, []string{"runs/0007/stdout: nothing in it matches", "^checksum"}},
		{"stdout digest", plan.Expect{Kind: plan.ExpectStdout, SHA256: "c8e7ce4f2d0b2b0e5b0e5a9b6cb4ddbd3e5cbbd1a63f6dd32c4d3aaf4d31e0f1"}, []string{"its SHA-256 is", "is expected"}},
		{"metric equals", plan.Expect{Kind: plan.ExpectMetric, Unit: "ns/op", Equals: &five}, nil},
		{"metric does not equal", plan.Expect{Kind: plan.ExpectMetric, Unit: "ns/op", Equals: &nine}, []string{"repeat 1 has 5 ns/op, and 9 is expected"}},
		{"metric differs in one repeat", plan.Expect{Kind: plan.ExpectMetric, Unit: "n", Equals: &five}, []string{"repeat 2 has 6 n, and 5 is expected"}},
		{"metric missing", plan.Expect{Kind: plan.ExpectMetric, Unit: "rows/op", Equals: &five}, []string{"repeat 1 has no rows/op"}},
		{"whole process", plan.Expect{Kind: plan.ExpectMetric, Unit: "minor-faults", Equals: &five}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.expect.At = expectAt
			g := given{
				units: []string{"ns/op", "minor-faults"}, repeats: 2, outcome: measured(), expect: []plan.Expect{tt.expect},
				stdout: "BenchmarkA-2 100 5 ns/op 5 n\nBenchmarkA-2 100 5 ns/op 6 n\n",
			}
			if tt.parts == nil {
				g.gives(t)
				return
			}
			if p := g.fails(t, sample.FailExpect, tt.parts...); p.Failure.At != "p.star:30:5" {
				t.Errorf("at %q, want the expectation's place", p.Failure.At)
			}
		})
	}
	// printf hello | sha256sum
	digest := []plan.Expect{{Kind: plan.ExpectStdout, SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}
	given{format: plan.FormatNone, units: []string{"wall-ns"}, outcome: measured(), expect: digest, stdout: "hello"}.gives(t)
	given{format: plan.FormatNone, units: []string{"wall-ns"}, outcome: measured(), expect: digest, stdout: "hello\n"}.fails(t, sample.FailExpect)
}

func audit(name string, perRepeat int, where ...plan.Parameter) plan.Expect {
	return plan.Expect{Kind: plan.ExpectAudit, Name: name, PerRepeat: perRepeat, Where: where, At: expectAt}
}

func is(name string, v any) plan.Parameter {
	return plan.Parameter{Name: name, Value: plan.Value{V: v}}
}

func TestAudits(t *testing.T) {
	const line = `{"audit": "path", "method": "REMOTE", "rows": 1000}` + "\n"
	method := is("method", "REMOTE")
	for _, tt := range []struct {
		name   string
		expect []plan.Expect
		audit  string
		passed int // of "path"
		want   int
		kind   string
		parts  []string
	}{
		{"as declared", []plan.Expect{audit("path", 2, method)}, line + line + line + line, 4, 4, "", nil},
		{"other names are passed over", []plan.Expect{audit("path", 1)}, line + `{"audit": "other"}` + "\n\n" + line, 2, 2, "", nil},
		{"nothing written", []plan.Expect{audit("path", 1)}, "", 0, 2, sample.FailExpect, []string{`runs/0007/audit: 0 of 2 lines of audit "path" (1 for each of 2 repeats)`, "PHASELOCK_AUDIT"}},
		{"one missing", []plan.Expect{audit("path", 1)}, line, 1, 2, sample.FailExpect, []string{"1 of 2 lines"}},
		{"one too many", []plan.Expect{audit("path", 1)}, line + line + line, 3, 2, sample.FailExpect, []string{"3 of 2 lines"}},
		{"another value", []plan.Expect{audit("path", 1, is("method", "LOCAL"))}, line + line, 0, 2, sample.FailExpect, []string{"runs/0007/audit:1:", `field "method" is "REMOTE", and "LOCAL" is expected`}},
		{"no such field", []plan.Expect{audit("path", 1, is("shard", int64(1)))}, line + line, 0, 2, sample.FailExpect, []string{`field "shard" is not there, and 1 is expected`}},
		{"torn", []plan.Expect{audit("path", 1)}, line + line[:20], 1, 2, sample.FailParse, []string{"runs/0007/audit:2:", "does not end"}},
		{"no last newline", []plan.Expect{audit("path", 1)}, line + strings.TrimSpace(line), 2, 2, sample.FailParse, []string{"runs/0007/audit:2:", "no newline: it was torn"}},
		{"no JSON", []plan.Expect{audit("path", 1)}, "path REMOTE\n", 0, 2, sample.FailParse, []string{"audit:1:", "want {\"audit\": name"}},
		{"no name", []plan.Expect{audit("path", 1)}, `{"name": "path"}` + "\n", 0, 2, sample.FailParse, []string{`no field "audit"`}},
		{
			"two expectations of one name",
			[]plan.Expect{audit("path", 1, is("side", "before")), audit("path", 1, is("side", "after"))},
			strings.Repeat(`{"audit": "path", "side": "before"}`+"\n"+`{"audit": "path", "side": "after"}`+"\n", 2), 4, 4, "", nil,
		},
		{
			"one of two expectations",
			[]plan.Expect{audit("path", 1, is("side", "before")), audit("path", 1, is("side", "after"))},
			strings.Repeat(`{"audit": "path", "side": "before"}`+"\n", 4), 4, 4, sample.FailExpect,
			[]string{"4 of 2 lines"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := given{units: []string{"ns/op"}, repeats: 2, expect: tt.expect, stdout: row + row, audit: tt.audit}
			p := g.read(t)
			if c := p.Audits["path"]; c.Passed != tt.passed || c.Expected != tt.want {
				t.Errorf("%+v, want %d of %d", c, tt.passed, tt.want)
			}
			if tt.kind != "" {
				g.fails(t, tt.kind, tt.parts...)
			} else if p.Failure != nil {
				t.Error(p.Failure)
			}
		})
	}
}

// Audits are counted for a process that failed, and its own failure is the one that is told.
func TestAuditsOfFailedProcess(t *testing.T) {
	p := given{units: []string{"ns/op"}, expect: []plan.Expect{audit("path", 2)}, outcome: exited(3), audit: `{"audit": "path"}` + "\n{"}.read(t)
	if p.Failure == nil || p.Failure.Kind != sample.FailExit || p.Audits["path"] != (sample.AuditCount{Expected: 2, Passed: 1}) {
		t.Errorf("%+v, %+v", p.Failure, p.Audits)
	}
}

func TestAuditValues(t *testing.T) {
	huge, ok := new(big.Int).SetString("123456789012345678901234567890", 10)
	if !ok {
		t.Fatal("no number")
	}
	for _, tt := range []struct {
		want any
		json string
		ok   bool
	}{
		{nil, "null", true},
		{nil, "0", false},
		{true, "true", true},
		{true, "false", false},
		{true, "1", false},
		{"a", `"a"`, true},
		{"a", `"b"`, false},
		{"1", "1", false},
		{int64(1000), "1e3", true},
		{int64(1000), "1000.0", true},
		{int64(1000), "1000.0000000000000000001", false},
		{int64(1), "true", false},
		{int64(0), "0", true},
		{int64(0), "-0.0", true},
		{int64(0), "1e-999999999", true},
		{int64(1), "1e-999999999", false},
		{int64(1), "1e999999999", false},
		{huge, "123456789012345678901234567890", true},
		{huge, "123456789012345678901234567891", false},
		{0.5, "0.5", true},
		{0.5, "5e-1", true},
		{0.5, "0.51", false},
		{0.5, `"0.5"`, false},
		{plan.FileRef("bin/x"), `"bin/x"`, true},
		{plan.List{{V: int64(1)}, {V: "a"}}, `[1, "a"]`, true},
		{plan.List{{V: int64(1)}}, `[1, 2]`, false},
		{plan.List{{V: int64(1)}}, `[2]`, false},
		{plan.Tuple{{V: true}}, `[true]`, true},
		{plan.List{}, `{}`, false},
		{plan.Dict{{Key: plan.Value{V: "k"}, Value: plan.Value{V: int64(1)}}}, `{"k": 1}`, true},
		{plan.Dict{{Key: plan.Value{V: "k"}, Value: plan.Value{V: int64(1)}}}, `{"k": 2}`, false},
		{plan.Dict{{Key: plan.Value{V: "k"}, Value: plan.Value{V: int64(1)}}}, `{"l": 1}`, false},
		{plan.Dict{{Key: plan.Value{V: int64(1)}, Value: plan.Value{V: int64(1)}}}, `{"1": 1}`, false},
	} {
		p := given{units: []string{"ns/op"}, stdout: row, expect: []plan.Expect{audit("a", 1, is("v", tt.want))}, audit: `{"audit": "a", "v": ` + tt.json + "}\n"}.read(t)
		if got := p.Failure == nil; got != tt.ok {
			t.Errorf("%v against %s: %v, want %v (%+v)", tt.want, tt.json, got, tt.ok, p.Failure)
		}
	}
}
