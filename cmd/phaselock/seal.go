package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/lib/seal"
)

func sealCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "seal",
		Usage:     "name by digest everything that decides on a phase's results, before there are any",
		ArgsUsage: "SCRIPT",
		Description: `Builds and finds what a run would use, runs nothing, and writes a text with a line for every script, binary, input, build,
program, parameter, protocol and plan, and for phaselock itself. run --sealed refuses what differs from it.
A seal proves content, not time: docs/sealing.md says what it can and cannot show.

   phaselock seal c2.star                           writes c2.seal beside the script
   phaselock seal c2.star --sign ~/.ssh/id_ed25519  and c2.seal.sig, for ssh-keygen -Y verify -n phaselock
   phaselock seal c2.star --sums | sha256sum -c     in the script's root`,
		Flags: append(scriptFlags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the seal to `FILE` (default: the script's name with .seal); --out sealed/c2.seal"},
			signFlag("the seal: writes FILE.sig"),
			&cli.BoolFlag{Name: "sums", Usage: "print the sealed files for sha256sum -c instead, and write nothing; --sums"},
		),
		Action: sealAction,
	})
}

func signFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "sign", Usage: "sign " + what + ", with `KEY`, an OpenSSH private key, or the .pub of one that the SSH agent holds; --sign ~/.ssh/id_ed25519"}
}

func sealAction(c *cli.Context) error {
	if c.Bool("sums") && (c.IsSet("out") || c.IsSet("sign")) {
		return usageError("--sums prints, and writes neither seal nor signature: leave --out and --sign out")
	}
	key, err := signingKey(c)
	if err != nil {
		return err
	}
	ev, err := evaluate(c)
	if err != nil {
		return err
	}
	out := c.String("out")
	if out == "" {
		out = strings.TrimSuffix(c.Args().First(), ".star") + ".seal"
	}
	s, err := campaign.Seal(c.Context, ev.phases, campaign.Options{Tool: toolLine(), Say: say})
	if err != nil {
		return ev.diagnose(err)
	}
	if c.Bool("sums") {
		return write(c.App.Writer, s.Sums())
	}
	return writeSeal(c, s, out, key)
}

// writeSeal writes a seal and its signature, and says what was sealed.
func writeSeal(c *cli.Context, s *seal.Seal, out string, key *seal.Key) error {
	if err := writeOnce(out, s.Text()); err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s  %s\n", s.Digest(), out)
	if key == nil {
		return nil
	}
	sig, err := key.Sign(s.Text())
	if err == nil {
		err = writeOnce(out+campaign.SignatureSuffix, sig)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "signed by %s  %s\n", key.Fingerprint(), out+campaign.SignatureSuffix)
	return nil
}

// writeOnce writes a file that is not there, or holds these bytes already: a seal that somebody may rely on is not overwritten.
func writeOnce(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		if there, rerr := os.ReadFile(path); rerr == nil && bytes.Equal(there, data) {
			return nil
		}
		return usageError("%s is there already and says something else; remove it, or choose another file with --out", path)
	}
	if err == nil {
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	return nil
}

// signingKey returns the key of --sign, or nil.
func signingKey(c *cli.Context) (*seal.Key, error) {
	if !c.IsSet("sign") {
		return nil, nil
	}
	key, err := seal.LoadKey(c.String("sign"))
	if err != nil {
		return nil, usageError("--sign: %w", err)
	}
	return key, nil
}

// say prints one line about what happens now.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
