package tuple

import (
	"bytes"
	"fmt"
)

// Elements gives the encodings of a tuple's elements, as parts of b. It accepts what Unpack does.
func Elements(b []byte) ([][]byte, error) { return AppendElements(nil, b) }

// AppendElements appends the encodings of a tuple's elements, as parts of b.
func AppendElements(dst [][]byte, b []byte) ([][]byte, error) {
	for at := 0; at < len(b); {
		n, err := length(b[at:], 0)
		if err != nil {
			return nil, fmt.Errorf("tuple: byte %d: %w", at, err)
		}
		dst = append(dst, b[at:at+n:at+n])
		at += n
	}
	return dst, nil
}

// length is the number of bytes of the first element of b, which is not empty.
func length(b []byte, depth int) (int, error) {
	switch code := b[0]; {
	case code == codeBytes, code == codeString:
		return escapedLength(b)
	case code == codeNested:
		return nestedLength(b, depth+1)
	case code > codeNegativeBig && code < codePositiveBig:
		return fixed(b, max(int(code)-codeIntZero, codeIntZero-int(code)))
	case code == codeNegativeBig, code == codePositiveBig:
		if _, err := payload(b, 1); err != nil {
			return 0, err
		}
		n := b[1]
		if code == codeNegativeBig {
			n = ^n
		}
		return fixed(b, 1+int(n))
	default:
		n, known := lengths[code]
		if !known {
			return 0, errCode(code)
		}
		return fixed(b, n)
	}
}

// lengths are those of what follows a code that has always as much.
var lengths = map[byte]int{codeNil: 0, codeFloat: 4, codeDouble: 8, codeFalse: 0, codeTrue: 0, codeUUID: 16, codeVersionstamp: 12}

func fixed(b []byte, n int) (int, error) {
	if _, err := payload(b, n); err != nil {
		return 0, err
	}
	return 1 + n, nil
}

func escapedLength(b []byte) (int, error) {
	for at := 1; ; {
		i := bytes.IndexByte(b[at:], 0x00)
		if i < 0 {
			return 0, errEnd(b[0])
		}
		at += i + 1
		if at >= len(b) || b[at] != 0xff {
			return at, nil
		}
		at++
	}
}

func nestedLength(b []byte, depth int) (int, error) {
	if depth > deepest {
		return 0, errDeep
	}
	for at := 1; at < len(b); {
		if b[at] == codeNil {
			if at+1 >= len(b) || b[at+1] != 0xff {
				return at + 1, nil
			}
			at += 2
			continue
		}
		n, err := length(b[at:], depth)
		if err != nil {
			return 0, err
		}
		at += n
	}
	return 0, errEnd(codeNested)
}
