package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/analysis"
	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/report"
	"github.com/phaselock/phaselock/lib/sample"
)

func analyzeCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "analyze",
		Usage:     "make the result again, from a result folder or from a CSV file",
		ArgsUsage: "DIR | --csv FILE",
		Description: `From a folder everything is as declared, and only plan.json, the ledger and runs/ are read. With --baseline, --interval,
--level, --resamples or --seed the analysis is another than the registered one: it is kept in the folder as analyses/NNN.json,
journalled, and labelled exploratory. From a CSV file with the columns arm, block, position, repeat and one a unit, the flags declare it.

   phaselock analyze results/c2-20261014T101500Z --format json
   phaselock analyze results/c2-20261014T101500Z --level 0.99
   phaselock analyze --csv metrics.csv --baseline old --interval student_t --difference allocs/op`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "table", Usage: "`FORMAT` table, markdown, json or csv; --format json"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, which must not exist, instead of standard output; --out again.json"},
			inconclusiveFlag(),
			&cli.StringFlag{Name: "csv", Usage: "analyse this `FILE` (\"-\": standard input) instead of a folder; --csv metrics.csv"},
			&cli.StringFlag{Name: "baseline", Usage: "the `ARM` that the others are compared with; --baseline old"},
			&cli.StringFlag{Name: "interval", Usage: "`KIND` student_t, percentile or sign_flip (default: as registered; with --csv percentile with --seed, else student_t); --interval sign_flip"},
			&cli.Float64Flag{Name: "level", Value: 0.95, Usage: "the interval's level (default of a folder: as registered); --level 0.99"},
			&cli.IntFlag{Name: "resamples", Value: 20000, Usage: "with percentile: how many resamples; --resamples 100000"},
			&cli.Int64Flag{Name: "seed", Usage: "with percentile: the bootstrap's seed; --seed 391706"},
			&cli.StringSliceFlag{Name: "metric", Usage: "with --csv: a metric, `UNIT[=lower|higher]` (default: every unit that is no constant, lower is better); --metric ns/op --metric MB/s=higher"},
			&cli.StringSliceFlag{Name: "difference", Usage: "with --csv: compare this `UNIT` by differences, not ratios; --difference allocs/op"},
			&cli.StringSliceFlag{Name: "constant", Usage: "with --csv: a constant, `UNIT[=CONFOUND]`, with the confound that it stands for; --constant \"prefix-B=physical prefix\""},
		},
		Action: analyzeAction,
	})
}

func analyzeAction(c *cli.Context) error {
	if err := validInconclusive(c); err != nil {
		return err
	}
	f, err := analyzed(c)
	if err != nil {
		return err
	}
	data, err := rendered(c.String("format"), f)
	if err != nil {
		return err
	}
	if err := output(c, data); err != nil {
		return err
	}
	return codeError(inconclusive(c, f.Result.ExitCode()))
}

// analyzed reads and analyses the folder or the file that the command names.
func analyzed(c *cli.Context) (*campaign.Folder, error) {
	if !c.IsSet("csv") {
		return analyzedFolder(c)
	}
	if c.NArg() > 0 {
		return nil, usageError("phaselock analyze: either a folder or --csv, got both")
	}
	pl, processes, err := readCSV(c)
	if err != nil {
		return nil, err
	}
	result, err := analysis.Analyze(analysis.Input{Plan: pl, Processes: processes})
	if err != nil {
		return nil, &campaign.Error{Code: campaign.ExitInvalid, Err: err}
	}
	return &campaign.Folder{Plan: pl, Processes: processes, Result: result}, nil
}

// analyzedFolder analyses a folder as its phase declared, or in another way that is kept as exploratory.
func analyzedFolder(c *cli.Context) (*campaign.Folder, error) {
	for _, name := range []string{"metric", "difference", "constant"} {
		if c.IsSet(name) {
			return nil, usageError("--%s goes with --csv: the metrics of a folder are those that its phase declared", name)
		}
	}
	dir, err := oneArgument(c, "a result folder, or --csv FILE")
	if err != nil {
		return nil, err
	}
	var x campaign.Exploration
	other := false
	for name, set := range map[string]func(){
		"baseline": func() { x.Baseline = c.String("baseline") }, "interval": func() { x.Interval = c.String("interval") },
		"level": func() { x.Level = c.Float64("level") }, "resamples": func() { x.Resamples = c.Int("resamples") },
		"seed": func() { seed := c.Int64("seed"); x.Seed = &seed },
	} {
		if c.IsSet(name) {
			other = true
			set()
		}
	}
	if !other {
		return campaign.Analyze(dir)
	}
	e, err := campaign.Explore(dir, x)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "exploratory: kept as %s, beside the registered analysis\n", filepath.Join(dir, e.Path))
	return e.Folder, nil
}

func readCSV(c *cli.Context) (*plan.Plan, []sample.Process, error) {
	name := c.String("csv")
	in, shown := os.Stdin, "standard input"
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, &campaign.Error{Code: campaign.ExitUsage, Err: err}
		}
		defer f.Close()
		in, shown = f, name
	}
	o := sample.CSVOptions{
		Baseline: c.String("baseline"), Interval: c.String("interval"), Level: c.Float64("level"),
		Resamples: c.Int("resamples"), Seed: c.Int64("seed"), Differences: c.StringSlice("difference"),
	}
	if o.Interval == "" {
		o.Interval = plan.StudentT
		if c.IsSet("seed") {
			o.Interval = plan.Percentile
		}
	}
	if o.Interval == plan.Percentile && !c.IsSet("seed") {
		return nil, nil, usageError("--interval percentile needs --seed: there is no default seed")
	}
	for _, s := range c.StringSlice("metric") {
		unit, better := cutEquals(s)
		if better == "" {
			better = "lower"
		}
		if better != "lower" && better != "higher" {
			return nil, nil, usageError("--metric %q: want UNIT, UNIT=lower or UNIT=higher", s)
		}
		o.Metrics = append(o.Metrics, sample.CSVMetric{Unit: unit, Better: better})
	}
	for _, s := range c.StringSlice("constant") {
		unit, confound := cutEquals(s)
		o.Constants = append(o.Constants, sample.CSVConstant{Unit: unit, Confound: confound})
	}
	pl, processes, err := sample.ReadCSV(in, shown, o)
	if err != nil {
		return nil, nil, &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	return pl, processes, nil
}

func rendered(format string, f *campaign.Folder) ([]byte, error) {
	switch format {
	case "json":
		return f.Result.JSON()
	case "csv":
		return f.MetricsCSV()
	case "markdown":
		return f.Report()
	case "table":
		var b bytes.Buffer
		page := f.Page()
		page.Folder = f.Dir
		err := report.Terminal(&b, page, report.TerminalOptions{Width: terminalWidth(), Color: colour()})
		return b.Bytes(), err
	}
	return nil, usageError("--format %q: want table, markdown, json or csv", format)
}

// output writes to standard output or to --out, which is never overwritten.
func output(c *cli.Context, data []byte) error {
	name := c.String("out")
	if name == "" {
		return write(c.App.Writer, data)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: fmt.Errorf("--out: %w", err)}
	}
	if err := write(f, data); err != nil {
		f.Close()
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	return f.Close()
}

// cutEquals splits UNIT[=TEXT] at its first "=": units hold slashes and hyphens, hardly ever an equals sign.
func cutEquals(s string) (unit, text string) {
	unit, text, _ = strings.Cut(s, "=")
	return unit, text
}
