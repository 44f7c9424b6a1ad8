package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/phaselock/phaselock/fdb/connect"
	"github.com/phaselock/phaselock/fdb/steps"
	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/engine"
)

// progressLine shows where a phase stands: one line that is written over on a terminal, plain lines elsewhere.
type progressLine struct {
	w        io.Writer
	terminal bool
	width    int
	drawn    bool
}

func newProgress(c *cli.Context) *progressLine {
	terminal := term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
	line := &progressLine{w: os.Stderr, terminal: terminal, width: terminalWidth()}
	if c.Bool("quiet") {
		line.w = io.Discard
	}
	return line
}

// options are those of a run whose progress is shown here.
func (p *progressLine) options(c *cli.Context, dir string, s *sealing) campaign.Options {
	return campaign.Options{
		Out: dir, Tool: toolLine(), Housekeeping: c.String("housekeeping"), Progress: p.update,
		Cluster: clusters(c),
		Sealed:  s.sealed, Anchor: c.String("anchor"), Key: s.key,
		Say: func(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) },
	}
}

// clusters does the steps of FoundationDB. A step that names no cluster is of the one that the harness's environment names.
func clusters(c *cli.Context) *steps.Clusters {
	return &steps.Clusters{
		Open: connect.Open, Default: cmp.Or(os.Getenv("PHASELOCK_CLUSTER"), os.Getenv("FDB_CLUSTER_FILE")),
		Destroy: c.Bool("destroy-user-keys"),
	}
}

func (p *progressLine) update(pr engine.Progress) {
	if pr.Failure != nil {
		p.clear()
		fmt.Fprintf(p.w, "run %d of %d (%s, %s, block %d) failed: %s\n", pr.Run.Number, pr.Total, pr.Run.Case, pr.Run.Arm, pr.Run.Block, pr.Failure.Message)
	}
	line := fmt.Sprintf("run %d of %d  %s %s block %d  elapsed %s%s", pr.Run.Number, pr.Total, pr.Run.Case, pr.Run.Arm, pr.Run.Block,
		short(pr.Elapsed), remaining(pr))
	switch {
	case p.terminal && !pr.Finished:
		if len(line) > p.width-1 {
			line = line[:p.width-1]
		}
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		p.drawn = true
	case !p.terminal && pr.Finished:
		fmt.Fprintln(p.w, line)
	}
}

// clear removes the line, so that what is printed next stands by itself.
func (p *progressLine) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func remaining(pr engine.Progress) string {
	if pr.Done == 0 || pr.Done == pr.Total {
		return ""
	}
	return "  remaining about " + short(pr.Remaining)
}

// short rounds a duration to what a person waits for.
func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
