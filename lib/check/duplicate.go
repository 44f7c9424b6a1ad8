package check

import (
	"github.com/phaselock/phaselock/lib/sample"
)

// duplicateName finds sub-benchmarks to whose names testing appended a number, because two have one name.
func duplicateName(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning { return withID(c, "duplicate-name") })
}
