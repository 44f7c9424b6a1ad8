package check

import (
	"fmt"
	"slices"

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

// shadowedUnit finds custom metrics that take the name of a built-in one.
func shadowedUnit(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning { return withID(c, "shadowed-unit") })
}

// duplicateName finds sub-benchmarks to whose names testing appended a number, because two have one name.
func duplicateName(in *Input) []Finding {
	return warnings(in, func(c *Cell) []sample.Warning { return withID(c, "duplicate-name") })
}

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

func withID(c *Cell, id string) []sample.Warning {
	var out []sample.Warning
	for _, w := range c.Process.Warnings {
		if w.ID == id {
			out = append(out, w)
		}
	}
	return out
}

// warnings groups the warnings of valid processes by case, arm and unit: the first message stands for all, with the
// blocks in which there were any.
func warnings(in *Input, of func(*Cell) []sample.Warning) []Finding {
	var out []Finding
	for i := range in.phase().Cases {
		c := &in.phase().Cases[i]
		for _, arm := range c.Arms {
			var units []string
			byUnit := map[string]*Finding{}
			for _, cell := range in.Grid.ArmCells(c.Name, arm) {
				if !cell.Valid() {
					continue
				}
				for _, w := range of(cell) {
					k := w.ID + " " + w.Unit
					f := byUnit[k]
					if f == nil {
						f = &Finding{Case: c.Name, Arm: arm, Metric: w.Unit, Message: w.Message}
						byUnit[k] = f
						units = append(units, k)
					}
					f.Blocks = addInt(f.Blocks, cell.Run.Block)
				}
			}
			for _, k := range units {
				out = append(out, some(*byUnit[k])...)
			}
		}
	}
	return out
}
