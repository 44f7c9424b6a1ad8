package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/protocol"
)

// summing is a package whose one benchmark goes over its numbers so many times. Every element depends on the one
// before, so that the time is that of the loop.
func summing(loops int) map[string]string {
	return map[string]string{
		"go.mod": "module example.com/sum\n\ngo 1.24\n",
		"sum.go": fmt.Sprintf(`package sum

// Sum mixes the numbers up.
func Sum(numbers []uint64) (s uint64) {
	for range %d {
		for _, n := range numbers {
			s = s*6364136223846793005 + n
		}
	}
	return s
}
`, loops),
		"sum_test.go": `package sum

import "testing"

func BenchmarkSum(b *testing.B) {
	numbers := make([]uint64, 10_000)
	for b.Loop() {
		Sum(numbers)
	}
}
`,
	}
}

// ratioPhase compares two refs of the repository repo; the first is the baseline. The median of five repeats lets a
// process be disturbed for a while.
const ratioPhase = `load("@std//go.star", "gobench")
phase(
    "refs",
    question = "Is my change faster?",
    arms = [arm("base", tests = go_test(".", ref = %[1]q, dir = "repo")), arm("change", tests = go_test(".", ref = %[2]q, dir = "repo"))],
    cases = [case("sum")],
    command = lambda arm, case: gobench(arm.tests, "BenchmarkSum", benchtime = "50ms"),
    design = counterbalanced(blocks = 8, seed = 1), repeats = 5, metrics = [metric("ns/op", better = "lower")],
    estimand = block_ratio(interval = student_t(level = 0.95)),
)
`

