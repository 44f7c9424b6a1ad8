package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Value is a parameter's value: nil, bool, *big.Int or int64, float64, string, []Value (list or tuple),
// Dict, or FileRef. The zero Value is None.
//
// JSON keeps the kinds apart: a float always has a point or an exponent, a dict is {"dict": [[k, v], …]}
// (its order counts), a tuple is {"tuple": […]}, a file is {"file": label}.
type Value struct{ V any }

// Entry is one key and value of a Dict.
type Entry struct{ Key, Value Value }

// Dict is a dictionary in insertion order.
type Dict []Entry

// List and Tuple are sequences; scripts tell them apart, so we do.
type (
	List  []Value
	Tuple []Value
)

// FileRef is a file of the phase, by its label.
type FileRef string

// Int returns an integer value.
func Int(i int64) Value { return Value{i} }

// Str returns a string value.
func Str(s string) Value { return Value{s} }

// Float returns a float value.
func Float(f float64) Value { return Value{f} }

// Bool returns a boolean value.
func Bool(b bool) Value { return Value{b} }

// MarshalJSON writes the value; it fails for a float that is not finite.
func (v Value) MarshalJSON() ([]byte, error) {
	switch x := v.V.(type) {
	case nil, bool, int64:
		return json.Marshal(x)
	case *big.Int:
		return []byte(x.String()), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("value %v is not finite", x)
		}
		return []byte(FormatFloat(x)), nil
	case string:
		return marshal(x)
	case List:
		return marshal([]Value(x))
	case Tuple:
		return marshal(map[string][]Value{"tuple": x})
	case Dict:
		pairs := make([][2]Value, len(x))
		for i, e := range x {
			pairs[i] = [2]Value{e.Key, e.Value}
		}
		return marshal(map[string][][2]Value{"dict": pairs})
	case FileRef:
		return marshal(map[string]string{"file": string(x)})
	}
	return nil, fmt.Errorf("value of kind %T", v.V)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return fmt.Errorf("empty value")
	}
	switch b[0] {
	case 'n':
		*v = Value{}
		return nil
	case 't', 'f':
		*v = Value{b[0] == 't'}
		return nil
	case '"':
		var s string
		err := json.Unmarshal(b, &s)
		*v = Value{s}
		return err
	case '[':
		var l []Value
		err := json.Unmarshal(b, &l)
		*v = Value{List(l)}
		return err
	case '{':
		return v.unmarshalObject(b)
	}
	return v.unmarshalNumber(string(b))
}

func (v *Value) unmarshalNumber(s string) error {
	if bytes.ContainsAny([]byte(s), ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		*v = Value{f}
		return err
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		*v = Value{i}
		return nil
	}
	i, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return fmt.Errorf("value %q is no number", s)
	}
	*v = Value{i}
	return nil
}

func (v *Value) unmarshalObject(b []byte) error {
	var o struct {
		Tuple *[]Value    `json:"tuple"`
		Dict  *[][2]Value `json:"dict"`
		File  *string     `json:"file"`
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	switch {
	case o.Tuple != nil:
		*v = Value{Tuple(*o.Tuple)}
	case o.File != nil:
		*v = Value{FileRef(*o.File)}
	case o.Dict != nil:
		d := make(Dict, len(*o.Dict))
		for i, p := range *o.Dict {
			d[i] = Entry{p[0], p[1]}
		}
		*v = Value{d}
	default:
		return fmt.Errorf("value %s: want tuple, dict or file", b)
	}
	return nil
}

// FormatFloat writes f in the shortest form that reads back as f and is no integer: 1.0, 0.05, 1e+300.
func FormatFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !bytes.ContainsAny([]byte(s), ".eE") {
		s += ".0"
	}
	return s
}

// marshal is json.Marshal without HTML escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
