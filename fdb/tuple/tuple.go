// Package tuple is FoundationDB's order-preserving encoding of lists of values: the bytes of two tuples compare as the
// tuples do, element by element. Its specification is design/tuple.md of FoundationDB.
package tuple

import (
	"bytes"
	"errors"
	"fmt"
)

// Tuple is a list of elements. What Pack takes: nil, []byte, string, int, int32, int64, uint, uint32, uint64, *big.Int,
// float32, float64, bool, UUID, Versionstamp and Tuple. What Unpack gives: nil, []byte, string, int64, uint64 (above the
// largest int64 only), *big.Int (beyond both only), float32, float64, bool, UUID, Versionstamp and Tuple.
type Tuple []any

// UUID is an RFC 4122 identifier, in network order.
type UUID [16]byte

// Versionstamp is the place of a commit among all commits, and of a key among those of a commit.
type Versionstamp struct {
	Transaction [10]byte
	User        uint16
}

// The first byte of each encoding. An integer of n bytes has the code intZero + n, or intZero - n where it is negative.
const (
	codeNil          = 0x00
	codeBytes        = 0x01
	codeString       = 0x02
	codeNested       = 0x05
	codeNegativeBig  = 0x0b
	codeIntZero      = 0x14
	codePositiveBig  = 0x1d
	codeFloat        = 0x20
	codeDouble       = 0x21
	codeFalse        = 0x26
	codeTrue         = 0x27
	codeUUID         = 0x30
	codeVersionstamp = 0x33
)

// Pack encodes the tuple. An element of a type that has no encoding is a mistake in the program, and panics; Append returns
// it as an error.
func (t Tuple) Pack() []byte {
	b, err := Append(nil, t)
	if err != nil {
		panic(err)
	}
	return b
}

// Range is that of all tuples which start with t and have more elements.
func (t Tuple) Range() (begin, end []byte) {
	p := t.Pack()
	return append(bytes.Clone(p), 0x00), append(p, 0xff)
}

// Strinc gives the first key that does not start with prefix, which must have a byte below 0xff.
func Strinc(prefix []byte) ([]byte, error) {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			next := bytes.Clone(prefix[:i+1])
			next[i]++
			return next, nil
		}
	}
	return nil, errNoNext
}

var errNoNext = errors.New("tuple: no key follows a prefix without a byte below 0xff")

func unsupported(v any) error { return fmt.Errorf("tuple: an element of type %T has no encoding", v) }
