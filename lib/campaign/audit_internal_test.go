package campaign

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/seal"
)

// auditLab runs a phase, cuts its ledger within a line, resumes it, and adds an exploratory analysis: a folder that has everything that
// is audited but a seal and a signed head.
func auditLab(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "results")
	if _, err := Run(context.Background(), auditScript(t), Options{Out: dir, Tool: "phaselock test"}); err != nil {
		t.Fatal(err)
	}
	cutInRun6(t, dir)
	if _, err := Resume(context.Background(), dir, Options{Tool: "phaselock test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Explore(dir, Exploration{Level: 0.9}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cutInRun6 cuts the ledger within the line that says how run 6 ended, as a power cut would.
func cutInRun6(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, ledger.Name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:strings.Index(string(data), `,"run":6,"attempt":1,"exit"`)], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ledger.LockName), []byte("pid 1 since 2026-10-14T10:15:00Z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []string{"0007", "0008"} {
		if err := os.RemoveAll(filepath.Join(dir, "runs", lost)); err != nil {
			t.Fatal(err)
		}
	}
}

// auditScript is a phase of two arms and four blocks whose processes write audit lines and to standard error.
func auditScript(t *testing.T) Script {
	t.Helper()
	shell := func(line string) protocol.Command {
		args := make([]protocol.Arg, 3)
		for i, w := range []string{"sh", "-c", line} {
			args[i].Text = w
		}
		return protocol.Command{Argv: args, Format: protocol.FormatJSON}
	}
	const flat = "phase(…)\n"
	const line = `echo note >&2; echo '{"audit": "path"}' >> "$PHASELOCK_AUDIT"; echo '{"x/op": `
	pl, err := plan.New(&protocol.Phase{
		Name: "audited", Question: "Does it hold?", Baseline: "a",
		Arms:      []protocol.Arm{{Name: "a"}, {Name: "b"}},
		Contrasts: []protocol.Contrast{{Arm: "b", Base: "a"}},
		Cases: []protocol.Case{{Name: "only", Arms: []string{"a", "b"}, Commands: map[string]protocol.Command{
			"a": shell(line + `7.5}'`), "b": shell(line + `8.5}'`),
		}}},
		Design:  protocol.Design{Kind: protocol.DesignCounterbalanced, Blocks: 4, Seed: 7, Nesting: protocol.NestBlocks, Order: protocol.OrderCase},
		Repeats: 1,
		Metrics: []protocol.Metric{
			{Unit: "x/op", Role: protocol.RoleMetric, Better: "lower"}, {Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"},
		},
		Estimand:  protocol.Estimand{Kind: protocol.BlockRatio, Interval: protocol.Interval{Kind: protocol.StudentT, Level: 0.95}},
		Process:   protocol.Process{Timeout: protocol.Duration(time.Minute), Pad: true},
		Expect:    []protocol.Expect{{Kind: protocol.ExpectAudit, Name: "path", PerRepeat: 1}},
		OnFailure: "continue", OnCeiling: "stop-phase", Interrupted: "rerun-block",
	}, fmt.Sprintf("%x", sha256.Sum256([]byte(flat))))
	if err != nil {
		t.Fatal(err)
	}
	return Script{
		Plan: pl, Root: t.TempDir(), Flat: []byte(flat),
		Entry: "//audited.star", Sources: []Source{{Label: "//audited.star", Bytes: []byte("# audited\n")}},
	}
}

// The audit of a folder holds, its self-test finds every change, and with any one comparison left out the self-test misses one.
func TestEveryComparisonIsNeeded(t *testing.T) {
	dir := auditLab(t)
	a, err := RunAudit(dir, "")
	if err != nil || !a.Holds() || a.Anchor != "" || len(a.Comparisons) != len(comparisons) {
		t.Fatalf("%+v, %v", a, err)
	}
	needed(t, dir, "seal", "signed head", "output of services and steps", "statuses of cases") // this folder has none
}

// The same of a folder that is sealed and signed.
func TestSealAndHeadAreNeeded(t *testing.T) {
	script := auditScript(t)
	text, err := Seal(context.Background(), []Script{script}, Options{Tool: "phaselock test"})
	if err != nil {
		t.Fatal(err)
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := seal.LoadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "results")
	sealed := &Sealed{Name: "audited.seal", Seal: text, Text: text.Text()}
	if _, err := Run(context.Background(), script, Options{Out: dir, Tool: "phaselock test", Sealed: sealed, Key: key}); err != nil {
		t.Fatal(err)
	}
	a, err := RunAudit(dir, "")
	if err != nil || !a.Holds() || a.Anchor == "" {
		t.Fatalf("%+v, %v", a, err)
	}
	var others []string // an event changed in a signed ledger is found by the head, whatever else finds it
	for _, c := range comparisons {
		if c.name != "signed head" {
			others = append(others, c.name)
		}
	}
	needed(t, dir, others...)
	if err := os.Remove(filepath.Join(dir, headName+SignatureSuffix)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, headName)); err != nil {
		t.Fatal(err)
	}
	if f, err := Analyze(dir); err != nil {
		t.Fatal(err)
	} else if data, err := f.Report(); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(filepath.Join(dir, "report.md"), data, 0o644); err != nil { // it said who signed
		t.Fatal(err)
	}
	needed(t, dir, slices.DeleteFunc(append(others, "signed head"), func(name string) bool { return name == "seal" })...)
	r, err := Resume(context.Background(), dir, Options{})
	if err != nil || r.Done != "complete, seal verified" || r.Code != ExitOK {
		t.Errorf("%+v, %v", r, err)
	}
}

