package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/spawn"
)

const factsPhase = `
def facts(arm, case):
    return command(["./stub", "facts", "BenchmarkFacts", case.name, arm.text], format = "gobench", names = ["BenchmarkFacts"], env = arm.vars)

phase(
    "facts",
    question = "Is what runs what was planned?",
    arms = [
        arm("short", text = "x", vars = {}),
        arm("long", text = "a much longer argument, with spaces and \"quotes\" $HOME * ;", vars = {"LONG_VARIABLE": "y" * 100}),
        arm("third", text = "", vars = {"LONG_VARIABLE": ""}),
    ],
    cases = [case("one"), case("two-with-a-longer-name")],
    command = facts,
    design = williams(blocks = 6, seed = 1),
    metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
    process = process(cpus = cpu_set("auto"), env = {"GOMAXPROCS": "1", "GOGC": "100"}, timeout = "20s"),
)
`

// inFolder writes a phase beside a link to the stub and returns the folder.
func inFolder(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	stub, err := exec.LookPath("stub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(stub, filepath.Join(dir, "stub")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p.star"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exitsWith runs the real binary in a folder, holds it to an exit code, and returns what it printed.
func exitsWith(t *testing.T, dir string, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	c := exec.Command("phaselock", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "LEAKED=this must not reach a run", "NO_COLOR=1")
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if got := c.ProcessState.ExitCode(); got != code {
		t.Fatalf("phaselock %v: exit code %d, want %d (%v)\n%s%s", args, got, code, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// Every process is what plan and ledger say: CPUs, environment, descriptors, argv, and one total size for all arms of a case.
func TestRunsAreWhatWasPlanned(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are pinned on Linux only")
	}
	dir := inFolder(t, factsPhase)
	exitsWith(t, dir, campaign.ExitOK, "run", "p.star", "--out", "out")
	f, err := campaign.Load(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	opened := f.Log.Entries[0].Body.(*ledger.Opened)
	totals := map[string]map[int]bool{}
	runs := 0
	for _, e := range f.Log.Entries {
		s, ok := e.Body.(*ledger.RunStarted)
		if !ok {
			continue
		}
		runs++
		planned := f.Plan.Runs[s.Run-1]
		data, err := os.ReadFile(filepath.Join(dir, "out", "runs", fmt.Sprintf("%04d", s.Run), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		var seen stubFactsSeen
		if err := json.Unmarshal(data, &seen); err != nil {
			t.Fatalf("run %d: %v: %s", s.Run, err, data)
		}
		if d := cmp.Diff(s.Argv, seen.Argv); d != "" {
			t.Errorf("run %d: argv of the ledger and of the process: %s", s.Run, d)
		}
		var argv []string
		for _, a := range planned.Argv {
			argv = append(argv, a.Text)
		}
		if d := cmp.Diff(argv, seen.Argv); d != "" {
			t.Errorf("run %d: argv of the plan and of the process: %s", s.Run, d)
		}
		if d := cmp.Diff(s.Env, seen.Env); d != "" {
			t.Errorf("run %d: environment of the ledger and of the process: %s", s.Run, d)
		}
		home := filepath.Join(dir, "out", "runs", fmt.Sprintf("%04d", s.Run), "home")
		want := map[string]string{
			"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C", "HOME": home, "TMPDIR": home, "GOMAXPROCS": "1", "GOGC": "100",
			"PHASELOCK_PAD": seen.Env["PHASELOCK_PAD"], "PHASELOCK_AUDIT": filepath.Join(filepath.Dir(home), "audit"),
		}
		if v, ok := map[string]string{"long": strings.Repeat("y", 100), "third": ""}[s.Arm]; ok {
			want["LONG_VARIABLE"] = v
		}
		if d := cmp.Diff(want, seen.Env); d != "" {
			t.Errorf("run %d: environment: %s", s.Run, d)
		}
		if seen.CPUs != s.CPUs || s.CPUs == "" {
			t.Errorf("run %d: the process was allowed %s, the ledger says %s", s.Run, seen.CPUs, s.CPUs)
		}
		if opened.HarnessCPUs == s.CPUs {
			t.Errorf("run %d: the harness sits on the measured CPU %s", s.Run, s.CPUs)
		}
		if seen.Exe != s.Exec || !strings.HasPrefix(seen.Exe, filepath.Join(dir, "out", "bin")) {
			t.Errorf("run %d: it executed %s, the ledger says %s", s.Run, seen.Exe, s.Exec)
		}
		if seen.Dir != dir {
			t.Errorf("run %d: it ran in %s, want %s", s.Run, seen.Dir, dir)
		}
		if seen.Pgid != seen.Pid {
			t.Errorf("run %d: it is not the leader of a process group of its own", s.Run)
		}
		wantFDs := []string{"0 /dev/null", "1 " + filepath.Join(filepath.Dir(home), "stdout"), "2 " + filepath.Join(filepath.Dir(home), "stderr")}
		for _, fd := range wantFDs {
			found := false
			for _, got := range seen.FDs {
				found = found || got == fd
			}
			if !found {
				t.Errorf("run %d: descriptor %q is not among %q", s.Run, fd, seen.FDs)
			}
		}
		for _, got := range seen.FDs { // it opened /proc to look, and Go's runtime opens its control group's quota
			if !strings.Contains(got, "/proc/") && !strings.Contains(got, "/sys/fs/cgroup/") && !strings.Contains(strings.Join(wantFDs, "\n"), got) {
				t.Errorf("run %d: descriptor %q was inherited", s.Run, got)
			}
		}
		if seen.Total != s.Total {
			t.Errorf("run %d: %d bytes of path, argv and environment; the ledger says %d", s.Run, seen.Total, s.Total)
		}
		if totals[s.Case] == nil {
			totals[s.Case] = map[int]bool{}
		}
		totals[s.Case][s.Total] = true
	}
	if runs != 36 {
		t.Errorf("%d runs, want 36", runs)
	}
	for name, sizes := range totals {
		if len(sizes) != 1 {
			t.Errorf("case %s: its arms have the sizes %v", name, sizes)
		}
	}
}

// The harness leaves the measured CPU: all its threads are on the others.
func TestHarnessIsPinned(t *testing.T) {
	allowed, err := spawn.Allowed()
	if err != nil || len(allowed) < 2 {
		t.Skip("one CPU, or none that this system tells of: the harness has no other to go to")
	}
	dir := inFolder(t, strings.ReplaceAll(hanging("pinned"), `timeout = "1m"`, `cpus = cpu_set("auto"), timeout = "1m"`))
	if err := os.WriteFile(filepath.Join(dir, "good.txt"), []byte("BenchmarkStub 100 5 ns/op\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("phaselock", "run", "p.star", "--out", "out")
	c.Dir = dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second run is not there", func() bool { return len(running("pinned")) == 2 })
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.Process.Pid))
	seen := map[string]bool{}
	for _, f := range threads {
		data, _ := os.ReadFile(f)
		for line := range strings.Lines(string(data)) {
			if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
				seen[strings.TrimSpace(list)] = true
			}
		}
	}
	_ = c.Process.Signal(os.Interrupt)
	_ = c.Wait()
	f, err := campaign.Load(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	want := f.Log.Entries[0].Body.(*ledger.Opened).HarnessCPUs
	// the one thread that waits for the measured process carries its CPUs until it has returned to the harness's
	delete(seen, want)
	for _, e := range f.Log.Entries {
		if s, ok := e.Body.(*ledger.RunStarted); ok {
			delete(seen, s.CPUs)
		}
	}
	if len(threads) < 3 || len(seen) > 0 {
		t.Errorf("%d threads of the harness, some on %v, want %s", len(threads), seen, want)
	}
}
