package tuple_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/phaselock/phaselock/fdb/tuple"
)

var uuid = tuple.UUID{0x11, 0x00, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x11, 0x00, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}

func golden(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, code, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			m[name] = code
		}
	}
	return m
}

// The random values of the golden file come from math/rand's generator with seed 1, in this order.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	many := func(n int, one func() any) tuple.Tuple {
		var t tuple.Tuple
		for range n {
			t = append(t, one())
		}
		return t
	}
	constant := func(v any) func() any { return func() any { return v } }
	integer := func() any { return r.Int63() }
	double := func() any { return r.NormFloat64() }
	namespace, odd := []byte("namespace"), []byte{0xff, 0x00, 0xff}
	cases := []struct {
		name string
		want tuple.Tuple
	}{
		{"Simple", tuple.Tuple{uuid, "foobarbaz", 1234, nil}},
		{"Namespaces", tuple.Tuple{uuid, "github", "com", "apple", "foundationdb", "tree"}},
		{"ManyStrings", many(8, constant("namespace"))},
		{"ManyStringsNil", many(8, constant("nam\x00es\xFFpace"))},
		{"ManyBytes", many(20, constant(namespace))},
		{"ManyBytesNil", many(20, constant(odd))},
		{"LargeBytes", tuple.Tuple{uuid, bytes.Repeat([]byte("abcd"), 20)}},
		{"LargeBytesNil", tuple.Tuple{uuid, bytes.Repeat(odd, 20)}},
		{"Integers", many(20, integer)},
		{"Floats", many(20, func() any { return float32(r.NormFloat64()) })},
		{"Doubles", many(20, double)},
		{"UUIDs", tuple.Tuple{uuid, true, uuid, false, uuid, true, uuid, false, uuid, true}},
		{"NilCases", tuple.Tuple{"\x00", "\x00\xFF", "\x00\x00\x00", "\xFF\x00", ""}},
		{"Nested", tuple.Tuple{uuid, many(4, integer), nil, many(4, constant(namespace)), nil, many(4, double), nil}},
	}
	golden := golden(t)
	if len(golden) != len(cases) {
		t.Fatalf("%d golden tuples, %d cases", len(golden), len(cases))
	}
	for _, c := range cases {
		if got := hex.EncodeToString(c.want.Pack()); got != golden[c.name] {
			t.Errorf("%s: %s, want %s", c.name, got, golden[c.name])
		}
	}
}

func power(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }

func minus(n *big.Int) *big.Int { return new(big.Int).Neg(n) }

// The first five are the examples of FoundationDB's design/tuple.md; the others are worked out by hand from its rules.
func TestEncodings(t *testing.T) {
	nul := "foo\x00bar"
	for _, c := range []struct {
		value any
		code  string
	}{
		{[]byte(nul), "01 666f6f00ff626172 00"},
		{"F\u00d4O\u0000bar", "02 46c394 4f 00ff 626172 00"},
		{tuple.Tuple{[]byte(nul), nil, tuple.Tuple{}}, "05 01666f6f00ff62617200 00ff 0500 00"},
		{int64(-5551212), "11 ab4b93"},
		{float32(-42), "20 3dd7ffff"},

		{nil, "00"},
		{int64(0), "14"},
		{int64(1), "15 01"},
		{int64(255), "15 ff"},
		{int64(256), "16 0100"},
		{int64(-1), "13 fe"},
		{int64(-255), "13 00"},
		{int64(-256), "12 feff"},
		{int64(math.MaxInt64), "1c 7fffffffffffffff"},
		{int64(math.MinInt64), "0c 7fffffffffffffff"},
		{uint64(math.MaxUint64), "1c ffffffffffffffff"},
		{minus(new(big.Int).SetUint64(math.MaxUint64)), "0c 0000000000000000"},
		{power(64), "1d 09 010000000000000000"},
		{minus(power(64)), "0b f6 feffffffffffffffff"},
		{float64(1), "21 bff0000000000000"},
		{float64(-1), "21 400fffffffffffff"},
		{false, "26"},
		{true, "27"},
		{tuple.Versionstamp{[10]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 258}, "33 0102030405060708090a 0102"},
		{uuid, "30 1100aabbccddeeff1100aabbccddeeff"},
	} {
		want := strings.ReplaceAll(c.code, " ", "")
		code := tuple.Tuple{c.value}.Pack()
		if got := hex.EncodeToString(code); got != want {
			t.Errorf("%v: %s, want %s", c.value, got, want)
			continue
		}
		back, err := tuple.Unpack(code)
		if diff := cmp.Diff(tuple.Tuple{c.value}, back, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); err != nil || diff != "" {
			t.Errorf("%s: %v %s", want, err, diff)
		}
	}
}

