package report

import (
	"math"
	"strconv"
	"strings"
)

// missing stands where there is no number; the reason stands beside it.
const missing = "–"

// mostDecimals is what keeps the double nearest to 1 apart from it.
const mostDecimals = 16

// finite returns the number behind p; ok is false where it is missing or not finite.
func finite(p *float64) (v float64, ok bool) {
	if p == nil || math.IsNaN(*p) || math.IsInf(*p, 0) {
		return 0, false
	}
	return *p, true
}

func bothFinite(a, b *float64) (x, y float64, ok bool) {
	x, okX := finite(a)
	y, okY := finite(b)
	return x, y, okX && okY
}

// fixed writes v with d decimals, and in scientific notation where that would say nothing: below 0.0001 or from 1e7.
func fixed(v float64, d int) string {
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e7) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	s := strconv.FormatFloat(v, 'f', d, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// baseDecimals gives three or four significant digits to a number of that size.
func baseDecimals(v float64) int {
	switch a := math.Abs(v); {
	case a >= 1000:
		return 0
	case a >= 100:
		return 1
	case a >= 10:
		return 2
	case a >= 0.1 || a == 0:
		return 3
	case a >= 0.01:
		return 4
	}
	return 5
}

// decimals returns how many decimals vs share, from d up: so many that whatever is not null does not print as null
// or on its other side, and, within three more, that different neighbours print differently. An interval that
// excludes 1 never prints as including it.
func decimals(d int, null float64, vs ...float64) int {
	for ; d < mostDecimals; d++ {
		ok := true
		for _, v := range vs {
			ok = ok && (v == null || fixed(v, d) != fixed(null, d))
		}
		if ok {
			break
		}
	}
	for more := 0; more < 3 && d < mostDecimals; more++ {
		apart := true
		for i := 1; i < len(vs); i++ {
			apart = apart && (alike(vs[i-1], vs[i]) || fixed(vs[i-1], d) != fixed(vs[i], d))
		}
		if apart {
			break
		}
		d++
	}
	return d
}

// alike reports whether two numbers differ by no more than rounding does.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) }

// ratio writes one ratio: 0.337, 1.003, 12.35; 0.9996 where three decimals would say 1.
func ratio(p *float64) string {
	v, ok := finite(p)
	if !ok {
		return missing
	}
	if v == 1 {
		return "1"
	}
	return fixed(v, decimals(baseDecimals(v), 1, v))
}

// percent writes a ratio as a signed change: -66.3%, +0.31%.
func percent(p *float64) string {
	v, ok := finite(p)
	if !ok {
		return missing
	}
	c := (v - 1) * 100
	d := 2
	switch a := math.Abs(c); {
	case c == 0:
		return "0%"
	case math.IsInf(c, 0):
		return missing
	case a >= 1e6 || a < 0.005:
		return signed(c, strconv.FormatFloat(c, 'g', 2, 64)) + "%"
	case a >= 1000:
		d = 0
	case a >= 10:
		d = 1
	}
	return signed(c, strconv.FormatFloat(c, 'f', d, 64)) + "%"
}

// signed puts a plus before a positive number.
func signed(v float64, s string) string {
	if v > 0 {
		return "+" + s
	}
	return s
}

// level writes 0.95 as 95%.
func level(l float64) string {
	if math.IsNaN(l*100) || math.IsInf(l*100, 0) {
		return missing
	}
	return strconv.FormatFloat(l*100, 'g', 6, 64) + "%"
}

// exact writes v by shortest round trip.
func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return missing
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// brackets writes the two ends in square brackets.
func brackets(low, high string) string { return "[" + low + ", " + high + "]" }
