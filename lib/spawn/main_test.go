//go:build unix

package spawn_test

import (
	"os"
	"testing"

	"github.com/phaselock/phaselock/lib/spawn"
)

// TestMain lets the test binary be the watchdog and the processes that are run, as well as the tests.
func TestMain(m *testing.M) {
	if spawn.WatchdogMain() {
		return
	}
	if os.Args[0] == stubName {
		stub(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}
