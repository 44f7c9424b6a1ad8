package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/report"
)

func runCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "run",
		Usage:     "run a phase into a fresh result folder, and answer its question",
		ArgsUsage: "SCRIPT | --resume DIR",
		Description: `Each run is a fresh process, pinned where the phase says so, in the plan's order. Ctrl-C once stops the run under way,
finishes the ledger and exits with 130; what ended before stays. Twice ends at once. A used folder is refused.

--resume goes on with a folder after either, after a kill or a power cut, in the plan's order and from what lies in the folder:
no script is read and nothing is built. Runs that ended are kept; the block of a case that was interrupted is run again whole, as
attempt 2, or stays incomplete where the phase says interrupted = "retain". Files are verified first; what differs is exit 3.

   phaselock run examples/quickstart.star
   phaselock run examples/quickstart.star --set quick=true --out results/try
   phaselock run c2.star --sealed c2.seal --sign ~/.ssh/id_ed25519
   phaselock run --resume results/try`,
		Flags: append(scriptFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the results to `DIR`, which must not exist or be empty (default results/PHASE-TIME); --out results/c2"},
			&cli.StringFlag{Name: "resume", Usage: "go on with the phase, or the phases, in `DIR`; --resume results/c2"},
			&cli.StringFlag{Name: "sealed", Usage: "run only what `FILE` seals, and keep the seal with the results; --sealed c2.seal"},
			&cli.StringFlag{Name: "anchor", Usage: "note that the seal was published before, and where: `TEXT`; --anchor 'commit 1234abcd of github.com/me/phases'"},
			signFlag("the ledger's head at the end: writes head.sig"),
			&cli.StringFlag{Name: "housekeeping", Usage: "pin the harness to these `CPUS` (default: all that are not measured); --housekeeping 0-1"},
			&cli.BoolFlag{Name: "destroy-user-keys", Usage: "let fdb.clear_user_keys clear a cluster of FoundationDB, every user key of it; --destroy-user-keys"},
			inconclusiveFlag(),
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress; only the last screen; -q"},
		),
		Action: func(c *cli.Context) error {
			if err := validInconclusive(c); err != nil {
				return err
			}
			if c.IsSet("resume") {
				return resume(c)
			}
			s, err := sealingOf(c)
			if err != nil {
				return err
			}
			ev, err := evaluate(c)
			if err != nil {
				return err
			}
			return runPhases(c, ev, s)
		},
	})
}

// runPhases runs what was asked for, one phase after the other: one into the folder itself, several into a folder each.
func runPhases(c *cli.Context, ev *evaluated, sealing *sealing) error {
	if err := sealing.hold(c, ev); err != nil {
		return err
	}
	out := c.String("out")
	if out == "" {
		name := ev.phases[0].Plan.Phase.Name
		if len(ev.phases) > 1 {
			name = "campaign"
		}
		out = filepath.Join("results", name+"-"+time.Now().UTC().Format("20060102T150405Z"))
	}
	worst := campaign.ExitOK
	for i, s := range ev.phases {
		dir := out
		if len(ev.phases) > 1 {
			dir = filepath.Join(out, s.Plan.Phase.Name)
		}
		if i > 0 {
			fmt.Fprintln(c.App.Writer)
		}
		code, err := runPhase(c, sealing, s, dir)
		if err != nil {
			return ev.diagnose(err)
		}
		worst = campaign.Worst(worst, code)
		if code == campaign.ExitInterrupted {
			break
		}
	}
	return codeError(worst)
}

func runPhase(c *cli.Context, sealing *sealing, s campaign.Script, dir string) (int, error) {
	line := newProgress(c)
	outcome, err := campaign.Run(c.Context, s, line.options(c, dir, sealing))
	line.clear()
	if err != nil {
		return 0, err
	}
	return lastScreen(c, outcome, dir)
}

// lastScreen prints what a phase came to, and returns its exit code.
func lastScreen(c *cli.Context, outcome *campaign.Outcome, dir string) (int, error) {
	page := outcome.Folder.Page()
	page.Folder = dir
	err := report.Terminal(c.App.Writer, page, report.TerminalOptions{Width: terminalWidth(), Color: colour()})
	return inconclusive(c, outcome.Code), err
}

func inconclusiveFlag() cli.Flag {
	return &cli.StringFlag{Name: "inconclusive", Value: "fail", Usage: "what a gate whose interval straddles its bound does to the exit code: `ACTION` fail (5) or pass (0); --inconclusive pass"}
}

func validInconclusive(c *cli.Context) error {
	if v := c.String("inconclusive"); v != "fail" && v != "pass" {
		return usageError("--inconclusive %q: want fail or pass", v)
	}
	return nil
}

func inconclusive(c *cli.Context, code int) int {
	if code == campaign.ExitInconclusive && c.String("inconclusive") == "pass" {
		return campaign.ExitOK
	}
	return code
}
