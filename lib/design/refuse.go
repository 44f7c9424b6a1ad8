package design

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/protocol"
)

// refuse says why a number of blocks cannot be balanced for these arms, and which can; "" when it can.
func refuse(d protocol.Design, arms []string) string {
	t := len(arms)
	switch {
	case t < 2 || d.Blocks < 1 || d.Kind == protocol.DesignRandomized:
		return ""
	case t == 2 && d.Kind == protocol.DesignCounterbalanced:
		return "" // an odd number is accepted, its surplus order drawn
	}
	unit := t
	if t%2 == 1 {
		unit = 2 * t
	}
	if d.Blocks%unit == 0 {
		return ""
	}
	next := (d.Blocks/unit + 1) * unit
	counts := fmt.Sprint(next)
	if below := next - unit; below > 0 {
		counts = fmt.Sprintf("%d or %d", below, next)
	}
	return fmt.Sprintf("%d arms are balanced in a multiple of %d blocks only, %d is none: use %s blocks, or randomized()", t, unit, d.Blocks, counts)
}
