package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/engine"
	"github.com/phaselock/phaselock/lib/report"
)

func openCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "open",
		Usage:     "open a bundle: verify, audit, analyse and report what is in it",
		ArgsUsage: "FILE",
		Description: `Nothing of the bundle is run, and no script in it is evaluated. It is unpacked into a folder; then signatures and seal are verified,
everything is recomputed and compared (phaselock audit), and the answer is printed as the run printed it. Exit 0: all of it holds, and the
phase's own findings and gates are well; 3: something does not hold, or the bundle was cut off or changed; 2: it is no bundle.

   phaselock open c2.phaselock
   phaselock open c2.phaselock --into /tmp/c2 --allowed-signers signers --identity me@example.com`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "into", Usage: "unpack into `DIR`, which must not exist or be empty (default: the file's name without its ending); --into /tmp/c2"},
			&cli.Int64Flag{Name: "max-bytes", Value: 16 << 30, Usage: "refuse a bundle that unpacks to more than `N` bytes; --max-bytes 1000000000"},
			inconclusiveFlag(),
		}, signerFlags()...),
		Action: func(c *cli.Context) error {
			if err := validInconclusive(c); err != nil {
				return err
			}
			file, err := oneArgument(c, "a bundle")
			if err != nil {
				return err
			}
			return openBundle(c, file)
		},
	})
}

func openBundle(c *cli.Context, file string) error {
	allowed, err := allowedSigners(c)
	if err != nil {
		return err
	}
	into := c.String("into")
	if into == "" {
		name := filepath.Base(file)
		if into = strings.TrimSuffix(name, filepath.Ext(name)); into == name || into == "" {
			return usageError("%s: say where to unpack it, with --into DIR: its name has no ending to leave out", file)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return usageError("%v", err)
	}
	defer f.Close()
	phases, sum, err := campaign.OpenBundle(f, into, c.Int64("max-bytes"))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(c.App.Writer, "%s: %d files, %d bytes, unpacked into %s\n", file, sum.Files, sum.Bytes, into)
	worst := campaign.ExitOK
	for _, dir := range phases {
		fmt.Fprintln(c.App.Writer)
		v, err := campaign.VerifyFolder(dir, allowed, c.String("identity"), time.Now())
		if err != nil {
			return err
		}
		fmt.Fprint(c.App.Writer, folderText(v))
		if !v.Holds {
			worst = campaign.Worst(worst, campaign.ExitInvalid)
		}
		code, err := auditPhase(c, dir, "")
		if err != nil {
			return err
		}
		worst = campaign.Worst(worst, code)
		if campaign.WithoutRuns(dir) {
			fmt.Fprintf(c.App.Writer, "The samples cannot be computed again without runs/: %s is as it was stored.\n", filepath.Join(dir, "report.md"))
			continue
		}
		fmt.Fprintln(c.App.Writer)
		again, err := campaign.Analyze(dir)
		if err != nil {
			return err
		}
		page := again.Page()
		page.Folder = dir
		if err := report.Terminal(c.App.Writer, page, report.TerminalOptions{Width: terminalWidth(), Color: colour()}); err != nil {
			return err
		}
		worst = campaign.Worst(worst, inconclusive(c, again.Result.ExitCode()))
	}
	return codeError(worst)
}

// digestOf returns the SHA-256 of a file, in hexadecimal.
func digestOf(path string) (string, error) {
	out, err := engine.Digest(path)
	return out.SHA256, err
}
