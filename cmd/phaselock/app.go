package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
)

func newApp() *cli.App {
	return &cli.App{
		Name:  "phaselock",
		Usage: "run preregistered benchmark phases, counterbalanced and pinned, and say why the numbers may be wrong",
		Description: `A phase is a Starlark script that declares arms, cases, a block design and an estimand.

   phaselock check examples/quickstart.star     is it a phase?
   phaselock test examples/                     do its tests pass?
   phaselock plan examples/quickstart.star      every run, in order
   phaselock run examples/quickstart.star       run it and answer its question
   phaselock analyze results/DIR                make the answer again from the raw output

Exit codes: 0 done; 1 a gate or a test failed, or diff, fmt or lint found something; 2 usage, script or plan error, nothing
was run; 3 not what was declared (a finding of severity invalid, a broken pin); 4 the machine; 5 a gate is inconclusive;
130 interrupted.`,
		HideVersion:            true,
		UseShortOptionHandling: false,
		Suggest:                true,
		EnableBashCompletion:   true,
		Commands: []*cli.Command{
			checkCommand(), testCommand(), lintCommand(), fmtCommand(), stubsCommand(), diffCommand(),
			planCommand(), explainCommand(), sealCommand(), verifyCommand(), runCommand(), analyzeCommand(), reportCommand(), auditCommand(), noteCommand(), bundleCommand(), openCommand(), kvserveCommand(), versionCommand(),
		},
		CommandNotFound: func(c *cli.Context, name string) {},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError("no command %q; phaselock help lists them", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return &campaign.Error{Code: campaign.ExitUsage, Err: err}
		},
		ExitErrHandler: func(*cli.Context, error) {}, // Main decides
	}
}

// command fills in what all commands share: their usage errors have exit code 2 and name the help.
func command(c *cli.Command) *cli.Command {
	c.HideHelpCommand = true
	c.OnUsageError = func(ctx *cli.Context, err error, _ bool) error {
		return usageError("phaselock %s: %v; phaselock %s --help lists the flags", ctx.Command.Name, err, ctx.Command.Name)
	}
	return c
}

func usageError(format string, args ...any) error {
	return &campaign.Error{Code: campaign.ExitUsage, Err: fmt.Errorf(format, args...)}
}

// silent is an exit code whose reasons have been printed already.
type silent struct{ code int }

func (silent) Error() string { return "" }

func codeError(code int) error {
	if code == campaign.ExitOK {
		return nil
	}
	return silent{code}
}

func exitCode(err error) int {
	var s silent
	var ds host.Diagnostics
	var ps protocol.Problems
	switch {
	case errors.As(err, &s):
		return s.code
	case errors.As(err, &ds), errors.As(err, &ps):
		var coded *campaign.Error
		if errors.As(err, &coded) {
			return coded.Code
		}
		return campaign.ExitUsage
	}
	return campaign.Code(err)
}

// oneArgument returns the only argument of a command.
func oneArgument(c *cli.Context, what string) (string, error) {
	switch c.NArg() {
	case 1:
		return c.Args().First(), nil
	case 0:
		return "", usageError("phaselock %s: name %s", c.Command.Name, what)
	}
	return "", usageError("phaselock %s: one %s, got %d", c.Command.Name, what, c.NArg())
}

func write(w io.Writer, data []byte) error {
	_, err := w.Write(data)
	return err
}
