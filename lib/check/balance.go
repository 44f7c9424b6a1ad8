package check

import (
	"fmt"
	"strings"
)

// unbalanced notes contrasts whose two orders are planned unequally often: a linear drift then does not cancel.
func unbalanced(in *Input) []Finding {
	var out []Finding
	p := in.phase()
	for _, k := range p.Contrasts {
		var words []string
		cases := map[string][]string{} // by words
		for i := range p.Cases {
			c := &p.Cases[i]
			armFirst, total := 0, 0
			for b := 1; b <= p.Design.Blocks; b++ {
				x, y := in.Grid.Cell(c.Name, k.Arm, b), in.Grid.Cell(c.Name, k.Base, b)
				if x == nil || y == nil {
					continue
				}
				total++
				if x.Run.Position < y.Run.Position {
					armFirst++
				}
			}
			if total < 2 || 2*armFirst == total {
				continue
			}
			w := fmt.Sprintf("in %d of %d blocks", armFirst, total)
			if cases[w] == nil {
				words = append(words, w)
			}
			cases[w] = append(cases[w], c.Name)
		}
		if len(words) == 0 {
			continue
		}
		var parts []string
		for _, w := range words {
			parts = append(parts, w+" of "+list(cases[w]))
		}
		out = append(out, Finding{Arm: k.Arm, At: at(p.Design.At), Message: fmt.Sprintf(
			"%s runs before %s %s: a linear drift does not cancel", k.Arm, k.Base, strings.Join(parts, ", "))})
	}
	return out
}
