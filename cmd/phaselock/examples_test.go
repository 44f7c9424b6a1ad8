package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/plan"
)

// projectRoot is the folder from which the docstrings of the examples say to run them.
const projectRoot = "../.."

// example is how one script of examples/ must end with --set quick=true. Only what is certain on every machine stands
// here: findings of every severity but note must all be named, and verdicts are of differences that no noise hides.
type example struct {
	script   string
	needs    []string                           // commands beside go
	prepare  func(t *testing.T) []string        // returns further arguments
	code     int                                // of run, and of analyze
	findings []string                           // ids that must be there
	never    []string                           // ids that must not
	verdicts map[string]string                  // "case arm unit" to verdict
	planned  int                                // phases of a script whose parts are run by themselves: it is planned only
	gates    map[string]string                  // "case arm unit" to verdict
	holds    func(*testing.T, *analysis.Result) // what else is certain
}

// everyNever are findings that no example may have but where its row names them: it did not run as declared, or does not measure what it says.
var everyNever = []string{
	"complete", "case-status", "constant", "pins", "affinity", "layout", "implausible", "shadowed-unit", "duplicate-name",
	"output", "undefined", "no-interval", "narrow-interval", "family-unreachable", "unbalanced", "leftover",
}

var examples = []example{
	{
		script:   "aa.star",
		findings: []string{"identical-arms", "control"},
	},
	{
		script: "commands.star", needs: []string{"gzip"},
		never:    []string{"identical-arms"},
		verdicts: map[string]string{"packages level-1 user-ns": "lower"},
	},
	{
		script: "gogc.star",
		never:  []string{"identical-arms"},
		verdicts: map[string]string{
			"replace-trees gogc-50 collections/op":  "higher",
			"replace-trees gogc-400 collections/op": "lower",
		},
		holds: func(t *testing.T, r *analysis.Result) {
			c := comparisons(r)
			small, large := c["replace-trees gogc-50 max-rss-bytes"].Estimate, c["replace-trees gogc-400 max-rss-bytes"].Estimate
			if small == nil || large == nil || *small >= *large {
				t.Errorf("peak memory against GOGC=100: %v at 50, %v at 400", small, large)
			}
		},
	},
	{
		script: "grid.star",
		never:  []string{"identical-arms"},
		verdicts: map[string]string{
			"string-found-keys64 scan ns/op":   "higher",
			"string-missing-keys64 scan ns/op": "higher",
		},
		holds: func(t *testing.T, r *analysis.Result) {
			var names []string
			for i := range r.Cases {
				names = append(names, r.Cases[i].Case)
			}
			want := []string{
				"int-found-keys4", "int-missing-keys4", "int-found-keys64", "int-missing-keys64",
				"string-found-keys4", "string-missing-keys4", "string-found-keys64", "string-missing-keys64",
			}
			if !slices.Equal(names, want) {
				t.Errorf("the cases are %q, want %q", names, want)
			}
		},
	},
	{
		script:   "jsonv2.star",
		never:    []string{"identical-arms"},
		verdicts: map[string]string{"decode jsonv2 allocs/op": "lower"},
	},
	{
		script:   "latency.star",
		never:    []string{"identical-arms"},
		verdicts: map[string]string{"1-KiB fresh p50-ns": "higher"},
	},
	{
		script:   "pgo.star",
		never:    []string{"identical-arms"},
		verdicts: map[string]string{"scan profiled allocs/op": "equal"},
	},
	{
		script:   "prefix.star",
		findings: []string{"prefix-confound"},
		never:    []string{"identical-arms", "client"},
		verdicts: map[string]string{"rows10-forward remote allocs/op": "lower"},
		holds: func(t *testing.T, r *analysis.Result) {
			c := comparisons(r)["rows10-forward remote ns/op"]
			if c.Matched == nil || len(c.Matched.Blocks) != 4 {
				t.Errorf("matched %+v, want the four of six blocks without a short prefix", c.Matched)
			}
			servedBy(t, r, "embedded", "ordinary", "remote")
		},
	},
	{
		script:   "prefix_controlled.star",
		never:    []string{"identical-arms", "client", "prefix-confound"},
		verdicts: map[string]string{"manual remote allocs/op": "lower", "seeded remote allocs/op": "lower"},
		holds:    func(t *testing.T, r *analysis.Result) { servedBy(t, r, "embedded", "ordinary", "remote") },
	},
	{
		script:   "campaign/c2.star",
		findings: []string{"narrow-interval"}, // as published: six blocks, and a percentile interval
		never:    []string{"identical-arms", "client", "prefix-confound"},
		verdicts: map[string]string{ // requests, which nothing disturbs, and what a hundred of them cost
			"reverse-small-1000 remote allocs/op": "lower", "reverse-small-1000 remote ns/op": "lower",
			"skip3-rows10 remote allocs/op": "lower", "skip3-rows10-reverse remote allocs/op": "lower", "skip3-rows1000 remote allocs/op": "lower",
		},
		holds: func(t *testing.T, r *analysis.Result) { servedBy(t, r, "kvserve-grpc", "ordinary", "remote") },
	},
	{
		script: "campaign/m1.star",
		never:  []string{"identical-arms", "client"},
		holds: func(t *testing.T, r *analysis.Result) {
			servedBy(t, r, "kvserve-frame", "frame")
			servedBy(t, r, "kvserve-grpc", "grpc")
			if len(r.Cases) != 7 {
				t.Errorf("%d workloads, want 7", len(r.Cases))
			}
		},
	},
	{
		script: "campaign/m2.star",
		never:  []string{"identical-arms", "client", "prefix-confound"},
		holds:  func(t *testing.T, r *analysis.Result) { servedBy(t, r, "kvserve-grpc", "ordinary", "remote") },
	},
	{script: "campaign/campaign.star", planned: 8},
	{
		script:   "campaign/d2.star",
		findings: []string{"prefix-confound", "narrow-interval"}, // as published: six blocks, and a percentile interval
		never:    []string{"identical-arms", "client"},
		holds: func(t *testing.T, r *analysis.Result) {
			servedBy(t, r, "embedded", "ordinary", "remote")
			if len(r.Clients) == 1 && r.Clients[0].Facts["engine"] != "sqlite-vtab" {
				t.Errorf("engine %q", r.Clients[0].Facts["engine"])
			}
		},
	},
	{
		script: "quickstart.star",
		never:  []string{"identical-arms", "control"},
		verdicts: map[string]string{ // counts, which nothing disturbs
			"rows-1000 sortfunc allocs/op":  "lower",
			"rows-10000 sortfunc allocs/op": "lower",
		},
	},
	{
		script: "refs.star", needs: []string{"git", "sh"},
		prepare:  func(t *testing.T) []string { return []string{"--set", "repo=" + madeRepo(t)} },
		code:     campaign.ExitGate,
		findings: []string{"zero-variance"},
		never:    []string{"identical-arms"},
		verdicts: map[string]string{"twelve-tags after allocs/op": "higher", "twelve-tags after ns/op": "higher"},
		gates:    map[string]string{"twelve-tags after allocs/op": "fail"},
		holds: func(t *testing.T, r *analysis.Result) {
			c := comparisons(r)["twelve-tags after allocs/op"]
			if c.Estimate == nil || *c.Estimate != 3 || c.Estimand != plan.BlockDifference {
				t.Errorf("allocs/op: %+v, want a difference of 3", c)
			}
		},
	},
}

