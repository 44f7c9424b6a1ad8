package embedded

import (
	"strconv"
	"strings"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/tuple"
)

// mapper makes the key of a record out of a row of an index.
type mapper struct {
	parts []part
	scan  bool // {...}: all keys that start with the one made, not the key itself
}

// part is one element: literal bytes, or the element of the index key or value at index.
type part struct {
	literal []byte
	of      byte // 'K', 'V', or 0 for a literal
	index   int
}

// compile reads a mapper, a packed tuple.
func compile(packed []byte) (*mapper, error) {
	elements, err := tuple.Unpack(packed)
	if err != nil {
		return nil, fdb.Error{Code: fdb.MapperNotTuple}
	}
	raw, err := tuple.Elements(packed)
	if err != nil {
		return nil, fdb.Error{Code: fdb.MapperNotTuple}
	}
	m := &mapper{}
	for i, e := range elements {
		text, isText := e.(string)
		if b, ok := e.([]byte); ok {
			text, isText = string(b), true
		}
		switch plain := braces.Replace(text); {
		case !isText:
			m.parts = append(m.parts, part{literal: raw[i]})
		case plain != text:
			m.parts = append(m.parts, part{literal: like(e, plain)})
		case text == "{...}":
			if i != len(elements)-1 {
				return nil, fdb.Error{Code: fdb.MapperBadRange}
			}
			m.scan = true
		case refers(text):
			index, err := strconv.Atoi(text[3 : len(text)-2])
			if err != nil {
				index = -1 // an error once there is a row
			}
			m.parts = append(m.parts, part{of: text[1], index: index})
		default:
			m.parts = append(m.parts, part{literal: raw[i]})
		}
	}
	return m, nil
}

var braces = strings.NewReplacer("{{", "{", "}}", "}")

// like packs a text as an element of the same type.
func like(e any, text string) []byte {
	if _, ok := e.(string); ok {
		return tuple.Tuple{text}.Pack()
	}
	return tuple.Tuple{[]byte(text)}.Pack()
}

// refers reports whether an element is {K[...]} or {V[...]}.
func refers(text string) bool {
	return len(text) > 5 && (strings.HasPrefix(text, "{K[") || strings.HasPrefix(text, "{V[")) && strings.HasSuffix(text, "]}")
}

// apply makes the key for a row of the index.
func (m *mapper) apply(row fdb.KeyValue) ([]byte, error) {
	var out []byte
	var key, value [][]byte
	for _, p := range m.parts {
		switch p.of {
		case 'K':
			if key == nil {
				var err error
				if key, err = tuple.Elements(row.Key); err != nil {
					return nil, fdb.Error{Code: fdb.KeyNotTuple}
				}
			}
			if p.index < 0 || p.index >= len(key) {
				return nil, fdb.Error{Code: fdb.MapperBadIndex}
			}
			out = append(out, key[p.index]...)
		case 'V':
			if value == nil {
				var err error
				if value, err = tuple.Elements(row.Value); err != nil {
					return nil, fdb.Error{Code: fdb.ValueNotTuple}
				}
			}
			if p.index < 0 || p.index >= len(value) {
				return nil, fdb.Error{Code: fdb.MapperBadIndex}
			}
			out = append(out, value[p.index]...)
		default:
			out = append(out, p.literal...)
		}
	}
	return out, nil
}
