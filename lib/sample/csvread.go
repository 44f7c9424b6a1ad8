package sample

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/plan"
)

// CSVOptions say what a CSV file of samples cannot: what is compared with what, and how.
type CSVOptions struct {
	Baseline    string // required with more than one arm
	Interval    string // plan.StudentT (the default), Percentile or SignFlip
	Level       float64
	Resamples   int   // of Percentile
	Seed        int64 // of Percentile
	Differences []string
	Constants   []CSVConstant
	Metrics     []CSVMetric // empty: every column of a unit that is no constant, lower is better
}

// CSVMetric is a column that is compared.
type CSVMetric struct{ Unit, Better string }

// CSVConstant is a column that must not differ, and the confound that it stands for, if any.
type CSVConstant struct{ Unit, Confound string }

// ReadCSV reads a CSV file of samples from anywhere and returns the plan that they would have come from, with the
// processes. Columns are found by name: arm, block, position and repeat are required, case (one case "all" where it
// is missing), run, attempt and iterations are not, and every other column is a unit.
//
// A run that the file has no row of (an arm in a block) stands in the plan and has no process. Without a column run,
// runs are numbered by block, then by case in order of appearance, then by position. The plan knows nothing that the
// file does not say: no commands, no files, no expectations.
//
// Errors name file, line and column, and the way out.
func ReadCSV(r io.Reader, name string, o CSVOptions) (*plan.Plan, []Process, error) {
	t, err := readTable(r, name)
	if err != nil {
		return nil, nil, err
	}
	metrics, err := t.metrics(o)
	if err != nil {
		return nil, nil, err
	}
	rows, err := t.samples(metrics)
	if err != nil {
		return nil, nil, err
	}
	g, err := newCSVGrid(name, rows)
	if err != nil {
		return nil, nil, err
	}
	phase, err := g.phase(o, metrics)
	if err != nil {
		return nil, nil, err
	}
	p := &plan.Plan{Version: plan.Version, Phase: phase, Runs: g.runs}
	return p, g.processes(), nil
}

// table is a CSV file as text: its header and the places of its fields.
type table struct {
	name   string
	header []string
	rows   []tableRow
}

type tableRow struct {
	line   int
	cols   []int // where each field begins, in bytes from 1
	fields []string
}

func (t *table) errorf(line, col int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", t.name, line, col, fmt.Sprintf(format, args...))
}