// servedBy holds a result to have been served by one client, in these arms.
func servedBy(t *testing.T, r *analysis.Result, client string, arms ...string) {
	t.Helper()
	for _, c := range r.Clients {
		if c.Client == client && slices.Equal(c.Arms, arms) {
			return
		}
	}
	t.Errorf("the clients are %+v, want %s of %q", r.Clients, client, arms)
}

// TestExamples runs every example, one after the other, as its docstring says, and holds it to its row.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("the examples measure for a minute")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the examples pin their processes, which is done on Linux only")
	}
	for _, script := range scripts(t) {
		i := slices.IndexFunc(examples, func(e example) bool { return e.script == script })
		if i < 0 {
			t.Errorf("examples/%s has no row that says how it must end", script)
			continue
		}
		t.Run(script, func(t *testing.T) { examples[i].run(t) })
	}
}

// TestEveryRowHasItsExample needs no measuring.
func TestEveryRowHasItsExample(t *testing.T) {
	there := scripts(t)
	for _, e := range examples {
		if !slices.Contains(there, e.script) {
			t.Errorf("there is no examples/%s", e.script)
		}
	}
	for _, s := range there {
		if !slices.ContainsFunc(examples, func(e example) bool { return e.script == s }) {
			t.Errorf("examples/%s has no row that says how it must end", s)
		}
	}
}

