package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/starlark/host"
)

func diffCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "diff",
		Usage:     "say what changed in the protocol, not in the text, between two scripts, plans or result folders",
		ArgsUsage: "BEFORE AFTER",
		Description: `Each of both is a script (.star), a plan.json or a result folder. A comment or a loop that is written otherwise changes the
text and not the protocol.

   phaselock diff old/c2.star c2.star
   phaselock diff results/c2-20261014T101500Z c2.star --format markdown

Exit codes: 0 the same protocol; 1 the protocol differs; 2 one of them could not be read.`,
		Flags: append(scriptFlags(),
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` text, markdown or json; --format json"},
		),
		Action: diffAction,
	})
}

func diffAction(c *cli.Context) error {
	if c.NArg() != 2 {
		return usageError("phaselock diff: name two scripts, plans or result folders, got %d", c.NArg())
	}
	format := c.String("format")
	if !slices.Contains([]string{"text", "markdown", "json"}, format) {
		return usageError("--format %q: want text, markdown or json", format)
	}
	before, err := declared(c, c.Args().Get(0))
	if err != nil {
		return err
	}
	after, err := declared(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	cmp := report.Compare(c.Args().Get(0), c.Args().Get(1), before.plans, after.plans, texts(before.script, after.script))
	switch format {
	case "text":
		err = report.CompareText(c.App.Writer, cmp, report.TerminalOptions{Width: terminalWidth()})
	case "markdown":
		err = report.CompareMarkdown(c.App.Writer, cmp)
	case "json":
		err = report.CompareJSON(c.App.Writer, cmp)
	}
	if err == nil && !cmp.Same() {
		err = codeError(campaign.ExitGate)
	}
	return err
}

// declaration is what one argument of diff declares.
type declaration struct {
	plans  []*plan.Plan
	script *host.Script // nil: a plan
}

// declared reads a script, a plan.json, or the one in a result folder.
func declared(c *cli.Context, path string) (*declaration, error) {
	if strings.HasSuffix(path, ".star") {
		ev, err := evaluateNamed(c, path)
		if err != nil {
			return nil, err
		}
		d := &declaration{script: ev.script}
		for _, s := range ev.phases {
			d.plans = append(d.plans, s.Plan)
		}
		return d, nil
	}
	name := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name = filepath.Join(path, "plan.json")
	}
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) && name != path {
			err = fmt.Errorf("%s is no result folder: there is no plan.json in it", path)
		}
		return nil, &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	defer f.Close()
	pl, err := plan.Decode(f)
	if err != nil {
		return nil, &campaign.Error{Code: campaign.ExitUsage, Err: fmt.Errorf("%s: %w", path, err)}
	}
	return &declaration{plans: []*plan.Plan{pl}}, nil
}

// texts compares the sources of two scripts: the entries whatever they are called, and what they load by its label.
func texts(before, after *host.Script) report.Texts {
	if before == nil || after == nil {
		return report.TextsUnknown
	}
	same := slices.EqualFunc(sources(before), sources(after), func(a, b host.Source) bool {
		return a.Label == b.Label && bytes.Equal(a.Bytes, b.Bytes)
	})
	if same {
		return report.TextsSame
	}
	return report.TextsDiffer
}

// sources returns the entry first, without its name, then the rest by label.
func sources(s *host.Script) []host.Source {
	var entry, rest []host.Source
	for _, src := range s.Sources {
		if src.Label == s.Entry {
			src.Label = ""
			entry = append(entry, src)
		} else {
			rest = append(rest, src)
		}
	}
	return append(entry, rest...)
}
