// Package cluster says what a cluster is, by its status document: a field that is not there is unknown, never 0.
package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Document is a status document. Any field of it can be missing at any time.
type Document struct{ root map[string]any }

// Parse reads a status document.
func Parse(text []byte) (*Document, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("status document: %w", err)
	}
	if root == nil {
		return nil, errors.New("status document: want an object, got null")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("status document: more follows its object")
	}
	return &Document{root}, nil
}

// At is what stands at a path, names of fields between dots and indexes of lists from 0, as cluster.qos.limiting.name;
// nil where nothing does, and where null does. Numbers are json.Number.
func (d *Document) At(path string) any {
	var at any = d.root
	for name := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			at = v[i]
		default:
			return nil
		}
	}
	return at
}

// Number is the number at a path, nil where it is unknown. Something else that stands there is an error: the path names
// another thing than the caller believes.
func (d *Document) Number(path string) (*float64, error) {
	switch v := d.At(path).(type) {
	case nil:
		return nil, nil
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("status document: %s: %s is beyond a float64", path, v)
		}
		return &f, nil
	default:
		return nil, fmt.Errorf("status document: %s: want a number, got %s", path, kind(v))
	}
}

// number is the number at a path, nil where there is none.
func (d *Document) number(path string) *float64 {
	n, err := d.Number(path)
	if err != nil {
		return nil
	}
	return n
}

// integer is the whole number at a path, nil where there is none.
func (d *Document) integer(path string) *int64 {
	v, ok := d.At(path).(json.Number)
	if !ok {
		return nil
	}
	n, err := v.Int64()
	if err != nil {
		return nil
	}
	return &n
}

// text is the string at a path, "" where there is none.
func (d *Document) text(path string) string {
	s, _ := d.At(path).(string)
	return s
}

// object is what stands at a path under its names, in order; known is false where there is no object.
func (d *Document) object(path string) (names []string, fields map[string]any, known bool) {
	fields, known = d.At(path).(map[string]any)
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, fields, known
}

func kind(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
