package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestIsolatedChildEndsWithItsParent kills the harness while its child computes.
func TestIsolatedChildEndsWithItsParent(t *testing.T) {
	script := filepath.Join(t.TempDir(), "x.star")
	if err := os.WriteFile(script, []byte("x = max(range(1 << 60))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("phaselock", "check", script, "--isolated", "--root", filepath.Dir(script))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is not there", func() bool { return len(running(script)) == 2 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	eventually(t, "the child runs on", func() bool {
		left := running(script)
		for _, f := range left {
			if ticks := cpuTicks(filepath.Dir(f)); ticks > 100*isolatedCPU/2 {
				t.Fatalf("the child runs on: it has had %d ticks, and its own limit would have ended it", ticks)
			}
		}
		return len(left) == 0
	})
}

// cpuTicks returns the CPU time of a process in ticks of 10 ms; 0 where it has ended.
func cpuTicks(proc string) int {
	text, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11]) // fields 14 and 15 of proc_pid_stat(5)
	system, _ := strconv.Atoi(fields[12])
	return user + system
}
