package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/report"
)

func planCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "plan",
		Usage:     "show every run of a phase, in order, before anything runs",
		ArgsUsage: "SCRIPT",
		Description: `The plan's digest covers every run and is the same on every machine.

   phaselock plan examples/quickstart.star
   phaselock plan examples/quickstart.star --flat          the evaluated phase, without loops or defaults
   phaselock plan examples/quickstart.star --format json   what plan.json will hold`,
		Flags: append(scriptFlags(),
			&cli.BoolFlag{Name: "flat", Usage: "print the evaluated phase as Starlark instead; --flat > reviewed.star"},
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` table or json; --format json"},
		),
		Action: func(c *cli.Context) error {
			if f := c.String("format"); f != "table" && f != "json" {
				return usageError("--format %q: want table or json", f)
			}
			ev, err := evaluate(c)
			if err != nil {
				return err
			}
			if c.Bool("flat") || c.String("format") == "json" {
				s, err := ev.onePhase()
				if err != nil {
					return err
				}
				if c.Bool("flat") {
					return write(c.App.Writer, s.Flat)
				}
				data, err := s.Plan.JSON()
				if err != nil {
					return err
				}
				return write(c.App.Writer, data)
			}
			for i, s := range ev.phases {
				if i > 0 {
					fmt.Fprintln(c.App.Writer)
				}
				if err := report.PlanTable(c.App.Writer, s.Plan, terminalWidth()); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
