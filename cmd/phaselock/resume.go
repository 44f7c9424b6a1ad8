package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
)

// resume goes on with the phases of a folder, in the order in which they were opened.
func resume(c *cli.Context) error {
	if c.NArg() > 0 {
		return usageError("phaselock run --resume: no script is read, the folder has the plan; leave %q out", c.Args().First())
	}
	for _, name := range []string{"out", "set", "root", "phase", "sealed", "anchor"} {
		if c.IsSet(name) {
			return usageError("phaselock run --resume: --%s goes with a script; the folder has its plan already", name)
		}
	}
	s, err := sealingOf(c)
	if err != nil {
		return err
	}
	phases, err := campaign.Phases(c.String("resume"))
	if err != nil {
		return err
	}
	worst := campaign.ExitOK
	for i, dir := range phases {
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		code, err := resumePhase(c, s, dir)
		if err != nil {
			return err
		}
		worst = campaign.Worst(worst, code)
		if code == campaign.ExitInterrupted {
			break
		}
	}
	return codeError(worst)
}

func resumePhase(c *cli.Context, s *sealing, dir string) (int, error) {
	line := newProgress(c)
	outcome, err := campaign.Resume(c.Context, dir, line.options(c, dir, s))
	line.clear()
	if err != nil {
		return 0, err
	}
	if outcome.Done != "" {
		fmt.Fprintf(c.App.Writer, "%s: nothing to do: %s\n", dir, outcome.Done)
		return inconclusive(c, outcome.Code), nil
	}
	return lastScreen(c, outcome, dir)
}
