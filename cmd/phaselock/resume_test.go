package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
)

// tabled is a phase of two cases, two arms and three blocks whose numbers depend on the run's number only, so that any two ways
// to the same runs have one analysis.
const tabled = `
phase(
    "tabled",
    question = "Is it the same?",
    arms = [arm("old"), arm("new")],
    cases = [case("X"), case("Y")],
    command = lambda arm, case: command(["./stub", "table", "table.txt", "Benchmark" + case.name, arm.name], format = "gobench", names = ["Benchmark" + case.name]),
    design = counterbalanced(blocks = 3, seed = 5),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(timeout = "1m"),
    interrupted = INTERRUPTED,
)
`

// table has a row for each of the twelve runs.
func table() string {
	var b strings.Builder
	for run := 1; run <= 12; run++ {
		fmt.Fprintf(&b, "%d %d.%d ns/op\n", run, 100+run*run%17, run)
	}
	return b.String()
}

// tabledFolder runs the phase undisturbed into dir/out and returns dir.
func tabledFolder(t *testing.T, interrupted string) string {
	t.Helper()
	dir := inFolder(t, strings.Replace(tabled, "INTERRUPTED", fmt.Sprintf("%q", interrupted), 1))
	if err := os.WriteFile(filepath.Join(dir, "table.txt"), []byte(table()), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out := phaselock(t, dir, "run", "p.star", "--out", "out", "-q")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	return dir
}

// phaselock runs the command in a folder.
func phaselock(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	c := exec.Command("phaselock", args...)
	c.Dir = dir
	data, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(data)
}

// answer is what an analysis says that does not depend on how its samples came about: attempts, what was run again, the notes on it.
func answer(t *testing.T, dir string) string {
	t.Helper()
	f, err := campaign.Analyze(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Result.Metrics = nil // metrics.csv has a column for the attempt
	f.Result.Completeness.BlocksRerun, f.Result.Completeness.ProcessesFailed = 0, 0
	for i := range f.Result.Cases {
		c := &f.Result.Cases[i]
		c.Processes = slices.Clone(c.Processes)
		kept := c.Processes[:0]
		for _, p := range c.Processes {
			if !p.Replaced {
				p.Attempt = 1
				kept = append(kept, p)
			}
		}
		c.Processes = kept
	}
	findings := f.Result.Findings[:0]
	for _, x := range f.Result.Findings {
		if x.ID != "block-rerun" && x.ID != "noise" { // noise is what the machine did, another time each time
			findings = append(findings, x)
		}
	}
	f.Result.Findings = findings
	data, err := json.MarshalIndent(f.Result, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// finished returns the runs of a ledger that ended, each as often as it did, in order: "3", "3.2" for a second attempt.
func finished(t *testing.T, dir string) []string {
	t.Helper()
	log, err := ledger.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range log.Entries {
		if b, ok := e.Body.(*ledger.RunFinished); ok {
			out = append(out, fmt.Sprintf("%d.%d", b.Run, b.Attempt))
		}
	}
	return out
}

// cutAt makes a copy of a folder as it would be had the power gone when the ledger had so many bytes. Of files made later nothing is there.
func cutAt(t *testing.T, dir string, size int) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "out")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(to, ledger.Name), int64(size)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"metrics.csv", "analysis.json", "report.md"} {
		if err := os.Remove(filepath.Join(to, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(to, "lock"), []byte("pid 1 since 2026-10-14T10:15:00Z\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

// The power goes at any byte of the last 4 KiB (every line's end, and every 97th byte): no finished run is lost or done a second time under
// its number, and the phase ends with the analysis of one that nothing disturbed.
func TestResumeAfterAPowerCut(t *testing.T) {
	dir := tabledFolder(t, "rerun-block")
	out := filepath.Join(dir, "out")
	want := answer(t, out)
	data, err := os.ReadFile(filepath.Join(out, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for size := len(data) - 4096; size <= len(data); size++ {
		atEnd := data[size-1] == '\n'
		if !atEnd && size%97 != 0 {
			continue
		}
		if testing.Short() && !atEnd {
			continue
		}
		tried++
		cut := cutAt(t, out, size)
		before := finished(t, cut)
		code, said := phaselock(t, dir, "run", "--resume", cut, "-q")
		if code != 0 {
			t.Fatalf("cut at %d: exit code %d\n%s", size, code, said)
		}
		after := finished(t, cut)
		if !slices.Equal(before, after[:len(before)]) {
			t.Fatalf("cut at %d: had %v, has %v", size, before, after)
		}
		if sorted := slices.Sorted(slices.Values(after)); len(slices.Compact(sorted)) != len(after) {
			t.Fatalf("cut at %d: a run ended twice: %v", size, after)
		}
		if d := cmp.Diff(want, answer(t, cut)); d != "" {
			t.Fatalf("cut at %d: %s", size, d)
		}
		if atEnd {
			again(t, dir, cut)
		}
	}
	if tried < 20 {
		t.Errorf("%d cuts were tried", tried)
	}
}

// again resumes a folder in which nothing is left to be done, and that changes nothing.
func again(t *testing.T, dir, folder string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(folder, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	code, said := phaselock(t, dir, "run", "--resume", folder)
	if code != 0 || !strings.Contains(said, "nothing to do: complete") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	if after, _ := os.ReadFile(filepath.Join(folder, ledger.Name)); !bytes.Equal(before, after) {
		t.Fatal("the ledger has grown")
	}
}

// A ledger that was closed and is shorter now was not cut by a crash.
func TestResumeOfAClosedLedgerThatWasCut(t *testing.T) {
	dir := tabledFolder(t, "rerun-block")
	out := filepath.Join(dir, "out")
	info, err := os.Stat(filepath.Join(out, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(out, ledger.Name), info.Size()-900); err != nil {
		t.Fatal(err)
	}
	if code, said := phaselock(t, dir, "run", "--resume", "out"); code != 3 || !strings.Contains(said, "cut short") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// What was changed stops everything, with line and digests, and nothing is written.
func TestResumeRefusesWhatWasChanged(t *testing.T) {
	dir := tabledFolder(t, "rerun-block")
	out := filepath.Join(dir, "out")
	data, err := os.ReadFile(filepath.Join(out, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.LastIndex(data[:len(data)*2/3], []byte("\n")) + 1
	flip := func(t *testing.T, path string) {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		_ = os.Chmod(path, 0o644)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = os.Chmod(path, 0o755)
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, folder string)
		want  string
	}{
		"a line":         {func(t *testing.T, f string) { flip(t, filepath.Join(f, ledger.Name)) }, "ledger.jsonl:"},
		"a run's output": {func(t *testing.T, f string) { flip(t, filepath.Join(f, "runs/0002/stdout")) }, "run 2: its stdout"},
		"the plan":       {func(t *testing.T, f string) { flip(t, filepath.Join(f, "plan.json")) }, "plan.json"},
		"the script":     {func(t *testing.T, f string) { flip(t, filepath.Join(f, "phase/p.star")) }, "phase/p.star has the digest"},
		"a binary": {func(t *testing.T, f string) {
			bin, _ := filepath.Glob(filepath.Join(f, "bin", "*"))
			flip(t, bin[0])
		}, "./stub is not what was pinned"},
	} {
		t.Run(name, func(t *testing.T) {
			cut := cutAt(t, out, half)
			c.spoil(t, cut)
			before, _ := os.ReadFile(filepath.Join(cut, ledger.Name))
			code, said := phaselock(t, dir, "run", "--resume", cut)
			if code != 3 || !strings.Contains(said, c.want) {
				t.Errorf("exit code %d: %s", code, said)
			}
			if after, _ := os.ReadFile(filepath.Join(cut, ledger.Name)); !bytes.Equal(before, after) {
				t.Error("the ledger was written to")
			}
		})
	}
}

// interrupted = "retain": the block that was cut stays incomplete, and the others are run.
func TestResumeRetains(t *testing.T) {
	dir := tabledFolder(t, "retain")
	out := filepath.Join(dir, "out")
	data, err := os.ReadFile(filepath.Join(out, ledger.Name))
	if err != nil {
		t.Fatal(err)
	}
	cut := cutAt(t, out, bytes.Index(data, []byte(`,"run":3,"attempt":1,"exit"`))) // in the end of run 3: the first of its block
	for run := 4; run <= 12; run++ {
		if err := os.RemoveAll(filepath.Join(cut, "runs", fmt.Sprintf("%04d", run))); err != nil {
			t.Fatal(err)
		}
	}
	code, said := phaselock(t, dir, "run", "--resume", cut, "-q")
	if code != 3 {
		t.Errorf("exit code %d\n%s", code, said)
	}
	if got, want := finished(t, cut), strings.Fields("1.1 2.1 5.1 6.1 7.1 8.1 9.1 10.1 11.1 12.1"); !slices.Equal(got, want) {
		t.Errorf("ended: %v", got)
	}
	report, _ := os.ReadFile(filepath.Join(cut, "report.md"))
	if !bytes.Contains(report, []byte("stays incomplete")) {
		t.Errorf("the report does not say which block stays incomplete:\n%s", report)
	}
	code, said = phaselock(t, dir, "run", "--resume", cut)
	if code != 3 || !strings.Contains(said, `nothing to do: as complete as interrupted = "retain" lets it be`) {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// kill -9 during a run, Ctrl-C once, Ctrl-C twice: nothing stays, and the folder goes on when the run ends by itself.
func TestResumeAfterAnEnd(t *testing.T) {
	for name, stop := range map[string]func(*testing.T, *exec.Cmd){
		"kill -9": func(t *testing.T, c *exec.Cmd) { _ = c.Process.Kill() },
		"Ctrl-C":  func(t *testing.T, c *exec.Cmd) { _ = c.Process.Signal(os.Interrupt) },
		"Ctrl-C twice": func(t *testing.T, c *exec.Cmd) {
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Process.Signal(syscall.SIGINT)
		},
	} {
		t.Run(name, func(t *testing.T) {
			token := fmt.Sprintf("token-%d-%s", os.Getpid(), strings.ReplaceAll(name, " ", "-"))
			c, dir := startHanging(t, token)
			stop(t, c)
			_ = c.Wait()
			eventually(t, "processes of the run are still there", func() bool { return len(running(token)) == 0 })
			// The second attempt is told to end: its stub finds a file that says so.
			if err := os.WriteFile(filepath.Join(dir, "hang.txt"), []byte("BenchmarkStub 100 6 ns/op\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			code, said := phaselock(t, dir, "run", "--resume", "out", "-q")
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, said)
			}
			if got, want := finished(t, filepath.Join(dir, "out")), strings.Fields("1.1 1.2 2.2 3.1 4.1"); !slices.Equal(got, want) {
				t.Errorf("ended: %v", got)
			}
			_, kinds := lastEvents(t, dir)
			for _, kind := range []string{"resumed", "run-interrupted", "block-rerun", "closed"} {
				if !slices.Contains(kinds, kind) {
					t.Errorf("no %s in %v", kind, kinds)
				}
			}
			again(t, dir, filepath.Join(dir, "out"))
		})
	}
}

// A folder in which a process writes is not gone on with, and the message names the process.
func TestResumeOfAFolderInUse(t *testing.T) {
	token := fmt.Sprintf("token-%d-resumed", os.Getpid())
	c, dir := startHanging(t, token)
	code, said := phaselock(t, dir, "run", "--resume", "out")
	if want := fmt.Sprintf("pid %d since ", c.Process.Pid); code != campaign.ExitMachine || !strings.Contains(said, want) {
		t.Errorf("exit code %d: %s", code, said)
	}
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
}
