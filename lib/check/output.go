package check

import (
	"slices"

	"github.com/phaselock/phaselock/lib/sample"
)

// ownIDs are the ids of warnings that have a check of their own.
var ownIDs = []string{"implausible", "shadowed-unit", "duplicate-name"}

// output finds whatever else the reader of the output warned of.
func output(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning {
		var out []sample.Warning
		for _, w := range c.Process.Warnings {
			if !slices.Contains(ownIDs, w.ID) {
				out = append(out, w)
			}
		}
		return out
	})
}
