package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/report"
)

func checkCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "check",
		Usage:     "evaluate and plan a script, and say what is wrong with it",
		ArgsUsage: "SCRIPT",
		Description: `Nothing is built, run or written; no file is read but the script and what it loads.

   phaselock check examples/quickstart.star
   phaselock check c2.star --errors json
   phaselock check stranger.star --isolated

One call of a builtin can take all of a machine's memory or never end, and no count of steps sees it. --isolated evaluates in
a child of at most 768 MiB and 7 seconds of CPU time (Linux).`,
		Flags: append(scriptFlags(),
			&cli.BoolFlag{Name: "isolated", Usage: "evaluate in a child under limits of memory and time, for a script of a stranger; --isolated"},
		),
		Action: func(c *cli.Context) error {
			if c.Bool("isolated") && !isolated() {
				return checkIsolated(c)
			}
			ev, err := evaluate(c)
			if err != nil {
				return err
			}
			for _, s := range ev.phases {
				fmt.Fprintf(c.App.Writer, "%s: phase %q: %s: ok\n", ev.script.Entry, s.Plan.Phase.Name, report.Size(s.Plan))
			}
			return nil
		},
	})
}
