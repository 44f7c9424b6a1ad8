package check

import (
	"github.com/phaselock/phaselock/lib/sample"
)

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

func withID(c *Cell, id string) []sample.Warning {
	var out []sample.Warning
	for _, w := range c.Process.Warnings {
		if w.ID == id {
			out = append(out, w)
		}
	}
	return out
}
