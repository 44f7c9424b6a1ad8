package main

import (
	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/report"
)

func explainCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "explain",
		Usage:     "show the report's page before there are results, from the script alone",
		ArgsUsage: "SCRIPT",
		Description: `Question, arms and what differs between them, design, checks, estimand and interval, orders, predictions, limits:
what a reviewer reads before anything is run.

   phaselock explain examples/quickstart.star`,
		Flags: scriptFlags(),
		Action: func(c *cli.Context) error {
			ev, err := evaluate(c)
			if err != nil {
				return err
			}
			for _, s := range ev.phases {
				if err := report.Explain(c.App.Writer, report.Page{Plan: s.Plan}); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
