package report

import (
	"math"
	"strconv"
	"strings"
)

// Numbers are rescaled for display alone: analysis.json and metrics.csv hold them as they were printed.

// kind is what a unit measures, as far as it matters for showing it.
type kind int

const (
	plain kind = iota // shown as it is, with its unit
	duration
	size
)

// step is one display unit of a kind.
type step struct {
	factor float64
	suffix string
}

var steps = map[kind][]step{
	duration: {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}},
	size:     {{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1 << 40, "TiB"}},
}

// numerators are the last words of a unit's numerator that mean a time or a size, with their factor.
var numerators = map[string]struct {
	kind   kind
	factor float64
}{
	"ns": {duration, 1}, "us": {duration, 1e3}, "µs": {duration, 1e3}, "μs": {duration, 1e3}, "ms": {duration, 1e6},
	"s": {duration, 1e9}, "sec": {duration, 1e9}, "B": {size, 1}, "bytes": {size, 1},
}

// measure is a unit, read for display.
type measure struct {
	unit   string
	kind   kind
	factor float64 // to ns or bytes
	per    string  // "/row", for sentences; "" for "/op", which says nothing
	fast   bool    // less of it is faster: time spent, and no part or percentile of it
}

// read reads a unit: ns/op, sec/op, wall-ns, B/op, max-rss-bytes, p99-ns/op, 12 ns/row.
func read(unit string) measure {
	num, den, over := strings.Cut(unit, "/")
	words := strings.Split(num, "-")
	n, ok := numerators[words[len(words)-1]]
	m := measure{unit: unit, factor: 1}
	if !ok {
		return m
	}
	m.kind, m.factor = n.kind, n.factor
	if over && den != "op" {
		m.per = "/" + den
	}
	m.fast = m.kind == duration && (len(words) == 1 || num == "wall-ns")
	return m
}

// significant writes v with n significant digits and never with an exponent, integers of its unit in full.
func significant(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	_, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', n-1, 64), "e") // after rounding: 0.99996 has the power of 1
	exponent, _ := strconv.Atoi(power)
	return strconv.FormatFloat(v, 'f', max(n-1-exponent, 0), 64)
}

// wholeBytes is the number from which bytes are rounded: below, their last digit may matter.
const wholeBytes = 1e4

// scaled writes v, given in ns or bytes, in the display unit in which it is at least 1, to n significant digits.
func (m measure) scaled(v float64, n int) string {
	list := steps[m.kind]
	s := list[0]
	for _, next := range list[1:] {
		if math.Abs(v)/next.factor >= 0.9995 && (m.kind != size || math.Abs(v) >= wholeBytes) {
			s = next
		}
	}
	v /= s.factor
	if s.factor == 1 && v == math.Trunc(v) && math.Abs(v) < 1e4 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + s.suffix
	}
	if a := math.Abs(v); a != 0 && (a < 1e-3 || a >= 1e7) {
		return strconv.FormatFloat(v, 'g', n, 64) + " " + s.suffix
	}
	return significant(v, n) + " " + s.suffix
}

// number writes a plain number: integers in full, else n+1 significant digits without zeros at the end.
func number(v float64, n int) string {
	a := math.Abs(v)
	switch {
	case v == math.Trunc(v) && a < 1e9:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1e9 || a < 1e-3:
		return strconv.FormatFloat(v, 'g', n+1, 64)
	}
	s := significant(v, n+1)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// cell writes v for a table whose row or heading names the unit, so that it needs no "/row".
func (m measure) cell(v float64, n int) string {
	switch x := v * m.factor; {
	case m.kind == plain:
		return number(v, n)
	case math.IsInf(x, 0):
		return number(v, n) + " " + m.unit
	default:
		return m.scaled(x, n)
	}
}

// cells writes numbers that are read side by side: with so many digits, three to six, that different ones look
// different.
func (m measure) cells(ps ...*float64) []string {
	out := make([]string, len(ps))
	for n := 3; n <= 6; n++ {
		apart := true
		for i, p := range ps {
			v, ok := finite(p)
			if !ok {
				out[i] = missing
				continue
			}
			out[i] = m.cell(v, n)
			for j := range i {
				w, ok := finite(ps[j])
				apart = apart && (!ok || w == v || out[j] != out[i])
			}
		}
		if apart {
			break
		}
	}
	return out
}

// differences writes differences in one display unit, signed, so that one that is not 0 never prints as 0. The suffix
// is that unit; it is empty for plain numbers.
func (m measure) differences(vs ...float64) (numbers []string, suffix string) {
	largest := 0.0
	for _, v := range vs {
		largest = math.Max(largest, math.Abs(v*m.factor))
	}
	if math.IsInf(largest, 0) {
		m = measure{unit: m.unit, factor: 1}
	}
	factor := 1.0
	for i, s := range steps[m.kind] {
		if i == 0 || largest/s.factor >= 0.9995 {
			factor, suffix = s.factor, s.suffix
		}
	}
	shown := make([]float64, len(vs))
	whole := true
	for i, v := range vs {
		shown[i] = v * m.factor / factor
		whole = whole && shown[i] == math.Trunc(shown[i])
	}
	d := 0
	if !whole {
		d = decimals(max(baseDecimals(largest/factor)-1, 0), 0, shown...)
	}
	for _, v := range shown {
		numbers = append(numbers, signed(v, fixed(v, d)))
	}
	return numbers, suffix
}
