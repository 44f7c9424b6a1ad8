package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

func checkCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "check",
		Usage:     "evaluate and plan a script, and say what is wrong with it",
		ArgsUsage: "SCRIPT",
		Description: `Nothing is built, run or written; no file is read but the script and what it loads.

   phaselock check examples/quickstart.star
   phaselock check c2.star --errors json`,
		Flags: scriptFlags(),
		Action: func(c *cli.Context) error {
			ev, err := evaluate(c)
			if err != nil {
				return err
			}
			for _, s := range ev.phases {
				p := s.Plan.Phase
				fmt.Fprintf(c.App.Writer, "%s: phase %q: %d arms, %d cases, %d blocks, %d processes, %d samples: ok\n",
					ev.script.Entry, p.Name, len(p.Arms), len(p.Cases), p.Design.Blocks, len(s.Plan.Runs), s.Plan.Samples())
			}
			return nil
		},
	})
}
