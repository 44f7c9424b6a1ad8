package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves a command's flags before its arguments, since people write them after
// (`phaselock run c2.star --out out/c2`) and the flag package reads none there. What follows "--" stays where it is.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 3 {
		return args
	}
	i := slices.IndexFunc(app.Commands, func(c *cli.Command) bool { return c.HasName(args[1]) })
	if i < 0 {
		return args
	}
	var flags, rest []string
	for words := args[2:]; len(words) > 0; words = words[1:] {
		word := words[0]
		if word == "--" {
			rest = append(rest, words...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			rest = append(rest, word)
			continue
		}
		flags = append(flags, word)
		if takesValue(app.Commands[i], word) && len(words) > 1 {
			words = words[1:]
			flags = append(flags, words[0])
		}
	}
	return slices.Concat(args[:2], flags, rest)
}

// takesValue reports whether the next word belongs to this flag.
func takesValue(c *cli.Command, word string) bool {
	name, _, inline := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if inline {
		return false
	}
	for _, f := range c.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}
