package host

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/phaselock/phaselock/lib/protocol"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// plainValue gives plain data to a script: structs with a field for each JSON name, lists, dicts in the order of
// their keys, None for nil. Absent values have their zero, so that a script can read every field; places are
// left out. A file within an argv is its label, and named parameters are a dict.
func plainValue(data any) starlark.Value {
	switch x := data.(type) {
	case protocol.Value:
		return scriptValue(x)
	case protocol.Arg:
		return starlark.String(x.String())
	case []protocol.Parameter:
		d := starlark.NewDict(len(x))
		for _, p := range x {
			if err := d.SetKey(starlark.String(p.Name), scriptValue(p.Value)); err != nil {
				panic(err) // strings are hashable, and d is new
			}
		}
		return d
	case fmt.Stringer:
		if v := reflect.ValueOf(data); v.Kind() != reflect.Pointer || !v.IsNil() {
			return starlark.String(x.String())
		}
	}
	return plainReflected(reflect.ValueOf(data))
}

func plainReflected(v reflect.Value) starlark.Value {
	switch v.Kind() {
	case reflect.Bool:
		return starlark.Bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return starlark.MakeInt64(v.Int())
	case reflect.Float32, reflect.Float64:
		return starlark.Float(v.Float())
	case reflect.String:
		return starlark.String(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return plainValue(v.Elem().Interface())
		}
	case reflect.Slice, reflect.Array:
		items := make([]starlark.Value, v.Len())
		for i := range items {
			items[i] = plainValue(v.Index(i).Interface())
		}
		return starlark.NewList(items)
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		d := starlark.NewDict(len(keys))
		for _, k := range keys {
			if err := d.SetKey(starlark.String(k.String()), plainValue(v.MapIndex(k).Interface())); err != nil {
				panic(err) // strings are hashable, and d is new
			}
		}
		return d
	case reflect.Struct:
		return starlarkstruct.FromStringDict(starlarkstruct.Default, plainFields(v.Interface()))
	}
	return starlark.None
}

// plainFields returns the fields of a struct, or of what a pointer leads to, by their JSON names.
func plainFields(data any) starlark.StringDict {
	v := reflect.Indirect(reflect.ValueOf(data))
	fields := starlark.StringDict{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() || f.Type == reflect.TypeFor[protocol.Place]() {
			continue
		}
		fields[name] = plainValue(v.Field(i).Interface())
	}
	return fields
}

// scriptValue is a parameter's value as a script reads it; a file is its label.
func scriptValue(v protocol.Value) starlark.Value {
	switch x := v.V.(type) {
	case bool:
		return starlark.Bool(x)
	case int64:
		return starlark.MakeInt64(x)
	case float64:
		return starlark.Float(x)
	case string:
		return starlark.String(x)
	case protocol.FileRef:
		return starlark.String(x)
	case protocol.List:
		return starlark.NewList(scriptValues(x))
	case protocol.Tuple:
		return starlark.Tuple(scriptValues(x))
	case protocol.Dict:
		d := starlark.NewDict(len(x))
		for _, e := range x {
			if err := d.SetKey(scriptValue(e.Key), scriptValue(e.Value)); err != nil {
				continue // a list is no key, and no dict that a script made has one
			}
		}
		return d
	case *big.Int:
		return starlark.MakeBigInt(x)
	}
	return starlark.None
}

func scriptValues(values []protocol.Value) []starlark.Value {
	items := make([]starlark.Value, len(values))
	for i, v := range values {
		items[i] = scriptValue(v)
	}
	return items
}
