package check

import (
	"fmt"
	"slices"
	"strings"
)

// control notes the A/A arms, and how often their interval excluded no difference.
func control(in *Input) []Finding {
	var out []Finding
	for i := range in.phase().Arms {
		arm := &in.phase().Arms[i]
		if !arm.Control {
			continue
		}
		total, excluded := 0, 0
		var names []string
		for j := range in.Comparisons {
			c := &in.Comparisons[j]
			if (c.Arm != arm.Name && c.Base != arm.Name) || c.Low == nil {
				continue
			}
			total++
			if *c.Low > c.null() || *c.High < c.null() {
				excluded++
				names = append(names, c.Case+" "+c.Metric)
			}
		}
		s := fmt.Sprintf("%s is a control (A/A): its interval excludes no difference in %d of %s", arm.Name, excluded, count(total, "comparison"))
		if excluded > 0 {
			s += " (" + strings.Join(slices.Compact(names), ", ") + ")"
		}
		out = append(out, Finding{Arm: arm.Name, At: at(arm.At), Message: s + "; by construction that happens to one comparison in twenty at 95%"})
	}
	return out
}
