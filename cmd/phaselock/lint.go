package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/starlark/host"
)

func lintCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "lint",
		Usage:     "say what in scripts is likely a mistake, though they can be evaluated",
		ArgsUsage: "PATH…",
		Description: `Names that are loaded, bound or assigned for nothing, names that hide others, code that is never reached, and what buildifier
finds beside. Folders are searched for *.star. Nothing is evaluated. A comment "# buildifier: disable=NAME" at a statement
turns a lint off there.

   phaselock lint c2.star
   phaselock lint examples/ --errors json

Exit codes: 0 nothing found; 1 something found; 2 a script does not parse.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "errors", Value: "text", Usage: "print findings and errors as `FORMAT` text or json; --errors json"},
		},
		Action: lintAction,
	})
}

func lintAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageError("phaselock lint: name scripts or folders")
	}
	if f := c.String("errors"); f != "text" && f != "json" {
		return usageError("--errors %q: want text or json", f)
	}
	paths, err := host.FindScripts(c.Args().Slice())
	if err != nil {
		return &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	code, all := campaign.ExitOK, host.Diagnostics{}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			return &campaign.Error{Code: campaign.ExitUsage, Err: err}
		}
		found, err := host.Lint(path, src)
		var ds host.Diagnostics
		switch {
		case errors.As(err, &ds):
			code, all = campaign.ExitUsage, append(all, ds...)
		case err != nil:
			return err
		case len(found) > 0:
			code, all = max(code, campaign.ExitGate), append(all, found...)
		}
	}
	if c.String("errors") == "json" {
		data, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		if err := write(c.App.Writer, append(data, '\n')); err != nil {
			return err
		}
	} else if len(all) > 0 {
		fmt.Fprintln(c.App.Writer, all)
	}
	return codeError(code)
}