// twoCommits makes a repository of two commits with the tags once and twice, of which the second is given. The test is
// held to leave it as it is when this returns.
func twoCommits(t *testing.T, dir string, second map[string]string) (repo string) {
	t.Helper()
	needs(t, "git")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	repo = filepath.Join(dir, "repo")
	gitIn(t, dir, "init", "-q", "-b", "main", repo)
	for _, c := range []struct {
		tag   string
		files map[string]string
	}{{"once", summing(1)}, {"twice", second}} {
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		gitIn(t, repo, "add", "-A")
		gitIn(t, repo, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", c.tag)
		gitIn(t, repo, "tag", c.tag)
	}
	before := gitState(t, repo)
	t.Cleanup(func() {
		if after := gitState(t, repo); after != before {
			t.Errorf("the repository was\n%s\nand is\n%s", before, after)
		}
	})
	return repo
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// temporary sets a folder of its own for temporary files.
func temporary(t *testing.T) string {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	return temp
}

// of returns what of ours lies in a folder for temporary files.
func of(t *testing.T, temp string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(temp, "phaselock-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Two commits that differ by a doubled loop differ by a factor of two, whichever is the baseline.
func TestTwoCommits(t *testing.T) {
	for _, tt := range []struct {
		base, change string
		low, high    float64
		verdict      string
	}{
		{"once", "twice", 1.5, 2.6, analysis.Higher},
		{"twice", "once", 1 / 2.6, 1 / 1.5, analysis.Lower},
	} {
		t.Run(tt.change+" against "+tt.base, func(t *testing.T) {
			dir := inFolder(t, fmt.Sprintf(ratioPhase, tt.base, tt.change))
			twoCommits(t, dir, summing(2))
			temp := temporary(t)
			exitsWith(t, dir, campaign.ExitOK, "run", "p.star", "--out", "out")
			f, err := campaign.Analyze(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			c := f.Result.Cases[0].Metrics[0].Comparisons[0]
			if c.Estimate == nil || c.Interval == nil || c.Interval.Low == nil || c.Interval.High == nil {
				t.Fatalf("no estimate or no interval: %+v", c)
			}
			if c.Arm != "change" || c.Base != "base" || c.Blocks != 8 || c.Verdict != tt.verdict {
				t.Errorf("%s against %s over %d blocks: %s, want %s", c.Arm, c.Base, c.Blocks, c.Verdict, tt.verdict)
			}
			if *c.Estimate < tt.low || *c.Estimate > tt.high || *c.Interval.Low <= 1 && 1 <= *c.Interval.High {
				t.Errorf("a ratio of %.3f [%.3f, %.3f], want one of %.3f to %.3f that excludes 1", *c.Estimate, *c.Interval.Low, *c.Interval.High, tt.low, tt.high)
			}
			digests := map[string]string{} // by ref
			for _, pin := range f.Log.Entries[0].Body.(*ledger.Opened).Files {
				if pin.Kind == protocol.KindGoTest {
					digests[pin.Build["ref"]] = pin.SHA256
				}
			}
			if len(digests) != 2 || digests["once"] == digests["twice"] || digests["once"] == "" {
				t.Errorf("the refs have the digests %v", digests)
			}
			if left := of(t, temp); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// kill -9 in the middle of the measured runs leaves the repository as it was. The phase is gone on with, from the binaries that were built and
// from new checkouts of the commits, in which tests find their files; what the first left is removed.
func TestKilledWhileRefsRun(t *testing.T) {
	dir := inFolder(t, strings.ReplaceAll(fmt.Sprintf(ratioPhase, "once", "twice"), `"50ms"`, `"100ms"`))
	repo := twoCommits(t, dir, summing(2))
	before := gitState(t, repo)
	temp := temporary(t)
	c := exec.Command("phaselock", "run", "p.star", "--out", "out")
	c.Dir = dir
	var said strings.Builder
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	eventually(t, "the second run has not started", func() bool {
		_, err := os.Stat(filepath.Join(dir, "out", "runs", "0002"))
		return err == nil
	})
	if during := gitState(t, repo); during != before {
		t.Errorf("during the runs the repository is\n%s\nand was\n%s", during, before)
	}
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if c.ProcessState.Exited() {
		t.Fatalf("it had ended before it was killed: %s", said.String())
	}
	if after := gitState(t, repo); after != before {
		t.Errorf("after kill -9 the repository is\n%s\nand was\n%s", after, before)
	}
	if left := of(t, temp); len(left) == 0 {
		t.Error("there is nothing that the next start could remove: the runs had no folder of their ref")
	}
	ended := finished(t, filepath.Join(dir, "out"))
	exitsWith(t, dir, campaign.ExitOK, "run", "--resume", "out")
	if left := of(t, temp); len(left) > 0 {
		t.Errorf("the next start leaves %q", left)
	}
	if after := finished(t, filepath.Join(dir, "out")); len(after) < 16 || !slices.Equal(after[:len(ended)], ended) {
		t.Errorf("the runs were %v and are %v", ended, after)
	}
	exitsWith(t, dir, campaign.ExitOK, "audit", "out")
}

// A ref that does not compile: the compiler's words at the declaration's place, and nothing is measured.
func TestRefDoesNotCompile(t *testing.T) {
	dir := inFolder(t, fmt.Sprintf(ratioPhase, "once", "twice"))
	broken := summing(2)
	broken["sum.go"] = strings.Replace(broken["sum.go"], "return s", "return total", 1)
	twoCommits(t, dir, broken)
	temp := temporary(t)
	_, errs := exitsWith(t, dir, campaign.ExitUsage, "run", "p.star", "--out", "out")
	line := strings.Split(ratioPhase, "\n")[4]
	column := strings.LastIndex(fmt.Sprintf(line, "once", "twice"), "go_test(")
	for _, want := range []string{
		fmt.Sprintf("p.star:5:%d: ", column+1),
		"the build failed", "sum.go:10:9: undefined: total",
		fmt.Sprintf(line, "once", "twice") + "\n",
		"| " + strings.Repeat(" ", column) + "^^^^^^^\n",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing in:\n%s", want, errs)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "out")); !os.IsNotExist(err) {
		t.Errorf("there is a result folder: %v", err)
	}
	if left := of(t, temp); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
