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

// row is a row of an index whose elements are read when they are first wanted: what a mapper does not name need be no tuple.
type row struct {
	fdb.KeyValue
	key, value [][]byte
}

// apply appends the key that the mapper makes of a row.
func (m *mapper) apply(dst []byte, r *row) ([]byte, error) {
	r.key, r.value = r.key[:0], r.value[:0]
	for _, p := range m.parts {
		var from *[][]byte
		var text []byte
		var code int
		switch p.of {
		case 'K':
			from, text, code = &r.key, r.Key, fdb.KeyNotTuple
		case 'V':
			from, text, code = &r.value, r.Value, fdb.ValueNotTuple
		default:
			dst = append(dst, p.literal...)
			continue
		}
		if len(*from) == 0 {
			elements, err := tuple.AppendElements(*from, text)
			if err != nil {
				return nil, fdb.Error{Code: code}
			}
			*from = elements
		}
		if p.index < 0 || p.index >= len(*from) {
			return nil, fdb.Error{Code: fdb.MapperBadIndex}
		}
		dst = append(dst, (*from)[p.index]...)
	}
	return dst, nil
}
