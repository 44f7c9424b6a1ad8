package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
)

// compare holds a line to what was decoded from it: every value that was read must stand there under its very name, once. It
// returns the names of fields that were not read, sorted, those of nested objects with a path. JSON is compared by value, since
// another version of an encoder may escape one string in another way.
func compare(data []byte, h Header, body Body) (unknown []string, err error) {
	again, err := line(h, body)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(again[:len(again)-1], data) {
		return nil, nil
	}
	want, err := value(again)
	if err != nil {
		return nil, err
	}
	got, err := value(data)
	if err != nil {
		return nil, err
	}
	if err := within(want, got, "", &unknown); err != nil {
		return nil, err
	}
	sort.Strings(unknown)
	return unknown, nil
}

// within checks that got holds everything that want holds, and collects the fields that it has beyond that.
func within(want, got any, path string, unknown *[]string) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object", path)
		}
		for name := range w {
			if _, ok := g[name]; !ok {
				return fmt.Errorf("no field %q", path+name)
			}
			if err := within(w[name], g[name], path+name+".", unknown); err != nil {
				return err
			}
		}
		for name := range g {
			if _, ok := w[name]; !ok {
				*unknown = append(*unknown, path+name)
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s differs", path)
		}
		for i := range w {
			if err := within(w[i], g[i], fmt.Sprintf("%s%d.", path, i), unknown); err != nil {
				return err
			}
		}
		return nil
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s %v where %v was read", path, got, want)
	}
	return nil
}

// value decodes one JSON value without its types; a name that an object has twice is an error.
func value(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return next(d)
}

func next(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		m := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			s, _ := name.(string)
			if _, twice := m[s]; twice {
				return nil, fmt.Errorf("field %q stands there twice", s)
			}
			if m[s], err = next(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return m, err
	case json.Delim('['):
		l := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err = d.Token()
		return l, err
	}
	return t, nil
}
