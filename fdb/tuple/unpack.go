package tuple

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// deepest bounds how far tuples may stand within tuples, so that no input can exhaust the stack.
const deepest = 1000

// Unpack decodes a tuple. What it gives shares nothing with b.
func Unpack(b []byte) (Tuple, error) {
	t := Tuple{}
	for at := 0; at < len(b); {
		v, n, err := element(b[at:], 0)
		if err != nil {
			return nil, fmt.Errorf("tuple: byte %d: %w", at, err)
		}
		t = append(t, v)
		at += n
	}
	return t, nil
}

// element decodes the first element of b, which is not empty, and gives the number of bytes that it takes.
func element(b []byte, depth int) (any, int, error) {
	code := b[0]
	switch {
	case code == codeNil:
		return nil, 1, nil
	case code == codeBytes:
		v, n, err := escaped(b)
		return v, n, err
	case code == codeString:
		v, n, err := escaped(b)
		return string(v), n, err
	case code == codeNested:
		return nestedTuple(b, depth+1)
	case code > codeNegativeBig && code < codePositiveBig:
		return integer(b)
	case code == codeNegativeBig || code == codePositiveBig:
		return bigInteger(b)
	case code == codeFloat:
		p, err := payload(b, 4)
		if err != nil {
			return nil, 0, err
		}
		return math.Float32frombits(uint32(floatBits(uint64(binary.BigEndian.Uint32(p))<<32) >> 32)), 5, nil
	case code == codeDouble:
		p, err := payload(b, 8)
		if err != nil {
			return nil, 0, err
		}
		return math.Float64frombits(floatBits(binary.BigEndian.Uint64(p))), 9, nil
	case code == codeFalse, code == codeTrue:
		return code == codeTrue, 1, nil
	case code == codeUUID:
		p, err := payload(b, 16)
		if err != nil {
			return nil, 0, err
		}
		return UUID(p), 17, nil
	case code == codeVersionstamp:
		p, err := payload(b, 12)
		if err != nil {
			return nil, 0, err
		}
		return Versionstamp{[10]byte(p[:10]), binary.BigEndian.Uint16(p[10:])}, 13, nil
	}
	return nil, 0, errCode(code)
}

var errDeep = fmt.Errorf("tuples stand more than %d deep in each other", deepest)

func errCode(code byte) error { return fmt.Errorf("no element starts with %#02x", code) }
func errEnd(code byte) error  { return fmt.Errorf("%#02x without the zero byte that ends it", code) }

func payload(b []byte, n int) ([]byte, error) {
	if len(b) < 1+n {
		return nil, fmt.Errorf("want %d bytes after %#02x, got %d", n, b[0], len(b)-1)
	}
	return b[1 : 1+n], nil
}

func escaped(b []byte) ([]byte, int, error) {
	v := []byte{}
	for at := 1; ; {
		i := bytes.IndexByte(b[at:], 0x00)
		if i < 0 {
			return nil, 0, errEnd(b[0])
		}
		v = append(v, b[at:at+i]...)
		at += i + 1
		if at >= len(b) || b[at] != 0xff {
			return v, at, nil
		}
		v = append(v, 0x00)
		at++
	}
}

func nestedTuple(b []byte, depth int) (any, int, error) {
	if depth > deepest {
		return nil, 0, errDeep
	}
	t := Tuple{}
	for at := 1; at < len(b); {
		if b[at] == codeNil {
			if at+1 >= len(b) || b[at+1] != 0xff {
				return t, at + 1, nil
			}
			t = append(t, nil)
			at += 2
			continue
		}
		v, n, err := element(b[at:], depth)
		if err != nil {
			return nil, 0, err
		}
		t = append(t, v)
		at += n
	}
	return nil, 0, errEnd(codeNested)
}

func integer(b []byte) (any, int, error) {
	n := int(b[0]) - codeIntZero
	negative := n < 0
	if negative {
		n = -n
	}
	p, err := payload(b, n)
	if err != nil {
		return nil, 0, err
	}
	var v uint64
	for _, d := range p {
		if negative {
			d = ^d
		}
		v = v<<8 | uint64(d)
	}
	switch {
	case !negative && v > math.MaxInt64:
		return v, 1 + n, nil
	case !negative:
		return int64(v), 1 + n, nil
	case v > 1<<63:
		m := new(big.Int).SetUint64(v)
		return m.Neg(m), 1 + n, nil
	default:
		return -int64(v), 1 + n, nil // the least int64 is its own negative
	}
}

func bigInteger(b []byte) (any, int, error) {
	negative := b[0] == codeNegativeBig
	p, err := payload(b, 1)
	if err != nil {
		return nil, 0, err
	}
	n := int(p[0])
	if negative {
		n = int(^p[0])
	}
	if p, err = payload(b, 1+n); err != nil {
		return nil, 0, err
	}
	magnitude := bytes.Clone(p[1:])
	if negative {
		for i := range magnitude {
			magnitude[i] = ^magnitude[i]
		}
	}
	v := new(big.Int).SetBytes(magnitude)
	if negative {
		v.Neg(v)
	}
	switch {
	case v.IsInt64():
		return v.Int64(), 2 + n, nil
	case v.IsUint64():
		return v.Uint64(), 2 + n, nil
	}
	return v, 2 + n, nil
}

// floatBits undoes what appendFloat does to the bits.
func floatBits(bits uint64) uint64 {
	if bits>>63 != 0 {
		return bits &^ (1 << 63)
	}
	return ^bits
}
