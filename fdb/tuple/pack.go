package tuple

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// Append appends the encoding of a tuple. It fails where an element's type has no encoding, or an integer has more than 255
// bytes.
func Append(dst []byte, t Tuple) ([]byte, error) { return appendAll(dst, t, false) }

func appendAll(dst []byte, t Tuple, nested bool) ([]byte, error) {
	var err error
	for i, v := range t {
		if dst, err = appendElement(dst, v, nested); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return dst, nil
}

func appendElement(dst []byte, v any, nested bool) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		if nested {
			return append(dst, codeNil, 0xff), nil
		}
		return append(dst, codeNil), nil
	case []byte:
		return appendEscaped(append(dst, codeBytes), v), nil
	case string:
		return appendEscaped(append(dst, codeString), []byte(v)), nil
	case int:
		return appendInt(dst, int64(v)), nil
	case int32:
		return appendInt(dst, int64(v)), nil
	case int64:
		return appendInt(dst, v), nil
	case uint:
		return appendUint(dst, uint64(v)), nil
	case uint32:
		return appendUint(dst, uint64(v)), nil
	case uint64:
		return appendUint(dst, v), nil
	case *big.Int:
		return appendBig(dst, v)
	case float32:
		return appendFloat(append(dst, codeFloat), uint64(math.Float32bits(v))<<32, 4), nil
	case float64:
		return appendFloat(append(dst, codeDouble), math.Float64bits(v), 8), nil
	case bool:
		if v {
			return append(dst, codeTrue), nil
		}
		return append(dst, codeFalse), nil
	case UUID:
		return append(append(dst, codeUUID), v[:]...), nil
	case Versionstamp:
		dst = append(append(dst, codeVersionstamp), v.Transaction[:]...)
		return binary.BigEndian.AppendUint16(dst, v.User), nil
	case Tuple:
		dst, err := appendAll(append(dst, codeNested), v, true)
		return append(dst, 0x00), err
	}
	return nil, unsupported(v)
}

// appendEscaped ends the bytes with 00, so that a zero byte within them becomes 00 ff.
func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0x00)
		if i < 0 {
			return append(append(dst, b...), 0x00)
		}
		dst = append(append(dst, b[:i+1]...), 0xff)
		b = b[i+1:]
	}
}

func appendUint(dst []byte, v uint64) []byte {
	n := width(v)
	return appendLast(append(dst, byte(codeIntZero+n)), v, n)
}

// appendInt writes a negative integer as the complement of its magnitude, so that the larger magnitude comes first.
func appendInt(dst []byte, v int64) []byte {
	if v >= 0 {
		return appendUint(dst, uint64(v))
	}
	magnitude := uint64(-(v + 1)) + 1
	n := width(magnitude)
	return appendLast(append(dst, byte(codeIntZero-n)), ^magnitude, n)
}

func appendBig(dst []byte, v *big.Int) ([]byte, error) {
	if v == nil {
		return nil, unsupported(v)
	}
	if v.IsInt64() {
		return appendInt(dst, v.Int64()), nil
	}
	magnitude := v.Bytes()
	n := len(magnitude)
	if n > 255 {
		return nil, fmt.Errorf("tuple: an integer of %d bytes; at most 255 have an encoding", n)
	}
	if v.Sign() > 0 {
		if n <= 8 {
			dst = append(dst, byte(codeIntZero+n))
		} else {
			dst = append(dst, codePositiveBig, byte(n))
		}
		return append(dst, magnitude...), nil
	}
	if n <= 8 {
		dst = append(dst, byte(codeIntZero-n))
	} else {
		dst = append(dst, codeNegativeBig, ^byte(n))
	}
	for _, b := range magnitude {
		dst = append(dst, ^b)
	}
	return dst, nil
}

// appendFloat writes the first n bytes of an IEEE 754 number, which stands at the top of bits: complemented where it is
// negative, else with its sign turned, so that the bytes compare as the numbers do.
func appendFloat(dst []byte, bits uint64, n int) []byte {
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], bits)
	return append(dst, b[:n]...)
}

// width is how many bytes an integer takes: none for 0.
func width(v uint64) int {
	n := 0
	for ; v != 0; v >>= 8 {
		n++
	}
	return n
}

// appendLast writes the last n bytes of v.
func appendLast(dst []byte, v uint64, n int) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return append(dst, b[8-n:]...)
}
