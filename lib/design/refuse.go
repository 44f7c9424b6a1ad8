package design

import (
	"fmt"

	"github.com/phaselock/phaselock/lib/protocol"
)

// refuse says why a design gives no orders for these arms and what would, or "" where it gives them.
func refuse(d protocol.Design, arms []string) string {
	switch {
	case len(arms) == 0:
		return "no arms to order"
	case d.Blocks < 1:
		return fmt.Sprintf("%d blocks; there must be at least one", d.Blocks)
	}
	switch d.Kind {
	case protocol.DesignFixed, protocol.DesignRandomized:
		return ""
	case protocol.DesignCounterbalanced:
		if len(arms) <= 2 {
			return "" // an odd number is accepted, its surplus order drawn
		}
	case protocol.DesignWilliams:
	default:
		return fmt.Sprintf("no such design; there are %s, %s, %s and %s",
			protocol.DesignCounterbalanced, protocol.DesignWilliams, protocol.DesignRandomized, protocol.DesignFixed)
	}
	return unbalanced(len(arms), d.Blocks)
}

// unbalanced names the nearest numbers of blocks in which a Williams square of t arms repeats whole, where blocks is none.
func unbalanced(t, blocks int) string {
	rows := t
	if t%2 == 1 && t > 1 {
		rows = 2 * t
	}
	if blocks%rows == 0 {
		return ""
	}
	next := (blocks/rows + 1) * rows
	counts := fmt.Sprint(next)
	if below := next - rows; below > 0 {
		counts = fmt.Sprintf("%d or %d", below, next)
	}
	return fmt.Sprintf("%d arms are balanced in a multiple of %d blocks only, %d is none: use %s blocks, or randomized()", t, rows, blocks, counts)
}