// scripts returns the names of the examples: what others load (x_phase.star) and what tests scripts (x_test.star) is none.
func scripts(t *testing.T) []string {
	t.Helper()
	examples := filepath.Join(projectRoot, "examples")
	files, err := filepath.Glob(filepath.Join(examples, "*.star"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	campaigns, err := filepath.Glob(filepath.Join(examples, "campaign", "*.star"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range append(files, campaigns...) {
		name, err := filepath.Rel(examples, f)
		if err != nil {
			t.Fatal(err)
		}
		if name = filepath.ToSlash(name); !strings.HasSuffix(name, "_test.star") && !strings.HasSuffix(name, "_phase.star") && name != "campaign/store.star" {
			names = append(names, name)
		}
	}
	return names
}

func (e *example) run(t *testing.T) {
	for _, command := range e.needs {
		needs(t, command)
	}
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"run", "examples/" + e.script, "--set", "quick=true", "--out", out, "--quiet"}
	if e.prepare != nil {
		args = append(args, e.prepare(t)...)
	}
	if e.planned > 0 {
		text, _ := exitsWith(t, projectRoot, e.code, "plan", "examples/"+e.script)
		if got := strings.Count(text, "\nphase "); got != e.planned {
			t.Errorf("%d phases are planned, want %d", got, e.planned)
		}
		return
	}
	screen, _ := exitsWith(t, projectRoot, e.code, args...)
	phases, err := campaign.Phases(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range phases {
		e.phase(t, dir, screen)
	}
}

// phase holds the result folder of one phase of the example.
func (e *example) phase(t *testing.T, out, screen string) {
	want, err := os.ReadFile(filepath.Join(out, "analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r analysis.Result
	if err := json.Unmarshal(want, &r); err != nil {
		t.Fatal(err)
	}
	e.hold(t, &r)
	if t.Failed() {
		t.Log(screen)
	}
	if got, _ := exitsWith(t, projectRoot, e.code, "analyze", out, "--format", "json"); got != string(want) {
		t.Error("analyze does not give analysis.json byte for byte")
	}
	audit := []string{"audit", out}
	if e.script == "quickstart.star" {
		audit = append(audit, "--self-test")
	}
	if said, _ := exitsWith(t, projectRoot, 0, audit...); !strings.Contains(said, "holds, unanchored") {
		t.Errorf("the audit: %s", said)
	}
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := exitsWith(t, projectRoot, campaign.ExitOK, "report", out); got != string(report) {
		t.Error("report does not give report.md byte for byte")
	}
	e.flat(t, out)
	t.Run("replicate", func(t *testing.T) {
		needs(t, "python3")
		c := exec.Command("python3", "-S", "-E", "docs/replicate.py", out)
		c.Dir = projectRoot
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("replicate.py: %v\n%s", err, said)
		}
	})
}

// flat holds the flat form in the folder to what it promises: evaluated again, it is the same phase. Evaluation is pure,
// so that it needs none of the files that the phase names.
func (e *example) flat(t *testing.T, out string) {
	want, err := os.ReadFile(filepath.Join(out, "protocol.star"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := exitsWith(t, out, campaign.ExitOK, "plan", "protocol.star", "--flat"); got != string(want) {
		t.Errorf("the flat form of the flat form is another:\n%s", got)
	}
}

// hold holds a result to the row.
func (e *example) hold(t *testing.T, r *analysis.Result) {
	t.Helper()
	there := map[string]bool{}
	for _, f := range r.Findings {
		there[f.ID] = true
		if f.Severity != plan.Note && !slices.Contains(e.findings, f.ID) {
			t.Errorf("%s %s: %s", f.Severity, f.ID, f.Message)
		}
	}
	for _, id := range e.findings {
		if !there[id] {
			t.Errorf("the finding %s is not there", id)
		}
	}
	for _, id := range slices.Concat(everyNever, e.never) {
		if there[id] && !slices.Contains(e.findings, id) {
			t.Errorf("the finding %s is there", id)
		}
	}
	if c := r.Completeness; c.ProcessesFinished != c.ProcessesPlanned || c.Samples != c.SamplesPlanned || c.Samples == 0 {
		t.Errorf("%d of %d processes, %d of %d samples", c.ProcessesFinished, c.ProcessesPlanned, c.Samples, c.SamplesPlanned)
	}
	all := comparisons(r)
	for key, want := range e.verdicts {
		if c, ok := all[key]; !ok || c.Verdict != want {
			t.Errorf("%s: verdict %q (compared: %t), want %q", key, c.Verdict, ok, want)
		}
	}
	gates := map[string]string{}
	for _, g := range r.Gates {
		gates[fmt.Sprintf("%s %s %s", g.Case, g.Arm, g.Metric)] = g.Verdict
	}
	if len(gates) != len(e.gates) {
		t.Errorf("the gates are %v, want %v", gates, e.gates)
	}
	for key, want := range e.gates {
		if gates[key] != want {
			t.Errorf("gate %s: %q, want %q", key, gates[key], want)
		}
	}
	if e.holds != nil {
		e.holds(t, r)
	}
}

// comparisons returns every comparison by "case arm unit".
func comparisons(r *analysis.Result) map[string]analysis.Comparison {
	out := map[string]analysis.Comparison{}
	for _, c := range r.Cases {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				out[fmt.Sprintf("%s %s %s", c.Case, k.Arm, m.Unit)] = k
			}
		}
	}
	return out
}

// needs leaves a test out where a command is missing; where CI is true it must be there.
func needs(t *testing.T, command string) {
	t.Helper()
	_, err := exec.LookPath(command)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not here, and CI is true", command)
	default:
		t.Skipf("%s is not here", command)
	}
}
