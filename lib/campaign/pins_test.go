package campaign_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/lib/spawn"
)

// A file that is not what was pinned makes the result invalid (3), whether a run's own check finds it or the last one. The
// results are kept, and the ledger says which file it was.
func TestBrokenPins(t *testing.T) {
	for name, c := range map[string]struct {
		spoil string // the file that arm b rewrites; it reads in.txt
		want  []string
		when  string
	}{
		"an input of the run": {"in.txt", []string{
			"opened", "pin-verified", "run-started", "run-finished", "run-started", "run-finished",
			"pin-broken", "phase-stopped", "pin-broken", "pin-verified", "closed",
		}, "after run 2"},
		"an input of no run": {"other.txt", []string{
			"opened", "pin-verified", "run-started", "run-finished", "run-started", "run-finished",
			"pin-broken", "pin-verified", "closed",
		}, "closing"},
	} {
		p := phase(1, prints, "")
		p.Design = protocol.Design{
			Kind: protocol.DesignFixed, Blocks: 1, Nesting: protocol.NestBlocks, Order: protocol.OrderCase,
			Orders: []protocol.CaseOrders{{Blocks: [][]string{{"a", "b"}}}},
		}
		p.Files = []protocol.File{{Label: "in.txt", Kind: protocol.KindInput}, {Label: "other.txt", Kind: protocol.KindInput}}
		command := shell("echo > " + c.spoil + "; " + prints)
		command.Stdin = &protocol.Arg{File: "in.txt"}
		p.Cases[0].Commands["b"] = command
		s := script(t, p)
		write(t, []byte("1"), 0o644, s.Root, "in.txt")
		write(t, []byte("2"), 0o644, s.Root, "other.txt")
		dir, o := run(t, s)
		if o.Code != campaign.ExitInvalid || !o.Run.PinBroken || o.Run.Finished != 2 {
			t.Errorf("%s: exit %d, %+v", name, o.Code, o.Run)
		}
		if d := cmp.Diff(c.want, events(t, dir)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		first := slices.IndexFunc(o.Folder.Log.Entries, func(e ledger.Entry) bool { return e.Event == "pin-broken" })
		if b := o.Folder.Log.Entries[first].Body.(*ledger.PinBroken); b.When != c.when || b.Label != c.spoil {
			t.Errorf("%s: %+v", name, b)
		}
		ledgerLines := schema(t, "ledger")
		for _, line := range lines(t, dir) {
			if err := validate(t, ledgerLines, line); err != nil {
				t.Errorf("%s: %v\n%s", name, err, line)
			}
		}
		if err := validate(t, schema(t, "analysis"), read(t, dir, "analysis.json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A pinned phase runs where it was declared to, and away from the harness; the next phase has all CPUs to choose from again.
func TestPinnedPhases(t *testing.T) {
	allowed, err := spawn.Allowed()
	if err != nil {
		t.Skip("processes are pinned on Linux only")
	}
	for range 2 {
		p := phase(1, prints, prints)
		p.Process.CPUs = "auto"
		p.Arms[1].CPUs = spawn.FormatCPUs(allowed[:1])
		if len(allowed) == 1 {
			p.Arms[1].CPUs = ""
		}
		_, o := run(t, script(t, p))
		opened := o.Folder.Log.Entries[0].Body.(*ledger.Opened)
		if opened.AllowedCPUs != spawn.FormatCPUs(allowed) {
			t.Errorf("allowed are %s, not %v", opened.AllowedCPUs, allowed)
		}
		harness, _ := spawn.ParseCPUs(opened.HarnessCPUs)
		started := map[int]string{}
		for _, e := range o.Folder.Log.Entries {
			switch b := e.Body.(type) {
			case *ledger.RunStarted:
				started[b.Run] = b.CPUs
				if b.Arm == "b" && b.CPUs != p.Arms[1].CPUs {
					t.Errorf("arm b was to run on %q, not %q", b.CPUs, p.Arms[1].CPUs)
				}
			case *ledger.RunFinished:
				if want := started[b.Run]; want != "" && b.CPUs != want {
					t.Errorf("run %d was pinned to %s and ran on %s", b.Run, want, b.CPUs)
				}
				cpus, err := spawn.ParseCPUs(b.CPUs)
				if err != nil || started[b.Run] != "" && slices.ContainsFunc(cpus, func(c int) bool { return slices.Contains(harness, c) }) {
					t.Errorf("run %d on %s, the harness on %v: %v", b.Run, b.CPUs, harness, err)
				}
			}
		}
		if (len(harness) == 0) != (len(opened.Notes) > 0) {
			t.Errorf("harness on %v, notes %q", harness, opened.Notes)
		}
	}
}

// The scripts lie in the folder as they were evaluated, and so does the protocol in its flat form.
func TestScriptsAreKept(t *testing.T) {
	dir, _ := run(t, script(t, phase(1, prints, prints)))
	for path, want := range map[string]string{"phase/tiny.star": "# tiny\n", "phase/@std/go.star": "# go\n", "protocol.star": "phase(…)\n"} {
		if got := string(read(t, dir, filepath.FromSlash(path))); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// A folder is used once.
func TestSecondRunIsRefused(t *testing.T) {
	s := script(t, phase(1, prints, prints))
	dir, _ := run(t, s)
	before := contents(t, dir)
	_, err := campaign.Run(context.Background(), s, campaign.Options{Out: dir})
	if campaign.Code(err) != campaign.ExitUsage {
		t.Errorf("exit %d, %v", campaign.Code(err), err)
	}
	if d := cmp.Diff(before, contents(t, dir)); d != "" {
		t.Error(d)
	}
}
