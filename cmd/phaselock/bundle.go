package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
)

// bundleSuffix is how the name of a bundle ends.
const bundleSuffix = ".phaselock"

func bundleCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "bundle",
		Usage:     "pack a result folder into one file, for a reviewer",
		ArgsUsage: "DIR",
		Description: `The file holds all that phaselock open needs to verify, audit, analyse and report on another machine. The same folder gives the
same bytes: its digest can be published. --without bin leaves out the programs that ran, --without runs their raw output; the digests of
both stay in the ledger.

   phaselock bundle results/c2-20261014T101500Z
   phaselock bundle results/c2-20261014T101500Z --without bin --out c2.phaselock`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, which must not exist (default DIR" + bundleSuffix + "); --out c2.phaselock"},
			&cli.StringSliceFlag{Name: "without", Usage: "leave out a `FOLDER`, runs or bin; --without bin"},
		},
		Action: func(c *cli.Context) error {
			dir, err := oneArgument(c, "a result folder")
			if err != nil {
				return err
			}
			out := c.String("out")
			if out == "" {
				if out = filepath.Clean(dir); filepath.Base(out) == "." || filepath.Base(out) == ".." {
					return usageError("%s: say how the bundle is to be called, with --out FILE", dir)
				}
				out += bundleSuffix
			}
			return bundleInto(c, dir, out)
		},
	})
}

// bundleInto writes the bundle under another name first: a file of that name is a whole bundle.
func bundleInto(c *cli.Context, dir, out string) error {
	if _, err := os.Lstat(out); err == nil {
		return usageError("%s exists; nothing is overwritten: choose another name with --out", out)
	}
	f, err := os.CreateTemp(filepath.Dir(out), ".bundle-*.tmp")
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum, err := campaign.Bundle(f, dir, c.StringSlice("without"))
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return f.Chmod(0o644) }, f.Sync, f.Close,
		func() error { return os.Link(f.Name(), out) }, // not over a file that came between
	} {
		if err := step(); err != nil {
			return &campaign.Error{Code: campaign.ExitMachine, Err: err}
		}
	}
	for _, name := range sum.LeftOut {
		fmt.Fprintf(c.App.ErrWriter, "left out: %s is no regular file\n", name)
	}
	digest, err := digestOf(out)
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	fmt.Fprintf(c.App.Writer, "%s: %d files, %d bytes in all, SHA-256 %s\n", out, sum.Files, sum.Bytes, digest)
	return nil
}
