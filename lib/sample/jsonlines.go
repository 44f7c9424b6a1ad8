package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// jsonLines reads lines of {metric: number} from standard output, one a repeat, in order. Blank lines are passed
// over; every other line must be one flat object of finite numbers with each name once. Names that are not declared
// are kept and not analysed.
func (r *reader) jsonLines() error {
	in, err := r.files.Stdout.open()
	if err != nil {
		return err
	}
	defer in.Close()
	name := r.files.Stdout.Name
	count, extra := 0, 0
	err = eachLine(in, name, maxOutput, func(l line) error {
		text := bytes.TrimSpace(l.text)
		if len(text) == 0 {
			return nil
		}
		if count++; count > r.run.Repeats {
			if extra == 0 {
				extra = l.number
			}
			return nil
		}
		values, err := parseObject(text)
		at := fmt.Sprintf("%s:%d", name, l.number)
		if err != nil {
			return r.fail(FailParse, "%s: %s; want one {metric: number} a line, other text on standard error: %s", at, err, quoted(text))
		}
		if err := r.holdUnits(at, values); err != nil {
			return err
		}
		r.samples = append(r.samples, Sample{Repeat: count, Values: values})
		return nil
	})
	var text *textError
	switch {
	case errors.As(err, &text):
		return r.fail(FailParse, "%s", text.message)
	case err != nil:
		return err
	case count > r.run.Repeats:
		return r.fail(FailRows, "%s:%d: %d lines where %d are declared (repeats)", name, extra, count, r.run.Repeats)
	case count < r.run.Repeats:
		return r.fail(FailRows, "%s: %d of %d lines of {metric: number}", name, count, r.run.Repeats)
	}
	return nil
}

// parseObject reads one flat object of finite numbers.
func parseObject(text []byte) (map[string]float64, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	switch t, err := d.Token(); {
	case err != nil:
		return nil, jsonError(err)
	case t != json.Delim('{'):
		return nil, errors.New("no JSON object")
	}
	values := map[string]float64{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, jsonError(err)
		}
		name := t.(string) // a decoder gives nothing else as a name
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("the name %q stands twice", name)
		}
		if values[name], err = number(d, name); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return values, nil
}

// number reads the value of a name.
func number(d *json.Decoder, name string) (float64, error) {
	t, err := d.Token()
	if err != nil {
		return 0, fmt.Errorf("the value of %q: %w", name, jsonError(err))
	}
	n, ok := t.(json.Number)
	if !ok {
		return 0, fmt.Errorf("the value of %q is no number", name)
	}
	v, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("the value of %q is too large for a number", name)
	}
	return v, nil
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the object does not end")
	}
	return fmt.Errorf("no JSON: %w", err)
}
