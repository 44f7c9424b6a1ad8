// Command phaselock runs preregistered benchmark phases and says what their numbers are worth.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/spawn"
)

func main() {
	if spawn.WatchdogMain() {
		return
	}
	if isolated() {
		if err := limitSelf(); err != nil {
			fmt.Fprintln(os.Stderr, "check --isolated:", err)
			os.Exit(campaign.ExitMachine)
		}
		os.Exit(Main(os.Args) + isolatedExitAdd)
	}
	os.Exit(Main(os.Args))
}

// Main runs the command and returns its exit code.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the process at once; the watchdog ends what it ran
	}()
	err := newApp().RunContext(ctx, flagsFirst(newApp(), args))
	if err == nil {
		return campaign.ExitOK
	}
	if message := err.Error(); message != "" {
		fmt.Fprintln(os.Stderr, message)
	}
	return exitCode(err)
}
