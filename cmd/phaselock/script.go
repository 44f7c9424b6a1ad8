package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/plan"
	"github.com/phaselock/phaselock/lib/protocol"
	"github.com/phaselock/phaselock/starlark/host"
	"github.com/phaselock/phaselock/starlark/std"
)

// evaluationTimeout is the deadline of a script and all that it loads; the largest take a second.
const evaluationTimeout = time.Minute

// scriptFlags are the flags of every command that evaluates a script.
func scriptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "set", Usage: "give a param() of the script another value, `NAME=VALUE`; --set quick=true"},
		&cli.StringFlag{Name: "root", Usage: "resolve // labels and relative paths from `DIR`, not from the script's folder; --root ."},
		&cli.StringFlag{Name: "phase", Usage: "only the phase of this `NAME`, where a script declares several; --phase d2"},
		&cli.StringFlag{Name: "errors", Value: "text", Usage: "print a script's errors as `FORMAT` text or json; --errors json"},
	}
}

// evaluated is a script with the plan of each phase that was asked for.
type evaluated struct {
	script *host.Script
	phases []campaign.Script
}

// evaluate reads and plans the script that a command names. Errors have been given their place, source line and caret.
func evaluate(c *cli.Context) (*evaluated, error) {
	entry, err := oneArgument(c, "a script (.star)")
	if err != nil {
		return nil, err
	}
	return evaluateNamed(c, entry)
}

// evaluateNamed reads and plans a script.
func evaluateNamed(c *cli.Context, entry string) (*evaluated, error) {
	ev, err := evaluateScript(c.Context, c, entry)
	var ds host.Diagnostics
	if errors.As(err, &ds) && c.String("errors") == "json" {
		data, jerr := json.MarshalIndent(ds, "", "  ")
		if jerr != nil {
			return nil, jerr
		}
		if err := write(c.App.Writer, append(data, '\n')); err != nil {
			return nil, err
		}
		return nil, silent{exitCode(err)}
	}
	return ev, err
}

func evaluateScript(ctx context.Context, c *cli.Context, entry string) (*evaluated, error) {
	if f := c.String("errors"); f != "text" && f != "json" {
		return nil, usageError("--errors %q: want text or json", f)
	}
	params, err := settings(c.StringSlice("set"))
	if err != nil {
		return nil, err
	}
	return evaluateWith(ctx, entry, c.String("root"), c.String("phase"), params)
}

// evaluateWith reads a script and plans the phase of this name, or all of them.
func evaluateWith(ctx context.Context, entry, root, phase string, params map[string]string) (*evaluated, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, evaluationTimeout, fmt.Errorf("it took more than %s", evaluationTimeout))
	defer cancel()
	script, err := host.Eval(ctx, entry, host.Options{
		Root: root, Std: std.FS, Params: params,
		Print: func(pos, message string) { fmt.Fprintf(os.Stderr, "%s: %s\n", pos, message) },
	})
	if err != nil {
		return nil, &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	ev := &evaluated{script: script}
	for _, p := range script.Phases {
		if phase != "" && p.Name != phase {
			continue
		}
		s, err := ev.plan(p)
		if err != nil {
			return nil, err
		}
		ev.phases = append(ev.phases, s)
	}
	if len(ev.phases) == 0 {
		return nil, usageError("--phase %q: %s declares %s", phase, entry, phaseNames(script.Phases))
	}
	return ev, nil
}

func (ev *evaluated) plan(p *protocol.Phase) (campaign.Script, error) {
	flat := host.Print(p)
	sum := sha256.Sum256(flat)
	pl, err := plan.New(p, hex.EncodeToString(sum[:]))
	if err != nil {
		return campaign.Script{}, ev.diagnose(err)
	}
	s := campaign.Script{Plan: pl, Flat: flat, Root: ev.script.Root, Entry: ev.script.Entry}
	for _, src := range ev.script.Sources {
		s.Sources = append(s.Sources, campaign.Source{Label: src.Label, Bytes: src.Bytes})
	}
	return s, nil
}

// diagnose gives problems of the data their source lines, and leaves other errors as they are.
func (ev *evaluated) diagnose(err error) error {
	var ps protocol.Problems
	var p protocol.Problem
	switch {
	case errors.As(err, &ps):
	case errors.As(err, &p):
		ps = protocol.Problems{p}
	default:
		return err
	}
	code := campaign.ExitUsage
	var coded *campaign.Error
	if errors.As(err, &coded) {
		code = coded.Code
	}
	return &campaign.Error{Code: code, Err: ev.script.Diagnose(ps)}
}

// onePhase returns the only phase, for commands that show one.
func (ev *evaluated) onePhase() (campaign.Script, error) {
	if len(ev.phases) > 1 {
		return campaign.Script{}, usageError("the script declares %s; choose one with --phase", phaseNames(ev.script.Phases))
	}
	return ev.phases[0], nil
}

func phaseNames(ps []*protocol.Phase) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = fmt.Sprintf("%q", p.Name)
	}
	return "the phases " + strings.Join(names, ", ")
}

// settings reads --set NAME=VALUE.
func settings(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usageError("--set %q: want NAME=VALUE, --set quick=true for instance", s)
		}
		if _, twice := out[name]; twice {
			return nil, usageError("--set %s: given twice", name)
		}
		out[name] = value
	}
	return out, nil
}