// readTable reads header and rows; all rows have the header's length.
func readTable(r io.Reader, name string) (*table, error) {
	in := bufio.NewReader(r)
	if err := passMark(in, name); err != nil {
		return nil, err
	}
	t := &table{name: name}
	c := csv.NewReader(in)
	c.FieldsPerRecord = -1
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return nil, t.errorf(parse.Line, parse.Column, "%v; write a quote inside a quoted field twice", parse.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		row := tableRow{fields: fields, cols: make([]int, len(fields))}
		for i := range fields {
			row.line, row.cols[i] = c.FieldPos(i)
		}
		row.line, _ = c.FieldPos(0)
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
	switch {
	case t.header == nil:
		return nil, fmt.Errorf("%s: the file is empty; its first line names the columns: arm,block,position,repeat,ns/op", name)
	case len(t.rows) == 0:
		return nil, fmt.Errorf("%s: a header and no samples", name)
	}
	return t, nil
}

func (t *table) add(row tableRow) error {
	for i, f := range row.fields {
		if !utf8.ValidString(f) || strings.ContainsRune(f, 0) {
			return t.errorf(row.line, row.cols[i], "%s is no UTF-8 text; save the file as UTF-8", quoted([]byte(f)))
		}
	}
	if t.header != nil {
		if got, want := len(row.fields), len(t.header); got != want {
			return t.errorf(row.line, row.cols[min(got, want)-1], "%d fields, and the header has %d; write numbers as 1234.5, without separators of thousands", got, want)
		}
		t.rows = append(t.rows, row)
		return nil
	}
	if len(row.fields) == 1 && strings.ContainsAny(row.fields[0], ";\t") {
		return t.errorf(row.line, 1, "one column, %s; separate columns by commas", quoted([]byte(row.fields[0])))
	}
	for i, f := range row.fields {
		switch {
		case f == "" || f != strings.TrimSpace(f):
			return t.errorf(row.line, row.cols[i], "%q is no name of a column", f)
		case slices.Contains(row.fields[:i], f):
			return t.errorf(row.line, row.cols[i], "two columns are named %q", f)
		}
	}
	for _, f := range []string{"arm", "block", "position", "repeat"} {
		if !slices.Contains(row.fields, f) {
			return t.errorf(row.line, 1, "no column %q%s", f, didYouMean(f, row.fields))
		}
	}
	t.header = row.fields
	return nil
}

// units returns the columns that are units.
func (t *table) units() []string {
	var units []string
	for _, h := range t.header {
		if !slices.Contains(csvColumns, h) {
			units = append(units, h)
		}
	}
	return units
}

// csvSample is one row.
type csvSample struct {
	line                                  int
	caseName, arm                         string
	run, block, attempt, position, repeat int // run is 0 without that column
	iterations                            int64
	values                                map[string]float64
}

// Bounds of a row's numbers: what is larger is a mistake, and would make a plan of empty blocks.
const (
	maxBlock  = 100_000
	maxNumber = 1_000_000_000
)

// samples reads every row's labels and the values of the metrics.
func (t *table) samples(metrics []plan.Metric) ([]csvSample, error) {
	column := map[string]int{}
	for i, h := range t.header {
		column[h] = i
	}
	once := t.oncePerProcess(metrics, column)
	out := make([]csvSample, 0, len(t.rows))
	for i := range t.rows {
		row := &t.rows[i]
		s := csvSample{line: row.line, caseName: "all", attempt: 1, values: make(map[string]float64, len(metrics))}
		if err := t.labels(row, column, &s); err != nil {
			return nil, err
		}
		for j := range metrics {
			unit := metrics[j].Unit
			c := column[unit]
			text := strings.TrimSpace(row.fields[c])
			if text == "" && once[unit] && s.repeat > 1 {
				continue
			}
			v, err := csvNumber(text)
			if err != nil {
				return nil, t.errorf(row.line, row.cols[c], "%s: %v", unit, err)
			}
			s.values[unit] = v
		}
		out = append(out, s)
	}
	return out, nil
}

// labels reads what a row says of its place in the experiment, as far as the file has columns for it.
func (t *table) labels(row *tableRow, column map[string]int, s *csvSample) error {
	for _, n := range []struct {
		name string
		to   *string
	}{{"case", &s.caseName}, {"arm", &s.arm}} {
		c, ok := column[n.name]
		if !ok {
			continue
		}
		if *n.to = row.fields[c]; strings.TrimSpace(*n.to) == "" {
			return t.errorf(row.line, row.cols[c], "the name of the %s is empty", n.name)
		}
	}
	for _, n := range []struct {
		name string
		to   *int
		most int
	}{
		{"run", &s.run, maxNumber},
		{"block", &s.block, maxBlock},
		{"attempt", &s.attempt, maxNumber},
		{"position", &s.position, maxNumber},
		{"repeat", &s.repeat, maxNumber},
	} {
		c, ok := column[n.name]
		if !ok {
			continue
		}
		v, err := strconv.Atoi(strings.TrimSpace(row.fields[c]))
		if err != nil || v < 1 || v > n.most {
			return t.errorf(row.line, row.cols[c], "%s %s: want a whole number from 1 to %d", n.name, quoted([]byte(row.fields[c])), n.most)
		}
		*n.to = v
	}
	c, ok := column["iterations"]
	if !ok || strings.TrimSpace(row.fields[c]) == "" {
		return nil
	}
	v, err := strconv.ParseInt(strings.TrimSpace(row.fields[c]), 10, 64)
	if err != nil || v < 0 {
		return t.errorf(row.line, row.cols[c], "iterations %s: want a whole number, not negative", quoted([]byte(row.fields[c])))
	}
	s.iterations = v
	return nil
}

// oncePerProcess returns the metrics that have no value in any row but those of repeat 1.
func (t *table) oncePerProcess(metrics []plan.Metric, column map[string]int) map[string]bool {
	once := map[string]bool{}
	for i := range metrics {
		unit := metrics[i].Unit
		once[unit] = true
		for j := range t.rows {
			f := t.rows[j].fields
			if strings.TrimSpace(f[column["repeat"]]) != "1" && strings.TrimSpace(f[column[unit]]) != "" {
				once[unit] = false
				break
			}
		}
	}
	return once
}

// csvNumber reads a finite decimal number.
func csvNumber(text string) (float64, error) {
	if text == "" {
		return 0, errors.New("the field is empty; name the columns to analyse with --metric, or leave the row out")
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is too large for a number", quoted([]byte(text)))
	case err != nil && strings.Contains(text, ","):
		return 0, fmt.Errorf("%s is no number; write 1234.5, without separators of thousands and with a decimal point", quoted([]byte(text)))
	case err != nil || strings.ContainsAny(text, "xX_"):
		return 0, fmt.Errorf("%s is no number; name the columns to analyse with --metric if this is none of them", quoted([]byte(text)))
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is not finite; leave the row out: the process then counts as incomplete", quoted([]byte(text)))
	}
	return v, nil
}
