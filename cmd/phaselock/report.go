package main

import (
	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
)

func reportCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "report",
		Usage:     "print the report of a result folder, made again from its ledger and raw output",
		ArgsUsage: "DIR",
		Description: `The report says what was measured, what may be wrong with it, and how to check it. It never changes the exit code: a
folder that can be read is reported.

   phaselock report results/c2-20261014T101500Z
   phaselock report results/c2-20261014T101500Z --format table`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "markdown", Usage: "`FORMAT` markdown or table; --format table"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, which must not exist, instead of standard output; --out again.md"},
		},
		Action: func(c *cli.Context) error {
			format := c.String("format")
			if format != "markdown" && format != "table" {
				return usageError("--format %q: want markdown or table", format)
			}
			dir, err := oneArgument(c, "a result folder")
			if err != nil {
				return err
			}
			f, err := campaign.Analyze(dir)
			if err != nil {
				return err
			}
			data, err := rendered(format, f)
			if err != nil {
				return err
			}
			return output(c, data)
		},
	})
}
