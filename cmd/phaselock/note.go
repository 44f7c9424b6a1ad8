package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
)

func noteCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "note",
		Usage:     "add a dated hypothesis, limit or erratum to a result folder; the report prints it as written after the results",
		ArgsUsage: "DIR --hypothesis TEXT | --limit TEXT | --erratum TEXT",
		Description: `The note is an event of the ledger, whose chain goes on; no number changes. Several flags add several notes.

   phaselock note results/c2-20261014T101500Z --hypothesis "The new arm keeps the index in cache."
   phaselock note results/c2-20261014T101500Z --erratum "data/cold.bin was made with 4 KiB pages, not 8."`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "hypothesis", Usage: "`TEXT` of what may explain the results; --hypothesis \"It is the cache.\""},
			&cli.StringFlag{Name: "limit", Usage: "`TEXT` of what the results cannot show; --limit \"One machine.\""},
			&cli.StringFlag{Name: "erratum", Usage: "`TEXT` of what the script or a note got wrong; --erratum \"It was 4 KiB.\""},
		},
		Action: func(c *cli.Context) error {
			dir, err := oneArgument(c, "a result folder")
			if err != nil {
				return err
			}
			added := 0
			for _, kind := range campaign.NoteTypes {
				if !c.IsSet(kind) {
					continue
				}
				if err := campaign.Note(dir, kind, c.String(kind)); err != nil {
					return err
				}
				added++
				fmt.Fprintf(c.App.Writer, "%s: the %s is noted, with its date, as written after the results\n", dir, kind)
			}
			if added == 0 {
				return usageError("phaselock note: say what to note: --hypothesis, --limit or --erratum TEXT")
			}
			return nil
		},
	})
}
