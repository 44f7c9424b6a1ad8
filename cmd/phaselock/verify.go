package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/seal"
	"github.com/phaselock/phaselock/starlark/std"
)

func verifyCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "verify",
		Usage:     "say of every line of a seal whether it holds here",
		ArgsUsage: "FILE.seal | DIR",
		Description: `Reads the files that the seal names, evaluates its script with its parameters, and compares. Nothing is run, and nothing is built
unless --rebuild is given: what phaselock builds is "not checked here" without it.

Of a result folder it says who signed its seal and its ledger.

   phaselock verify c2.seal
   phaselock verify c2.seal --root ~/clone --rebuild
   phaselock verify c2.seal --allowed-signers signers --identity alice@example.com
   phaselock verify results/c2 --allowed-signers signers --identity alice@example.com

Exit codes: 0 all that was to be verified holds; 3 something does not; 2 there is no seal to verify.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "root", Usage: "resolve // labels and paths from `DIR` (default: the folder of the seal, or the one above it in which its script lies); --root ~/clone"},
			&cli.StringFlag{Name: "script", Usage: "hold the script in `FILE` to the seal, whatever it is called now; --script c2-final.star"},
			&cli.StringFlag{Name: "harness", Usage: "hold the phaselock in `FILE` to the seal, not the one that runs; --harness /opt/phaselock"},
			&cli.BoolFlag{Name: "rebuild", Usage: "build what the seal's script builds, with the go tool, and compare that too; --rebuild"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT` text or json; --format json"},
		}, signerFlags()...),
		Action: verifyAction,
	})
}

func verifyAction(c *cli.Context) error {
	if f := c.String("format"); f != "text" && f != "json" {
		return usageError("--format %q: want text or json", f)
	}
	file, err := oneArgument(c, "a seal or a result folder")
	if err != nil {
		return err
	}
	allowed, err := allowedSigners(c)
	if err != nil {
		return err
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return verifyFolder(c, file, allowed)
	}
	sealed, err := campaign.ReadSealed(file)
	if err != nil {
		return err
	}
	o := campaign.VerifyOptions{
		Root: c.String("root"), Script: c.String("script"), Library: std.FS, Harness: c.String("harness"), Rebuild: c.Bool("rebuild"),
		Allowed: allowed, Identity: c.String("identity"), Now: time.Now(),
	}
	if err := evaluateSealed(c, sealed.Seal, file, &o); err != nil {
		return err
	}
	v, err := campaign.Verify(c.Context, sealed, o)
	if err != nil {
		return err
	}
	if c.String("format") == "json" {
		err = writeJSON(c.App.Writer, v)
	} else {
		err = showVerification(c.App.Writer, file, v)
	}
	if err == nil && !v.Holds {
		err = codeError(campaign.ExitInvalid)
	}
	return err
}

// signerFlags ask who must have signed.
func signerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "allowed-signers", Usage: "it must be signed by a key that `FILE` allows, in the form of ssh-keygen(1); --allowed-signers signers"},
		&cli.StringFlag{Name: "identity", Usage: "who must have signed, by `ID` of the allowed signers; --identity alice@example.com"},
	}
}

func allowedSigners(c *cli.Context) (*seal.AllowedSigners, error) {
	if c.IsSet("allowed-signers") != c.IsSet("identity") {
		return nil, usageError("--allowed-signers and --identity go together: which of them signed?")
	}
	if !c.IsSet("allowed-signers") {
		return nil, nil
	}
	data, err := os.ReadFile(c.String("allowed-signers"))
	if err != nil {
		return nil, usageError("--allowed-signers: %w", err)
	}
	allowed, err := seal.ParseAllowedSigners(data)
	if err != nil {
		return nil, usageError("--allowed-signers %s: %w", c.String("allowed-signers"), err)
	}
	return allowed, nil
}

// evaluateSealed evaluates the sealed script, with the sealed parameters, as it is here. That it does not evaluate is a part of the
// answer.
func evaluateSealed(c *cli.Context, s *seal.Seal, file string, o *campaign.VerifyOptions) error {
	entry, err := campaign.Entry(s)
	if err != nil && o.Script == "" {
		return err
	}
	switch {
	case o.Root != "":
	case o.Script != "":
		o.Root = filepath.Dir(o.Script)
	default:
		o.Root = campaign.RootOf(s, file)
	}
	path := o.Script
	if path == "" {
		path = filepath.Join(o.Root, filepath.FromSlash(strings.TrimPrefix(entry, "//")))
	}
	ev, err := evaluateWith(c.Context, path, o.Root, "", campaign.Settings(s))
	if err != nil {
		o.NotEvaluated = err
		return c.Context.Err()
	}
	o.Phases, o.Root = sealedPhases(s, ev.phases), ev.script.Root
	return nil
}

// sealedPhases returns those phases that a seal names: a seal may be of one of several (seal --phase).
func sealedPhases(s *seal.Seal, phases []campaign.Script) []campaign.Script {
	if len(phases) < 2 {
		return phases
	}
	var named []campaign.Script
	alone, isAlone := s.Line(seal.KindPlan, "")
	for _, p := range phases {
		_, is := s.Line(seal.KindPlan, p.Plan.Phase.Name)
		if is || isAlone && alone.SHA256 == p.Plan.Digest {
			named = append(named, p)
		}
	}
	if isAlone && len(named) != 1 {
		return phases
	}
	return named
}

// marks are the words before a line.
var marks = map[string]string{
	campaign.StatusHolds: "holds", campaign.StatusChanged: "CHANGED", campaign.StatusMissing: "MISSING",
	campaign.StatusNotSealed: "NOT SEALED", campaign.StatusUnchecked: "not checked here",
}

// showVerification says what became of each line, and how many hold.
func showVerification(w io.Writer, file string, v *campaign.Verification) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", v.Seal, file)
	count := map[string]int{}
	for _, l := range v.Lines {
		count[l.Status]++
		fmt.Fprintf(&b, "  %-16s  %s", marks[l.Status], l.Name())
		switch {
		case l.Why != "":
			fmt.Fprintf(&b, ": %s", l.Why)
		case l.Status == campaign.StatusNotSealed:
			fmt.Fprintf(&b, ": now %s", l.Now)
		}
		b.WriteByte('\n')
		if l.Status == campaign.StatusChanged {
			fmt.Fprintf(&b, "                    sealed %s\n                    now    %s\n", l.Sealed, l.Now)
		}
	}
	if s := v.Signature; s != nil {
		fmt.Fprintf(&b, "  %s\n", signatureText(s))
	}
	fmt.Fprintf(&b, "%d of %d lines hold", count[campaign.StatusHolds], len(v.Lines))
	for _, status := range []string{campaign.StatusChanged, campaign.StatusMissing, campaign.StatusNotSealed, campaign.StatusUnchecked} {
		if n := count[status]; n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, status)
		}
	}
	b.WriteByte('\n')
	return write(w, []byte(b.String()))
}

func signatureText(s *campaign.VerifiedSignature) string {
	switch {
	case !s.Holds:
		return "NOT SIGNED as asked: " + s.Why
	case s.Identity != "":
		return "signed by " + s.Identity + " with the key " + s.Key
	}
	return "signed by the key " + s.Key + "; " + s.Why
}

func writeJSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return write(w, append(data, '\n'))
}
