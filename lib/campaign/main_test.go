package campaign_test

import (
	"os"
	"testing"

	"github.com/phaselock/phaselock/lib/spawn"
)

// TestMain lets the test binary be the watchdog of the runs that the tests make.
func TestMain(m *testing.M) {
	if spawn.WatchdogMain() {
		return
	}
	if at := os.Getenv(dieAt); at != "" {
		dies(at)
	}
	os.Exit(m.Run())
}
