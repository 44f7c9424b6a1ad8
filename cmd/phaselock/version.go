package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version of the tool; releases move it.
const version = "v0.1.0"

func versionCommand() *cli.Command {
	return command(&cli.Command{
		Name:        "version",
		Usage:       "print the versions of phaselock, Go and the Starlark interpreter",
		Description: "   phaselock version",
		Action: func(c *cli.Context) error {
			fmt.Fprintln(c.App.Writer, toolLine())
			return nil
		},
	})
}

// toolLine is how results and seals name what made them.
func toolLine() string {
	line := fmt.Sprintf("phaselock %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return line
	}
	for _, m := range info.Deps {
		if m.Path == "go.starlark.net" {
			line += " starlark " + m.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			line += " commit " + s.Value
		}
		if s.Key == "vcs.modified" && s.Value == "true" {
			line += " modified"
		}
	}
	return line
}
