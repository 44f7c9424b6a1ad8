package campaign

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
)

// besideLab runs a phase of five cases, one after the other, with a service and a ceiling that is passed in the third.
func besideLab(t *testing.T) (string, *Outcome) {
	t.Helper()
	script := auditScript(t)
	p := *script.Plan.Phase
	one := p.Cases[0]
	p.Cases = nil
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		one.Name = name
		p.Cases = append(p.Cases, one)
	}
	p.Design.Nesting = protocol.NestCases
	shell := func(line string) protocol.Program {
		return protocol.Program{Argv: []protocol.Arg{{Text: "sh"}, {Text: "-c"}, {Text: line}}}
	}
	p.Services = []protocol.Service{{Name: "kv", Program: shell("echo up; exec sleep 100"), Grace: protocol.Duration(time.Second)}}
	most := 100.0
	// The third case has runs 17 to 24; a ceiling after the twentieth is in its middle.
	queue := shell(`case $HOME in */0020/home) echo 101;; *) echo 100;; esac`)
	p.AfterEach = []protocol.Step{{Kind: protocol.StepCeiling, Name: "queue", Program: &queue, Max: &most, Timeout: protocol.Duration(time.Minute)}}
	pl, err := plan.New(&p, script.Plan.ProtocolDigest)
	if err != nil {
		t.Fatal(err)
	}
	script.Plan = pl
	dir := filepath.Join(t.TempDir(), "results")
	o, err := Run(context.Background(), script, Options{Out: dir, Tool: "phaselock test"})
	if err != nil {
		t.Fatal(err)
	}
	return dir, o
}

// A ceiling that is passed in the third of five cases leaves two measured, one contaminated and two unexecuted, and is not gone on
// with.
func TestCeilingInTheThirdCaseOfFive(t *testing.T) {
	dir, o := besideLab(t)
	var got []string
	for i := range o.Folder.Result.Cases {
		c := &o.Folder.Result.Cases[i]
		got = append(got, c.Status)
		if c.Status != analysis.Measured {
			for j := range c.Metrics {
				for _, cmp := range c.Metrics[j].Comparisons {
					if cmp.Verdict != analysis.VerdictAbsent {
						t.Errorf("case %s is %s and has the verdict %s", c.Case, c.Status, cmp.Verdict)
					}
				}
			}
		}
	}
	want := []string{analysis.Measured, analysis.Measured, analysis.Contaminated, analysis.Unexecuted, analysis.Unexecuted}
	if !slices.Equal(got, want) || o.Code != ExitInvalid {
		t.Errorf("statuses %v, exit %d", got, o.Code)
	}
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Case `three` became contaminated during the runs: run 20: after_each: ceiling \"queue\": 101 is above 100.",
		"The phase was stopped before its last run: after_each: ceiling \"queue\": 101 is above 100, and on_ceiling is \"stop-phase\".",
	} {
		if !strings.Contains(string(report), want) {
			t.Errorf("the report does not say %q\n%s", want, report)
		}
	}
	r, err := Resume(context.Background(), dir, Options{})
	if err != nil || r.Code != ExitInvalid || !strings.HasPrefix(r.Done, "stopped, as the phase declares: after_each: ceiling") {
		t.Errorf("%+v, %v", r, err)
	}
}

// What services and steps wrote, and what ceilings made of cases, is audited.
func TestComparisonsOfServicesAndStepsAreNeeded(t *testing.T) {
	dir, _ := besideLab(t)
	a, err := RunAudit(dir, "")
	if err != nil || !a.Holds() {
		t.Fatalf("%+v, %v", a, err)
	}
	var others []string
	for _, c := range comparisons {
		if c.name != "output of services and steps" && c.name != "statuses of cases" {
			others = append(others, c.name)
		}
	}
	needed(t, dir, others...)
}
