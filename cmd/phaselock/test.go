package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// testTimeout is the deadline of one test; what a test computes takes milliseconds.
const testTimeout = time.Minute

func testCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "test",
		Usage:     "run the tests of scripts, before a machine spends a night on them",
		ArgsUsage: "PATH…",
		Description: `A test is a function test_*() at top level of a script whose name ends in _test.star. It may load what it tests, and has
assert (eq, ne, true, contains, fails) and plan_of(label, **params), which evaluates and plans another script and gives
its phase with every run as data. Nothing is built, run or written. Folders are searched for tests.

   phaselock test examples/
   phaselock test c2_test.star --run orders -v

Exit codes: 0 all passed; 1 a test failed; 2 a script of tests could not be evaluated.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Usage: "run the tests in whose names `REGEXP` is found; --run 'orders|seeds'"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "name every test; -v"},
			&cli.StringFlag{Name: "root", Usage: "resolve // labels from `DIR`, not from each script's folder; --root ."},
			&cli.StringFlag{Name: "errors", Value: "text", Usage: "print failures and errors as `FORMAT` text or json; --errors json"},
		},
		Action: testAction,
	})
}

// tally counts tests, and keeps what went wrong for --errors json.
type tally struct {
	passed, failed, broken int
	wrong                  host.Diagnostics
}

func testAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageError("phaselock test: name a script of tests (_test.star) or a folder")
	}
	if f := c.String("errors"); f != "text" && f != "json" {
		return usageError("--errors %q: want text or json", f)
	}
	var match *regexp.Regexp
	if r := c.String("run"); r != "" {
		var err error
		if match, err = regexp.Compile(r); err != nil {
			return usageError("--run: %v", err)
		}
	}
	files, err := host.FindTests(c.Args().Slice())
	if err != nil {
		return &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	var t tally
	for _, path := range files {
		if err := t.file(c, path, match); err != nil {
			return err
		}
	}
	return t.end(c)
}

// file runs one script of tests and prints how each ended.
func (t *tally) file(c *cli.Context, path string, match *regexp.Regexp) error {
	text := c.String("errors") == "text"
	results, err := host.Test(c.Context, path, host.TestOptions{
		Options: host.Options{
			Root: c.String("root"), Std: std.FS,
			Print: func(pos, message string) { fmt.Fprintf(os.Stderr, "%s: %s\n", pos, message) },
		},
		Plan: planned, Match: match, Timeout: testTimeout,
	})
	if err := c.Context.Err(); err != nil {
		return codeError(campaign.ExitInterrupted)
	}
	var ds host.Diagnostics
	if errors.As(err, &ds) {
		t.broken++
		t.wrong = append(t.wrong, ds...)
		if text {
			fmt.Fprintf(c.App.Writer, "%s: no test was run\n%v\n", path, ds)
		}
		return nil
	}
	if err != nil {
		return &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	for _, r := range results {
		word := "passed"
		if len(r.Failures) > 0 {
			t.failed++
			word = "FAILED"
		} else {
			t.passed++
		}
		t.wrong = append(t.wrong, r.Failures...)
		if text && (c.Bool("verbose") || len(r.Failures) > 0) {
			fmt.Fprintf(c.App.Writer, "%s: %s %s\n", path, r.Name, word)
		}
		if text && len(r.Failures) > 0 {
			fmt.Fprintln(c.App.Writer, r.Failures)
		}
	}
	return nil
}

func (t *tally) end(c *cli.Context) error {
	if t.passed+t.failed+t.broken == 0 {
		return usageError("--run %q: no test has such a name", c.String("run"))
	}
	if c.String("errors") == "json" {
		data, err := json.MarshalIndent(append(host.Diagnostics{}, t.wrong...), "", "  ")
		if err != nil {
			return err
		}
		if err := write(c.App.Writer, append(data, '\n')); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(c.App.Writer, "%d passed, %d failed", t.passed, t.failed)
		if t.broken > 0 {
			fmt.Fprintf(c.App.Writer, ", %d not run for errors in scripts", t.broken)
		}
		fmt.Fprintln(c.App.Writer)
	}
	switch {
	case t.broken > 0:
		return codeError(campaign.ExitUsage)
	case t.failed > 0:
		return codeError(campaign.ExitGate)
	}
	return nil
}
