package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/phaselock/phaselock/lib/spawn"
)

// TestMain makes the test binary serve as phaselock, as its watchdog, and as the stub that scripts run as an arm.
func TestMain(m *testing.M) {
	if spawn.WatchdogMain() {
		return
	}
	testscript.Main(m, map[string]func(){
		"phaselock": main,
		"stub":      func() { os.Exit(stubMain()) },
	})
}
