package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
)

func auditCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "audit",
		Usage:     "recompute everything in a result folder and compare it with what lies there",
		ArgsUsage: "DIR",
		Description: `Recomputes the ledger's chain, counts, labels, samples, metrics.csv, analysis.json and report.md from plan.json, the ledger and
runs/, and names every field that differs, with its file and run. It changes nothing. Exit 0: it holds; 3: it does not.

Whoever owns a folder can rewrite all of it consistently. Only a digest that was kept elsewhere finds that: --head takes the one that
an audit printed on the day of the run; a signed head in the folder is held to the ledger by itself.

   phaselock audit results/c2-20261014T101500Z
   phaselock audit results/c2-20261014T101500Z --head 9a41…
   phaselock audit results/c2-20261014T101500Z --self-test`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "self-test", Usage: "prove that the audit can fail: change one digit, one label, one row, one byte of each kind of file in a copy, and find every change; --self-test"},
			&cli.StringFlag{Name: "head", Usage: "the ledger must have a line with this `DIGEST`, which was kept outside of the folder, and every run before it; --head 9a41…"},
		},
		Action: func(c *cli.Context) error {
			dir, err := oneArgument(c, "a result folder")
			if err != nil {
				return err
			}
			head := c.String("head")
			if c.IsSet("head") && (len(head) != 64 || strings.Trim(head, "0123456789abcdef") != "") {
				return usageError("--head %q: want the 64 hexadecimal digits of a SHA-256", head)
			}
			phases, err := campaign.Phases(dir)
			if err != nil {
				return err
			}
			if len(phases) > 1 && head != "" {
				return usageError("--head is of one phase; audit %s by itself", phases[0])
			}
			worst := campaign.ExitOK
			for _, phase := range phases {
				code, err := auditPhase(c, phase, head)
				if err != nil {
					return err
				}
				worst = campaign.Worst(worst, code)
			}
			return codeError(worst)
		},
	})
}

func auditPhase(c *cli.Context, dir, head string) (int, error) {
	a, err := campaign.RunAudit(dir, head)
	if err != nil {
		return 0, err
	}
	printAudit(c.App.Writer, dir, a)
	switch {
	case !a.Holds():
		return campaign.ExitInvalid, nil
	case !c.Bool("self-test"):
		return campaign.ExitOK, nil
	}
	s, err := campaign.RunSelfTest(dir)
	if err != nil {
		return 0, err
	}
	return printSelfTest(c.App.Writer, s), nil
}

func printAudit(w io.Writer, dir string, a *campaign.Audit) {
	fmt.Fprintf(w, "%s: compared %s\n", dir, strings.Join(a.Comparisons, ", "))
	if a.Head != "" {
		fmt.Fprintf(w, "ledger: %d lines, head %s\n", a.Lines, a.Head)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, d := range a.Differences {
		fmt.Fprintf(w, "%s: %s\n", d.Comparison, d)
	}
	switch {
	case !a.Holds():
		fmt.Fprintf(w, "does not hold: %d differ\n", len(a.Differences))
	case a.Anchor != "":
		fmt.Fprintf(w, "holds, anchored: %s\n", a.Anchor)
	default:
		fmt.Fprintln(w, "holds, unanchored: a folder that was rewritten as a whole cannot be told from this one; keep the head elsewhere and give it with --head")
	}
}

// printSelfTest prints what found each change, and returns the exit code.
func printSelfTest(w io.Writer, s *campaign.SelfTest) int {
	for _, f := range s.Found {
		if len(f.By) == 0 {
			fmt.Fprintf(w, "self-test: %s: NOT FOUND\n", f.Change)
			continue
		}
		fmt.Fprintf(w, "self-test: %s: found by %s (%s)\n", f.Change, strings.Join(f.By, ", "), cut(f.Where, 120))
	}
	for _, name := range s.Skipped {
		fmt.Fprintf(w, "self-test: %s: this folder has none\n", name)
	}
	if missed := s.Missed(); len(missed) > 0 {
		fmt.Fprintf(w, "self-test: %d of %d changes were not found: the audit of this folder proves nothing\n", len(missed), len(s.Found))
		return campaign.ExitInvalid
	}
	fmt.Fprintf(w, "self-test: all of %d changes were found\n", len(s.Found))
	return campaign.ExitOK
}

// cut shortens a text to n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
