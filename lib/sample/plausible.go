package sample

import (
	"math"
	"strings"
)

// cycle is shorter than a clock cycle of any processor that there is: 0.2 ns is one at 5 GHz.
const cycle = 0.2

// plausible warns of rows that are valid and cannot be what they seem.
//
// Of a custom metric that shadows a built-in unit the output shows little: b.ReportMetric(7, "B/op") replaces
// testing's own figure in place and form. What shows is a figure that testing cannot have counted itself: bytes or
// allocations that are no whole number, or fewer bytes than allocations.
func (r *reader) plausible(at string, row goRow) {
	if ns, ok := row.values["ns/op"]; ok && ns < cycle {
		r.warn("implausible", "ns/op", "%s: %s ns/op is less than a clock cycle: the compiler removed the work, the timer was stopped, or b.N was not used", at, row.texts["ns/op"])
	}
	for unit, text := range row.texts {
		if row.values[unit] == 0 && strings.HasSuffix(text, ".0000000") {
			r.warn("implausible", unit, "%s: %s was printed as %s: it is too small for the digits that testing prints; report it in a smaller unit", at, unit, text)
		}
	}
	bytes, hasBytes := row.values["B/op"]
	allocs, hasAllocs := row.values["allocs/op"]
	for _, unit := range []string{"B/op", "allocs/op"} {
		if v, ok := row.values[unit]; ok && v != math.Trunc(v) {
			r.warn("shadowed-unit", unit, "%s: %s %s is no whole number, so a custom metric stands in place of testing's own", at, row.texts[unit], unit)
		}
	}
	if hasBytes && hasAllocs && bytes < allocs {
		r.warn("shadowed-unit", "B/op", "%s: %s B/op is less than %s allocs/op, so a custom metric stands in place of testing's own", at, row.texts["B/op"], row.texts["allocs/op"])
	}
}
