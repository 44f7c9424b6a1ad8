package campaign_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/protocol"
)

// small returns a folder that holds so many bytes and no more.
func small(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI must be able to mount a tmpfs (capability root): %v", err)
		}
		t.Skipf("a full disk is tried on a small tmpfs, which only root can mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "results")
}

// A disk that fills up in the middle of a phase is the machine's fault (4), and what had finished can be read.
func TestFullDisk(t *testing.T) {
	dir := small(t, "512k")
	p := phase(100, "", "")
	fat := protocol.Command{Argv: texts("sh", "-c", "printf '%030000d' 0"), Format: protocol.FormatNone}
	p.Cases[0].Commands = map[string]protocol.Command{"a": fat, "b": fat}
	p.Metrics = []protocol.Metric{{Unit: "wall-ns", Role: protocol.RoleMetric, Better: "lower"}}
	finished := 0
	_, err := campaign.Run(context.Background(), script(t, p), campaign.Options{Out: dir, Progress: func(p engine.Progress) {
		if p.Finished && p.Failure == nil {
			finished++
		}
	}})
	if campaign.Code(err) != campaign.ExitMachine {
		t.Fatalf("exit %d, %v", campaign.Code(err), err)
	}
	if finished < 2 || finished > 20 {
		t.Errorf("%d runs finished, want a few", finished)
	}
	log, err := ledger.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, e := range log.Entries {
		if r, ok := e.Body.(*ledger.RunFinished); ok && r.Failure == "" {
			kept++
		}
	}
	if kept < finished {
		t.Errorf("%d finished runs can be read of %d", kept, finished)
	}
	f, err := campaign.Analyze(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Result.Completeness.ProcessesFinished; got != kept {
		t.Errorf("%d processes are analysed, want %d", got, kept)
	}
}

// A disk that is full before the first run leaves no half-made phase that looks like one.
func TestDiskFullFromTheStart(t *testing.T) {
	dir := small(t, "64k") // less than the shell's private copy
	_, err := campaign.Run(context.Background(), script(t, phase(1, prints, prints)), campaign.Options{Out: dir})
	if campaign.Code(err) != campaign.ExitMachine {
		t.Errorf("exit %d, %v", campaign.Code(err), err)
	}
	if _, err := campaign.Analyze(dir); campaign.Code(err) != campaign.ExitUsage {
		t.Errorf("analysed: %v", err)
	}
}
