package host

import (
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
)

// Bounds of one parameter of an arm or a case.
const (
	maxDepth = 32
	maxSize  = 100_000
)

const ownTypes = "None, a bool, int, float, string, list, tuple, dict of these, or a file"

// ownValue returns a frozen copy of a value that an arm or a case carries, or reports what it cannot carry.
func ownValue(a arg, v starlark.Value) starlark.Value {
	size := 0
	copied := copyValue(a, v, 0, &size)
	if copied != nil {
		copied.Freeze()
	}
	return copied
}

func copyValue(a arg, v starlark.Value, depth int, size *int) starlark.Value {
	if *size++; depth > maxDepth || *size > maxSize {
		return a.refuse("a value of more than %d items, or nested more than %d deep", maxSize, maxDepth)
	}
	switch v := v.(type) {
	case starlark.NoneType, starlark.Bool, starlark.Int:
		return v
	case starlark.Float:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return a.refuse("want a finite number, got %s", v)
		}
		return v
	case starlark.String:
		if !utf8.ValidString(string(v)) {
			return a.refuse("is not UTF-8: %s", describe(v))
		}
		return v
	case *starlark.List:
		items, ok := copyItems(a, v, depth, size)
		if !ok {
			return nil
		}
		return starlark.NewList(items)
	case starlark.Tuple:
		items, ok := copyItems(a, v, depth, size)
		if !ok {
			return nil
		}
		return starlark.Tuple(items)
	case *starlark.Dict:
		d := starlark.NewDict(v.Len())
		for i, item := range v.Items() {
			ka, va := a.entry(i)
			key, value := copyValue(ka, item[0], depth+1, size), copyValue(va, item[1], depth+1, size)
			if key == nil || value == nil {
				return nil
			}
			if err := d.SetKey(key, value); err != nil {
				return ka.refuse("%v", err)
			}
		}
		return d
	case *starlark.Function:
		return a.refuse("want %s, got %s; a function in a parameter could not be printed or sealed: "+
			"give a value, and choose by it in the command's function", ownTypes, describe(v))
	}
	if isFile(v) {
		return v
	}
	return a.want(ownTypes, v)
}

func copyItems(a arg, seq starlark.Indexable, depth int, size *int) ([]starlark.Value, bool) {
	items := make([]starlark.Value, seq.Len())
	for i := range items {
		if items[i] = copyValue(a.elem(i), seq.Index(i), depth+1, size); items[i] == nil {
			return nil, false
		}
	}
	return items, true
}

// fields takes a dict of the values that an audit's line must have.
var fields = argType{"a dict of string to value", func(a arg, v starlark.Value) starlark.Value {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return a.want("a dict of string to value", v)
	}
	for i, key := range d.Keys() {
		ka, _ := a.entry(i)
		if text.check(ka, key) == nil {
			return nil
		}
	}
	return ownValue(a, d)
}}

// protocolValue is a checked value as plain data. Files are named by their label.
func protocolValue(v starlark.Value) protocol.Value {
	switch v := v.(type) {
	case starlark.Bool:
		return protocol.Bool(bool(v))
	case starlark.Int:
		if i, ok := v.Int64(); ok {
			return protocol.Int(i)
		}
		return protocol.Value{V: new(big.Int).Set(v.BigInt())}
	case starlark.Float:
		return protocol.Float(float64(v))
	case starlark.String:
		return protocol.Str(string(v))
	case *starlark.List:
		return protocol.Value{V: protocol.List(protocolValues(v))}
	case starlark.Tuple:
		return protocol.Value{V: protocol.Tuple(protocolValues(v))}
	case *starlark.Dict:
		d := make(protocol.Dict, 0, v.Len())
		for _, item := range v.Items() {
			d = append(d, protocol.Entry{Key: protocolValue(item[0]), Value: protocolValue(item[1])})
		}
		return protocol.Value{V: d}
	case *record:
		return protocol.Value{V: protocol.FileRef(fileLabel(v))}
	}
	return protocol.Value{}
}

func protocolValues(seq starlark.Indexable) []protocol.Value {
	values := make([]protocol.Value, seq.Len())
	for i := range values {
		values[i] = protocolValue(seq.Index(i))
	}
	return values
}
