package sample

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// goRow is one row of Go benchmark output.
type goRow struct {
	line       int
	name       string // as printed
	iterations int64
	values     map[string]float64 // units verbatim
	texts      map[string]string  // the numbers as printed
}

// maxUnits bounds a row: benchfmt remembers every unit that it has seen.
const maxUnits = 1000

// rowParser reads rows with benchfmt, one at a time, so that each has its line, whatever stands between them.
type rowParser struct {
	benchfmt benchfmt.Reader
	text     bytes.Reader
}

// parse reads one row. The error has place and advice.
func (p *rowParser) parse(file string, l line) (goRow, error) {
	at := fmt.Sprintf("%s:%d", file, l.number)
	fields := bytes.Fields(l.text) // as benchfmt splits them
	if len(fields) > 2+2*maxUnits {
		return goRow{}, fmt.Errorf("%s: more than %d metrics in one row, which begins %s", at, maxUnits, quoted(l.text))
	}
	p.text.Reset(l.text)
	p.benchfmt.Reset(&p.text, file)
	if !p.benchfmt.Scan() {
		return goRow{}, fmt.Errorf("%s: not read: %w", at, p.benchfmt.Err())
	}
	switch rec := p.benchfmt.Result().(type) {
	case *benchfmt.Result:
		return held(at, l.number, rec, fields)
	case *benchfmt.SyntaxError:
		return goRow{}, syntaxError(at, rec.Msg, fields)
	default:
		return goRow{}, fmt.Errorf("%s: no benchmark row: %s", at, quoted(l.text))
	}
}

// syntaxError says what is wrong with a row that benchfmt refuses, and what is likely to have made it so.
func syntaxError(at, message string, fields [][]byte) error {
	name := fields[0]
	if len(fields) == 1 {
		return fmt.Errorf("%s: %s is a name without numbers (%s): other output tore the row; print to standard error", at, name, message)
	}
	row := quoted(bytes.Join(fields, []byte(" ")))
	if !isNumeral(fields[1]) {
		return fmt.Errorf("%s: a name without numbers (%s): %s; other output stands in the row: print to standard error", at, message, row)
	}
	return fmt.Errorf("%s: %s: %s", at, message, row)
}

// isNumeral reports whether text begins as a number does.
func isNumeral(text []byte) bool {
	text = bytes.TrimLeft(text, "+-")
	return len(text) > 0 && text[0] >= '0' && text[0] <= '9'
}

// held refuses what benchfmt accepts and a measurement cannot have: iterations below one, a unit twice, numbers
// that are not finite, and numerals that Go's testing does not print.
func held(at string, number int, rec *benchfmt.Result, fields [][]byte) (goRow, error) {
	row := goRow{
		line: number, name: "Benchmark" + string(rec.Name), iterations: int64(rec.Iters),
		values: make(map[string]float64, len(rec.Values)), texts: make(map[string]string, len(rec.Values)),
	}
	if row.iterations <= 0 {
		what := "zero iterations"
		if row.iterations < 0 {
			what = "negative iterations"
		}
		return row, fmt.Errorf("%s: %s: %s; nothing was measured", at, what, quoted(bytes.Join(fields, []byte(" "))))
	}
	for i, v := range rec.Values {
		text := string(fields[2+2*i])
		value, unit := v.Value, v.Unit
		if v.OrigUnit != "" {
			value, unit = v.OrigValue, v.OrigUnit
		}
		if _, twice := row.values[unit]; twice {
			return row, fmt.Errorf("%s: the unit %s stands twice in one row: %s", at, unit, quoted(bytes.Join(fields, []byte(" "))))
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return row, fmt.Errorf("%s: %s %s is not finite; nothing was measured, or the program divided by zero", at, text, unit)
		}
		if strings.ContainsAny(text, "xX_") {
			return row, fmt.Errorf("%s: %s %s: parsing measurement: no decimal number", at, text, unit)
		}
		row.values[unit], row.texts[unit] = value, text
	}
	return row, nil
}

// unitsOf lists the units of a row for a message, in order.
func unitsOf(values map[string]float64) string {
	const most = 12
	units := slices.Sorted(maps.Keys(values))
	switch {
	case len(units) == 0:
		return "none"
	case len(units) > most:
		return fmt.Sprintf("%s and %d others", strings.Join(units[:most], ", "), len(units)-most)
	}
	return strings.Join(units, ", ")
}
