package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"github.com/phaselock/phaselock/lib/campaign"
	"github.com/phaselock/phaselock/starlark/host"
)

func fmtCommand() *cli.Command {
	return command(&cli.Command{
		Name:      "fmt",
		Usage:     "format scripts as buildifier does",
		ArgsUsage: "PATH…",
		Description: `Scripts are written in place; folders are searched for *.star, and "-" reads standard input and writes standard output. A
script that does not parse is left alone, and what it says never changes: only its text does.

   phaselock fmt c2.star
   phaselock fmt -d examples/

Exit codes: 0 done, or nothing to do; 1 with -l or -d: something is not formatted; 2 a script does not parse.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "list", Aliases: []string{"l"}, Usage: "name the scripts that are not formatted, and write none; -l"},
			&cli.BoolFlag{Name: "diff", Aliases: []string{"d"}, Usage: "show what would change, and write nothing; -d"},
		},
		Action: fmtAction,
	})
}

func fmtAction(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageError("phaselock fmt: name scripts or folders, or - for standard input")
	}
	if c.NArg() == 1 && c.Args().First() == "-" {
		return fmtStandardInput(c)
	}
	paths, err := host.FindScripts(c.Args().Slice())
	if err != nil {
		return &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	code := campaign.ExitOK
	var wrong host.Diagnostics
	for _, path := range paths {
		changes, err := fmtFile(c, path)
		var ds host.Diagnostics
		switch {
		case errors.As(err, &ds):
			wrong = append(wrong, ds...)
		case err != nil:
			return &campaign.Error{Code: campaign.ExitMachine, Err: err}
		case changes && (c.Bool("list") || c.Bool("diff")):
			code = campaign.ExitGate
		}
	}
	if len(wrong) > 0 {
		return &campaign.Error{Code: campaign.ExitUsage, Err: wrong}
	}
	return codeError(code)
}

// fmtFile formats one script, and reports whether that changes it.
func fmtFile(c *cli.Context, path string) (changes bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	out, err := host.Format(path, src)
	if err != nil || bytes.Equal(out, src) {
		return false, err
	}
	switch {
	case c.Bool("diff"):
		return true, write(c.App.Writer, diff.Diff(path+".orig", src, path, out))
	case c.Bool("list"):
		_, err := fmt.Fprintln(c.App.Writer, path)
		return true, err
	}
	return true, replaceFile(path, out)
}

func fmtStandardInput(c *cli.Context) error {
	src, err := io.ReadAll(os.Stdin)
	if err != nil {
		return &campaign.Error{Code: campaign.ExitMachine, Err: err}
	}
	out, err := host.Format("<stdin>", src)
	if err != nil {
		return &campaign.Error{Code: campaign.ExitUsage, Err: err}
	}
	return write(c.App.Writer, out)
}

// replaceFile writes a file beside the one that a path leads to, and puts it in that one's place: a crash leaves the
// one or the other.
func replaceFile(path string, data []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of what a failure leaves
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(info.Mode().Perm()), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
