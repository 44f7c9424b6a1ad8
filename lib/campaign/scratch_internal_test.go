package campaign

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestScratchOfDeadProcessesIsRemoved(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "in"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := folder(fmt.Sprintf("phaselock-build-%d-1", dead.Process.Pid))
	kept := []string{
		folder(fmt.Sprintf("phaselock-build-%d-1", os.Getpid())),
		folder("phaselock-build-x-1"),
		folder(fmt.Sprintf("other-%d-1", dead.Process.Pid)),
	}
	sweep(dir)
	if _, err := os.Stat(gone); err == nil {
		t.Errorf("%s is still there", gone)
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
