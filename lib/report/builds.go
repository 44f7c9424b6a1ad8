package report

import (
	"strings"

	"github.com/phaselock/phaselock/lib/plan"
)

// recipe is one part of how a Go arm's binary is built.
type recipe struct {
	what string
	of   func(b *plan.Build) string
}

// recipes returns the parts of the recipes of a case's programs, the build environment variable by variable.
func recipes(ph *plan.Phase, c *plan.Case) []recipe {
	names := map[string]bool{}
	for _, cmd := range c.Commands {
		if b := built(ph, &cmd); b != nil {
			for n := range b.Env {
				names[n] = true
			}
		}
	}
	out := []recipe{
		{"built package", func(b *plan.Build) string { return b.Package }},
		{"built in", func(b *plan.Build) string { return orElse(b.Dir, "the root") }},
		{"git ref", func(b *plan.Build) string { return orElse(b.Ref, "the working tree") }},
		{"build tags", func(b *plan.Build) string { return orElse(strings.Join(b.Tags, ","), "none") }},
		{"build flags", func(b *plan.Build) string { return orElse(strings.Join(b.Flags, " "), "none") }},
		{"profile", func(b *plan.Build) string {
			if b.PGO == nil {
				return "none"
			}
			return b.PGO.String()
		}},
	}
	for _, name := range sortedKeys(names) {
		out = append(out, recipe{"build environment " + name, func(b *plan.Build) string {
			v, ok := b.Env[name]
			if !ok {
				return "(unset)"
			}
			return orElse(v, "(empty)")
		}})
	}
	return out
}

// built returns the recipe of a command's program, or nil where it is no build.
func built(ph *plan.Phase, cmd *plan.Command) *plan.Build {
	if len(cmd.Argv) == 0 || cmd.Argv[0].File == "" {
		return nil
	}
	f := ph.File(cmd.Argv[0].File)
	if f == nil {
		return nil
	}
	return f.Build
}