// The other integer types encode as int64 and uint64 do.
func TestIntegerTypes(t *testing.T) {
	want := tuple.Tuple{int64(300)}.Pack()
	for _, v := range []any{300, int32(300), uint(300), uint32(300), uint64(300), big.NewInt(300)} {
		if got := (tuple.Tuple{v}).Pack(); !bytes.Equal(got, want) {
			t.Errorf("%T: %x", v, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, v := range []any{struct{}{}, []string{}, int8(1), (*big.Int)(nil), power(8 * 255), tuple.Tuple{map[int]int{}}} {
		if b, err := tuple.Append(nil, tuple.Tuple{1, v}); err == nil || b != nil || !strings.Contains(err.Error(), "element 1: ") {
			t.Errorf("%T: %x, %v", v, b, err)
		}
	}
	for _, code := range []string{"01", "0161", "0200ff", "05", "0500ff", "1501ff03", "1c01", "0c", "1d", "1d02ff", "0bfe", "20000000", "21", "30", "33", "03", "40", "ff"} {
		b, _ := hex.DecodeString(code)
		if v, err := tuple.Unpack(b); err == nil || v != nil {
			t.Errorf("%s: %v, %v", code, v, err)
		}
		if v, err := tuple.Elements(b); err == nil || v != nil {
			t.Errorf("%s: elements %x, %v", code, v, err)
		}
	}
	if _, err := tuple.Unpack(bytes.Repeat([]byte{5}, 1<<20)); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Errorf("a million tuples in each other: %v", err)
	}
}

func TestRangeAndStrinc(t *testing.T) {
	begin, end := tuple.Tuple{"a"}.Range()
	if !bytes.Equal(begin, []byte("\x02a\x00\x00")) || !bytes.Equal(end, []byte("\x02a\x00\xff")) {
		t.Errorf("%q, %q", begin, end)
	}
	for prefix, want := range map[string]string{"a": "b", "a\xff\xff": "b", "\x15\xff": "\x16", "ab": "ac"} {
		if got, err := tuple.Strinc([]byte(prefix)); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", prefix, got, err, want)
		}
	}
	for _, prefix := range []string{"", "\xff", "\xff\xff"} {
		if _, err := tuple.Strinc([]byte(prefix)); err == nil {
			t.Errorf("%q has a next key", prefix)
		}
	}
}

func TestElements(t *testing.T) {
	list := tuple.Tuple{1, "a\x00b", nil, tuple.Tuple{nil, 2}, -3.5}
	parts, err := tuple.Elements(list.Pack())
	if err != nil || len(parts) != len(list) {
		t.Fatalf("%x, %v", parts, err)
	}
	for i, v := range list {
		if want := (tuple.Tuple{v}).Pack(); !bytes.Equal(parts[i], want) {
			t.Errorf("element %d: %x, want %x", i, parts[i], want)
		}
	}
}

// draw makes an element out of bytes: whatever the fuzzer sends is a value.
func draw(b *[]byte, depth int) any {
	next := func(n int) []byte {
		p := make([]byte, n)
		*b = (*b)[copy(p, *b):]
		return p
	}
	number := func() uint64 { return binary.BigEndian.Uint64(next(8)) >> (next(1)[0] % 64) }
	switch kind := next(1)[0] % 11; kind {
	case 0:
		return nil
	case 1:
		return next(int(next(1)[0] % 8))
	case 2:
		return string(next(int(next(1)[0] % 8)))
	case 3:
		return int64(number())
	case 4:
		return -int64(number())
	case 5:
		v := new(big.Int).SetBytes(next(int(next(1)[0] % 20)))
		if next(1)[0]%2 == 0 {
			v.Neg(v)
		}
		return v
	case 6:
		return math.Float32frombits(binary.BigEndian.Uint32(next(4)))
	case 7:
		return math.Float64frombits(binary.BigEndian.Uint64(next(8)))
	case 8:
		return next(1)[0]%2 == 0
	case 9:
		return tuple.Versionstamp{[10]byte(next(10)), uint16(next(1)[0])}
	default:
		t := tuple.Tuple{}
		for n := next(1)[0] % 4; depth < 3 && n > 0; n-- {
			t = append(t, draw(b, depth+1))
		}
		return t
	}
}

// order compares two elements as design/tuple.md orders them: by kind, then by value; the zeros and the not-a-numbers of
// IEEE 754 in its total order.
func order(a, b any) int {
	kind := func(v any) int {
		switch v.(type) {
		case nil:
			return 0
		case []byte:
			return 1
		case string:
			return 2
		case tuple.Tuple:
			return 3
		case int64, *big.Int:
			return 4
		case float32:
			return 5
		case float64:
			return 6
		case bool:
			return 7
		default:
			return 8
		}
	}
	if ka, kb := kind(a), kind(b); ka != kb {
		return ka - kb
	}
	integer := func(v any) *big.Int {
		if n, ok := v.(int64); ok {
			return big.NewInt(n)
		}
		return v.(*big.Int)
	}
	total := func(bits int64) int64 { // Goldberg: the order of the bits of a positive number is that of the number
		if bits < 0 {
			return math.MinInt64 - bits - 1
		}
		return bits
	}
	switch a := a.(type) {
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case string:
		return strings.Compare(a, b.(string))
	case tuple.Tuple:
		return slices.CompareFunc(a, b.(tuple.Tuple), order)
	case int64, *big.Int:
		return integer(a).Cmp(integer(b))
	case float32:
		x, y := total(int64(math.Float32bits(a))<<32), total(int64(math.Float32bits(b.(float32)))<<32)
		return compare(x, y)
	case float64:
		return compare(total(int64(math.Float64bits(a))), total(int64(math.Float64bits(b.(float64)))))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	case tuple.Versionstamp:
		o := b.(tuple.Versionstamp)
		if c := bytes.Compare(a.Transaction[:], o.Transaction[:]); c != 0 {
			return c
		}
		return int(a.User) - int(o.User)
	}
	return 0
}

func compare(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func sign(n int) int { return compare(int64(n), 0) }

// The order of the encodings is the order of the values, and values come back.
func FuzzOrder(f *testing.F) {
	f.Add([]byte("\x03\x00\x00\x00\x00\x00\x00\x00\xff\x00"), []byte("\x04\x00\x00\x00\x00\x00\x00\x01\x00\x00"))
	f.Add([]byte("\x0a\x02\x00\x00"), []byte("\x0a\x01\x02\x03abc"))
	r := rand.New(rand.NewSource(7))
	for range 2000 {
		a, b := make([]byte, 40), make([]byte, 40)
		r.Read(a)
		r.Read(b)
		b[0] = a[0] // the same kind, so that values are compared
		f.Add(a, b)
	}
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, b := tuple.Tuple{draw(&x, 0), draw(&x, 0)}, tuple.Tuple{draw(&y, 0), draw(&y, 0)}
		pa, pb := a.Pack(), b.Pack()
		if got, want := bytes.Compare(pa, pb), sign(slices.CompareFunc(a, b, order)); got != want {
			t.Errorf("%v and %v: their encodings compare %d, they %d", a, b, got, want)
		}
		back, err := tuple.Unpack(pa)
		if err != nil || !bytes.Equal(back.Pack(), pa) || len(back) != len(a) {
			t.Errorf("%v came back as %v, %v", a, back, err)
		}
	})
}

// No input makes Unpack fall over, and what it accepts, it gives again after packing.
func FuzzUnpack(f *testing.F) {
	f.Add(tuple.Tuple{nil, []byte{0}, "a\x00", tuple.Tuple{nil, -1, power(70)}, 1.5, float32(2), true, uuid, tuple.Versionstamp{}}.Pack())
	f.Add([]byte{5, 5, 0, 0xff, 0, 0x0b, 0xff, 0x1d, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := tuple.Unpack(b)
		parts, partsErr := tuple.Elements(b)
		if (err == nil) != (partsErr == nil) {
			t.Fatalf("Unpack: %v, Elements: %v", err, partsErr)
		}
		if err != nil {
			return
		}
		if joined := bytes.Join(parts, nil); len(parts) != len(v) || !bytes.Equal(joined, b) {
			t.Errorf("elements %x of %x", parts, b)
		}
		packed := v.Pack()
		again, err := tuple.Unpack(packed)
		if err != nil || !bytes.Equal(again.Pack(), packed) {
			t.Errorf("%x: %v, then %v, %v", b, v, again, err)
		}
	})
}
