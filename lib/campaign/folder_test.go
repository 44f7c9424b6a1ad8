package campaign_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/protocol"
)

// measured is a phase whose whole-process figures differ from run to run, so that no two analyses agree by chance.
func measured(blocks int) *protocol.Phase {
	p := phase(blocks, prints, prints)
	p.Metrics = append(p.Metrics, protocol.Metric{Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"})
	return p
}

// copyFolder copies a result folder except what skip names.
func copyFolder(t testing.TB, dir string, skip ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "elsewhere", "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range skip {
		if err := os.RemoveAll(filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// rewritten copies a folder with its events changed, under a chain that holds.
func rewritten(t testing.TB, dir string, edit func([]ledger.Body) []ledger.Body) string {
	t.Helper()
	log, err := ledger.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []ledger.Body
	for _, e := range log.Entries {
		bodies = append(bodies, e.Body)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	w, err := ledger.Create(fresh, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range edit(bodies) {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	to := copyFolder(t, dir, ledger.Name)
	for _, name := range []string{ledger.Name, "lock"} { // the lock file says how the ledger was closed
		write(t, read(t, fresh, name), 0o644, to, name)
	}
	return to
}

// altered returns an edit of the first event of a type.
func altered[B ledger.Body](alter func(B)) func([]ledger.Body) []ledger.Body {
	return func(all []ledger.Body) []ledger.Body {
		for _, b := range all {
			if b, ok := b.(B); ok {
				alter(b)
				break
			}
		}
		return all
	}
}

// without leaves out the first event of a type.
func without[B ledger.Body](all []ledger.Body) []ledger.Body {
	for i, b := range all {
		if _, ok := b.(B); ok {
			return append(all[:i:i], all[i+1:]...)
		}
	}
	return all
}

// The same bytes come from the folder, from a copy of it elsewhere without its binaries, and stand in it already.
func TestAnalysisIsTheSameAnywhere(t *testing.T) {
	for name, s := range map[string]campaign.Script{
		"everything": everything(t), "measured": script(t, measured(6)), "a failing arm": script(t, phase(3, prints, "exit 1")),
	} {
		dir, _ := run(t, s)
		stored := map[string][]byte{}
		for _, file := range []string{"analysis.json", "metrics.csv", "report.md"} {
			stored[file] = read(t, dir, file)
		}
		if d := cmp.Diff(stored, analysisOf(t, dir)); d != "" {
			t.Errorf("%s: analysed again: %s", name, d)
		}
		bare := copyFolder(t, dir, "bin", "phase", "host.json", "protocol.star", "lock", "analysis.json", "metrics.csv", "report.md")
		if err := os.Rename(dir, dir+".moved"); err != nil { // nothing may be read from where it was
			t.Fatal(err)
		}
		if d := cmp.Diff(stored, analysisOf(t, bare)); d != "" {
			t.Errorf("%s: a bare copy: %s", name, d)
		}
	}
}

// Analyze writes nothing.
func TestAnalyzeLeavesTheFolderAsItIs(t *testing.T) {
	dir, _ := run(t, script(t, measured(2)))
	before := contents(t, dir)
	analysisOf(t, dir)
	if d := cmp.Diff(before, contents(t, dir)); d != "" {
		t.Error(d)
	}
}

func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[path] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLoadRefusesWhatDoesNotFit(t *testing.T) {
	dir, _ := run(t, script(t, phase(2, prints, prints)))
	spoilt := func(spoil func(dir string)) func() string {
		return func() string {
			to := copyFolder(t, dir)
			spoil(to)
			return to
		}
	}
	edited := func(edit func([]ledger.Body) []ledger.Body) func() string {
		return func() string { return rewritten(t, dir, edit) }
	}
	replaced := func(from, to string, path ...string) func() string {
		return spoilt(func(dir string) {
			file := filepath.Join(append([]string{dir}, path...)...)
			data := read(t, file)
			changed := bytes.Replace(data, []byte(from), []byte(to), 1)
			if bytes.Equal(data, changed) {
				t.Fatalf("%s has no %s", file, from)
			}
			write(t, changed, 0o644, file)
		})
	}
	removed := func(name string) func() string {
		return spoilt(func(dir string) { os.RemoveAll(filepath.Join(dir, name)) })
	}
	for name, c := range map[string]struct {
		folder func() string
		code   int
		want   string
	}{
		"nothing there":    {func() string { return filepath.Join(dir, "none") }, campaign.ExitUsage, "is no result folder: there is no plan.json in it"},
		"a file":           {func() string { return filepath.Join(dir, "plan.json") }, campaign.ExitUsage, "is no result folder"},
		"no plan":          {removed("plan.json"), campaign.ExitUsage, "is no result folder"},
		"a changed run":    {replaced(`"block": 2`, `"block": 1`, "plan.json"), campaign.ExitInvalid, "the file was changed"},
		"a plan cut short": {spoilt(func(d string) { write(t, []byte(`{"version": 1,`), 0o644, d, "plan.json") }), campaign.ExitInvalid, "plan.json"},
		"no ledger":        {removed(ledger.Name), campaign.ExitInvalid, ledger.Name},
		"a ledger cut short": {spoilt(func(d string) {
			write(t, append(bytes.Join(lines(t, d)[:4], []byte("\n")), '\n'), 0o644, d, ledger.Name)
		}), campaign.ExitInvalid, "the ledger has lost its last lines, 8 of them, since it was closed"},
		"an empty ledger": {spoilt(func(d string) {
			write(t, nil, 0o644, d, ledger.Name)
			os.Remove(filepath.Join(d, "lock"))
		}), campaign.ExitInvalid, "the ledger is empty: nothing was run"},
		"a changed line":       {replaced(`"wall_ns":`, `"wall_ns":1`, ledger.Name), campaign.ExitInvalid, "ledger.jsonl:"},
		"another plan":         {edited(altered(func(o *ledger.Opened) { o.PlanDigest = strings.Repeat("0", 64) })), campaign.ExitInvalid, "the ledger was opened for 0000"},
		"another beginning":    {edited(without[*ledger.Opened]), campaign.ExitInvalid, `the ledger begins with "pin-verified" instead of "opened"`},
		"a changed output":     {replaced("7", "8", "runs", "0001", "stdout"), campaign.ExitInvalid, "run 1: its stdout has 12 bytes"},
		"a longer output":      {replaced("7", "77", "runs", "0003", "stdout"), campaign.ExitInvalid, "run 3: its stdout has 13 bytes"},
		"an error output":      {spoilt(func(d string) { write(t, []byte("x"), 0o644, d, "runs", "0002", "stderr") }), campaign.ExitInvalid, "run 2: its stderr has 1 bytes"},
		"no outputs":           {removed("runs"), campaign.ExitInvalid, "run 1: its stdout cannot be read"},
		"an output missing":    {removed("runs/0004/stdout"), campaign.ExitInvalid, "run 4: its stdout cannot be read"},
		"another sample count": {edited(altered(func(r *ledger.RunFinished) { r.Samples = 2 })), campaign.ExitInvalid, "run 1: its output gives 1 samples, the ledger says 2"},
		"a run too far":        {edited(altered(func(r *ledger.RunStarted) { r.Run = 5 })), campaign.ExitInvalid, "ledger.jsonl:3: run 5 is not in the plan of 4 runs"},
		"run zero":             {edited(altered(func(r *ledger.RunStarted) { r.Run = 0 })), campaign.ExitInvalid, "run 0 is not in the plan"},
		"another arm":          {edited(altered(func(r *ledger.RunStarted) { r.Arm = "c" })), campaign.ExitInvalid, `ledger.jsonl:3: run 1 was case "only" arm "c"`},
		"never started":        {edited(without[*ledger.RunStarted]), campaign.ExitInvalid, "ledger.jsonl:3: attempt 1 of run 1 finished and never started"},
		"another attempt":      {edited(altered(func(r *ledger.RunFinished) { r.Attempt = 2 })), campaign.ExitInvalid, "attempt 2 of run 1 finished and never started"},
		"an unknown interruption": {edited(func(all []ledger.Body) []ledger.Body {
			return append(all, &ledger.RunInterrupted{Run: 99, Attempt: 1, Why: "w"})
		}), campaign.ExitInvalid, "attempt 1 of run 99 was interrupted and never started"},
	} {
		_, err := campaign.Load(c.folder())
		if err == nil || !strings.Contains(err.Error(), c.want) || campaign.Code(err) != c.code {
			t.Errorf("%s: exit %d, %v; want exit %d, %q", name, campaign.Code(err), err, c.code, c.want)
		}
		if _, err := campaign.Analyze(c.folder()); campaign.Code(err) != c.code {
			t.Errorf("%s: analysed: %v", name, err)
		}
	}
}
