package check

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/sample"
)

// shortestOp is a clock cycle of the fastest processors, 6 GHz, in nanoseconds: no operation takes less.
const shortestOp = 1.0 / 6

// implausible finds values that no machine gives: what the reader of the output warned of, and ns/op below a clock
// cycle.
func implausible(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning {
		if out := withID(c, "implausible"); len(out) > 0 {
			return out
		}
		for i := range c.Process.Samples {
			if v, ok := c.Process.Samples[i].Values["ns/op"]; ok && v > 0 && v < shortestOp {
				return []sample.Warning{{Unit: "ns/op", Message: fmt.Sprintf(
					"run %d has %s ns/op, less than a clock cycle: the measured code was optimised away, or its loop is wrong", c.Run.Number, exact(v))}}
			}
		}
		return nil
	})
}
