package campaign

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// most bounds the differences that one comparison names: the first ones are what a reader needs.
const most = 20

// recomputed returns a derived file as it lies there and as it should be. ok is false if there is nothing to compare; the differences
// then say why, unless the phase was not closed and the file need not be there yet.
func (a *audited) recomputed(name string) (have, want []byte, out []Difference, ok bool) {
	if a.Result == nil {
		return nil, nil, nil, false
	}
	have, missing := a.Folder.file(name)
	if missing {
		if !a.closed() {
			a.note("%s is not here: the phase was not closed", name)
			return nil, nil, nil, false
		}
		return nil, nil, []Difference{{File: name, Have: "no such file", Want: "the file: phaselock run --resume makes it again"}}, false
	}
	want, err := a.derive(name)
	if err != nil {
		return nil, nil, []Difference{{File: name, Have: "a file", Want: "none: " + err.Error()}}, false
	}
	if !a.closed() {
		a.note("%s was not compared: the phase was not closed", name)
		return nil, nil, nil, false
	}
	return have, want, nil, !bytes.Equal(have, want)
}

// metrics compares metrics.csv row by row and field by field.
func (a *audited) metrics() []Difference {
	const name = "metrics.csv"
	have, want, out, differ := a.recomputed(name)
	if !differ {
		return out
	}
	got, err := csv.NewReader(bytes.NewReader(have)).ReadAll()
	if err != nil {
		return []Difference{{File: name, Have: err.Error(), Want: "the samples"}}
	}
	rows, err := csv.NewReader(bytes.NewReader(want)).ReadAll()
	if err != nil {
		return []Difference{{File: name, Have: "a file", Want: err.Error()}}
	}
	if len(got) != len(rows) {
		out = append(out, Difference{File: name, Field: "rows", Have: fmt.Sprint(len(got) - 1), Want: fmt.Sprint(len(rows) - 1)})
	}
	for i := range min(len(got), len(rows)) {
		for j := range min(len(got[i]), len(rows[i])) {
			if got[i][j] != rows[i][j] && len(out) < most {
				out = append(out, cell(name, rows, i, j, got[i][j]))
			}
		}
		if len(got[i]) != len(rows[i]) && len(out) < most {
			out = append(out, Difference{File: fmt.Sprintf("%s:%d", name, i+1), Field: "columns", Have: fmt.Sprint(len(got[i])), Want: fmt.Sprint(len(rows[i]))})
		}
	}
	if len(out) == 0 {
		out = append(out, Difference{File: name, Have: "other bytes", Want: "the same values as phaselock writes them"})
	}
	return out
}

// cell names a field of metrics.csv by its run, repeat and column.
func cell(name string, rows [][]string, i, j int, have string) Difference {
	d := Difference{File: fmt.Sprintf("%s:%d", name, i+1), Field: "column " + rows[0][j], Have: fmt.Sprintf("%q", have), Want: fmt.Sprintf("%q", rows[i][j])}
	if i == 0 {
		d.Field = "header"
		return d
	}
	d.Run, _ = strconv.Atoi(rows[i][0]) // the first column is the run's number
	if at := slices.Index(rows[0], "repeat"); at >= 0 {
		d.Field = "repeat " + rows[i][at] + ": " + d.Field
	}
	return d
}

// analysis compares analysis.json field by field.
func (a *audited) analysis() []Difference {
	const name = "analysis.json"
	have, want, out, differ := a.recomputed(name)
	if !differ {
		return out
	}
	got, err := decodeJSON(have)
	if err != nil {
		return []Difference{{File: name, Have: err.Error(), Want: "the analysis"}}
	}
	right, err := decodeJSON(want)
	if err != nil {
		return []Difference{{File: name, Have: "a file", Want: err.Error()}}
	}
	w := walker{file: name}
	w.walk("", 0, got, right)
	if len(w.out) == 0 {
		w.out = append(w.out, Difference{File: name, Have: "other bytes", Want: "the same values as phaselock writes them"})
	}
	return w.out
}

func decodeJSON(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// walker compares two JSON values and names the fields in which they differ.
type walker struct {
	file string
	out  []Difference
}

func (w *walker) walk(field string, run int, have, want any) {
	if len(w.out) >= most {
		return
	}
	switch right := want.(type) {
	case map[string]any:
		got, ok := have.(map[string]any)
		if !ok {
			break
		}
		if n, ok := right["run"].(json.Number); ok {
			run, _ = strconv.Atoi(n.String())
		}
		for _, name := range sortedKeys(right) {
			if _, ok := got[name]; !ok {
				w.differ(joined(field, name), run, "nothing", shown(right[name]))
				continue
			}
			w.walk(joined(field, name), run, got[name], right[name])
		}
		for _, name := range sortedKeys(got) {
			if _, ok := right[name]; !ok {
				w.differ(joined(field, name), run, shown(got[name]), "nothing")
			}
		}
		return
	case []any:
		got, ok := have.([]any)
		if !ok {
			break
		}
		if len(got) != len(right) {
			w.differ(field, run, fmt.Sprintf("%d entries", len(got)), fmt.Sprintf("%d entries", len(right)))
		}
		for i := range min(len(got), len(right)) {
			w.walk(fmt.Sprintf("%s[%d]", field, i), run, got[i], right[i])
		}
		return
	}
	if h, r := shown(have), shown(want); h != r {
		w.differ(field, run, h, r)
	}
}

func (w *walker) differ(field string, run int, have, want string) {
	w.out = append(w.out, Difference{File: w.file, Run: run, Field: field, Have: have, Want: want})
}

func joined(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

func shown(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// report compares report.md line by line.
func (a *audited) report() []Difference {
	const name = "report.md"
	have, want, out, differ := a.recomputed(name)
	if !differ {
		return out
	}
	got, right := bytes.Split(have, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(got), len(right)) {
		h, r := "no line", "no line"
		if i < len(got) {
			h = fmt.Sprintf("%q", got[i])
		}
		if i < len(right) {
			r = fmt.Sprintf("%q", right[i])
		}
		if h != r {
			out = append(out, Difference{File: fmt.Sprintf("%s:%d", name, i+1), Have: h, Want: r})
		}
		if len(out) == 3 { // one line more or less moves all that follow
			break
		}
	}
	return out
}
