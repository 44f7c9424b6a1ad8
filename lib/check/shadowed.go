package check

import (
	"github.com/phaselock/phaselock/lib/sample"
)

// shadowedUnit finds custom metrics that take the name of a built-in one.
func shadowedUnit(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning { return withID(c, "shadowed-unit") })
}