// needed holds every comparison but some to this: with it left out, the self-test of the folder misses a change.
func needed(t *testing.T, dir string, but ...string) {
	t.Helper()
	whole, err := RunSelfTest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if missed := whole.Missed(); len(missed) > 0 {
		t.Fatalf("not found: %q", missed)
	}
	for i, c := range comparisons {
		if slices.Contains(but, c.name) {
			continue
		}
		s, err := selfTest(dir, slices.Delete(slices.Clone(comparisons), i, i+1))
		if err != nil {
			t.Fatalf("without %s: %v", c.name, err)
		}
		if len(s.Missed()) == 0 {
			t.Errorf("without the comparison of %s the self-test finds everything: it proves nothing of it", c.name)
		}
	}
}

// A folder that was rewritten as a whole, consistently, holds by itself, and not against a head that was kept elsewhere.
func TestConsistentForgery(t *testing.T) {
	dir := auditLab(t)
	before, err := RunAudit(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := RunAudit(dir, before.Head); err != nil || !a.Holds() || a.Anchor == "" {
		t.Fatalf("%+v, %v", a, err)
	}
	f, err := newAudited(dir)
	if err != nil {
		t.Fatal(err)
	}
	last := f.finished()[len(f.finished())-1]
	path := f.outputPath(last, "stdout")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := otherDigit(data, strings.LastIndexAny(string(data), "0123456789"))
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	digest := fmt.Sprintf("%x", sha256.Sum256(changed))
	e, err := (&forger{audited: f, scratch: t.TempDir()}).forged(func(b ledger.Body) bool {
		r, ok := b.(*ledger.RunFinished)
		if ok = ok && r.Run == last.Run && r.Attempt == last.Attempt; ok {
			r.Stdout.SHA256 = digest
		}
		return ok
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.apply(dir); err != nil {
		t.Fatal(err)
	}
	if a, err := RunAudit(dir, ""); err != nil || !a.Holds() || a.Anchor != "" {
		t.Errorf("the forgery is not consistent: %+v, %v", a, err)
	}
	if a, err := RunAudit(dir, before.Head); err != nil || a.Holds() || a.Differences[0].Comparison != "head" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := RunAudit(dir, f.Log.Entries[3].Prev); err != nil || a.Holds() {
		t.Errorf("a head before the last run is no anchor: %+v, %v", a, err)
	}
}

// Differences name the file, the run and the field.
func TestAuditNamesWhatDiffers(t *testing.T) {
	dir := auditLab(t)
	for name, c := range map[string]struct{ file, from, to, want string }{
		"a sample":  {"metrics.csv", ",7.5,", ",7.4,", `metrics.csv: metrics.csv:2: run 1: repeat 1: column x/op: has "7.4", should have "7.5"`},
		"a number":  {"analysis.json", `"level": 0.95`, `"level": 0.9`, "analysis.json: analysis.json: cases[0].metrics[0].comparisons[0].interval.level: has 0.9, should have 0.95"},
		"a process": {"analysis.json", `"arm": "b"`, `"arm": "a"`, `arm: has "a", should have "b"`},
		"a line":    {"report.md", "Does it hold?", "Did it hold?", "report.md: report.md:"},
		"a run":     {"runs/0003/stdout", "5}", "6}", "raw output: runs/0003/stdout: run 3: SHA-256: has "},
		"a fact":    {"host.json", `"os": "`, `"os": "not`, "host: host.json: after.os: has"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}()
			if err := os.WriteFile(path, []byte(strings.Replace(string(data), c.from, c.to, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			a, err := RunAudit(dir, "")
			if err != nil || a.Holds() {
				t.Fatalf("%+v, %v", a, err)
			}
			d := a.Differences[0]
			if got := d.Comparison + ": " + d.String(); !strings.Contains(got, c.want) {
				t.Errorf("%s", got)
			}
		})
	}
}
