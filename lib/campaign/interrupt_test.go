package campaign_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/ledger"
	"github.com/phaselock/phaselock/lib/sample"
)

// An interrupted phase keeps what had finished, says what did not, closes its ledger and exits with 130.
func TestInterrupted(t *testing.T) {
	sign := filepath.Join(t.TempDir(), "runs") // the third run says that it is under way, and stays
	stays := "echo >> " + sign + "; [ $(wc -l < " + sign + ") -lt 3 ] || sleep 600; " + prints
	p := phase(3, stays, stays)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if data, err := os.ReadFile(sign); err == nil && len(data) >= 3 {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	dir := filepath.Join(t.TempDir(), "results")
	o, err := campaign.Run(ctx, script(t, p), campaign.Options{Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	if o.Code != campaign.ExitInterrupted || !o.Run.Interrupted || o.Run.Finished != 2 || o.Run.Failed != 0 {
		t.Errorf("exit %d, %+v", o.Code, o.Run)
	}
	want := []string{
		"opened", "pin-verified", "run-started", "run-finished", "run-started", "run-finished", "run-started", "run-interrupted",
		"phase-stopped", "pin-verified", "closed",
	}
	if d := cmp.Diff(want, events(t, dir)); d != "" {
		t.Error(d)
	}
	stopped := o.Folder.Log.Entries[8].Body.(*ledger.PhaseStopped)
	if d := cmp.Diff(&ledger.PhaseStopped{Why: "interrupted", Exit: 130}, stopped); d != "" {
		t.Error(d)
	}
	s := schema(t, "ledger")
	for _, line := range lines(t, dir) {
		if err := validate(t, s, line); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
	}
	last := o.Folder.Processes[2]
	if last.Failure == nil || last.Failure.Kind != sample.FailInterrupted || last.Samples != nil {
		t.Errorf("run 3: %+v", last)
	}
	for name, data := range analysisOf(t, dir) {
		if string(data) != string(read(t, dir, name)) {
			t.Errorf("%s differs when it is made again", name)
		}
	}
	if c := o.Folder.Result.Completeness; c.ProcessesFinished != 2 || c.ProcessesPlanned != 6 {
		t.Errorf("%+v", c)
	}
}

// Told to stop before the first run, nothing runs and nothing is left behind.
func TestInterruptedBeforeTheFirstRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := filepath.Join(t.TempDir(), "results")
	_, err := campaign.Run(ctx, script(t, phase(1, prints, prints)), campaign.Options{Out: dir})
	if campaign.Code(err) != campaign.ExitInterrupted {
		t.Errorf("exit %d, %v", campaign.Code(err), err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
}
