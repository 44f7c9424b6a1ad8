package main

import (
	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

func stubsCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "stubs",
		Usage:     "print the language as Python stubs, for editors: signatures, types, defaults, docs",
		ArgsUsage: "[MODULE]",
		Description: `The builtins and the standard library; with a label, that module alone. assert has no form in Python, where it is a word of
the language.

   phaselock stubs > phaselock.pyi
   phaselock stubs @std//go.star`,
		Action: func(c *cli.Context) error {
			label := ""
			if c.NArg() > 0 {
				var err error
				if label, err = oneArgument(c, "module"); err != nil {
					return err
				}
			}
			data, err := host.Stubs(std.FS, label)
			if err != nil {
				return &campaign.Error{Code: campaign.ExitUsage, Err: err}
			}
			return write(c.App.Writer, data)
		},
	})
}
