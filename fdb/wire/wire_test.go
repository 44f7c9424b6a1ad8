package wire_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/fdb"
	"github.com/phaselock/phaselock/fdb/wire"
)

// Encodings worked out by hand.
func TestEncoding(t *testing.T) {
	for _, c := range []struct {
		id   uint64
		m    wire.Message
		want string
	}{
		{0, &wire.Hello{}, "01 01 00"},
		{300, &wire.Status{}, "01 0a ac02"},
		{1, &wire.ReadVersion{Options: []int{201}}, "01 02 01 01 9203"},
		{1, &wire.ReadVersionReply{Version: 1000}, "01 82 01 d00f"},
		{2, &wire.ReadVersionReply{Version: -1}, "01 82 02 01"},
		{3, &wire.Get{Read: wire.Read{Version: 1, Snapshot: true}, Key: []byte("ab")}, "01 03 03 02 00 01 00 026162"},
		{3, &wire.GetReply{}, "01 83 03 00 00"},
		{3, &wire.GetReply{Value: fdb.Value{Present: true}}, "01 83 03 01 00 00"},
		{3, &wire.GetReply{Value: fdb.Value{Present: true, Bytes: []byte{7}}, Conflicts: []wire.KeyRange{{[]byte("a"), []byte("b")}}}, "01 83 03 01 0107 01 0161 0162"},
		{4, &wire.Commit{Version: 5, Log: []wire.Mutation{{wire.Add, []byte("k"), []byte{1}, true}}}, "01 07 04 0a 00 01 08 016b 0101 01 00 00"},
		{5, &wire.GetRange{Range: fdb.Range{Begin: fdb.FirstGreaterThan([]byte("a")), End: fdb.LastLessThan([]byte("b")), Limit: 2, Mode: fdb.StreamingWantAll, Iteration: 1}}, "01 05 05 00 00 00 00 0161 01 02 0162 00 00 04 00 03 02"},
		{6, &wire.Failed{Code: 1020}, "01 80 06 f80f 00"},
	} {
		got := wire.Append(nil, c.id, c.m)
		if want, err := hex.DecodeString(strings.ReplaceAll(c.want, " ", "")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%T: % x, want %s", c.m, got, c.want)
		}
		id, m, err := wire.Decode(got)
		if err != nil || id != c.id || cmp.Diff(c.m, m, cmpopts.EquateEmpty()) != "" {
			t.Errorf("%T: back %d %+v, %v", c.m, id, m, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"nothing":             {"", "0 bytes"},
		"another version":     {"02 01 00", "version 2"},
		"no kind":             {"01 0c 00", "kind 0x0c"},
		"no number":           {"01 01", "no integer"},
		"a long number":       {"01 01 80 00", "no integer"},
		"a number too large":  {"01 01 ff ff ff ff ff ff ff ff ff 02", "no integer"},
		"more behind":         {"01 01 00 00", "1 bytes after"},
		"a bool of 2":         {"01 83 00 02", "a bool of 2"},
		"bytes beyond":        {"01 8a 00 05 61", "5 bytes are announced, 1 are left"},
		"a list beyond":       {"01 88 00 ff ff ff ff 0f", "are announced, 0 bytes are left"},
		"a list of pairs":     {"01 85 00 02 00 00 00", "2 items of 2 bytes or more are announced, 3 bytes"},
		"no such mutation":    {"01 07 00 00 00 01 0a 00 00 00 00 00", "no mutation has number 5"},
		"mutation 0":          {"01 07 00 00 00 01 00 00 00 00 00 00", "no mutation has number 0"},
		"counters of another": {"01 8b 00 01 02", "no integer"},
	} {
		data, err := hex.DecodeString(strings.ReplaceAll(c.data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if _, m, err := wire.Decode(data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, error %v; want %q", name, m, err, c.want)
		}
	}
}

var (
	someBytes   = rapid.SliceOfN(rapid.Byte(), 0, 40)
	someCodes   = rapid.SliceOfN(rapid.IntRange(-1, 700), 0, 3)
	someVersion = rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, -1, math.MaxInt64, math.MinInt64}))
	someRange   = rapid.Custom(func(t *rapid.T) wire.KeyRange {
		return wire.KeyRange{Begin: someBytes.Draw(t, "begin"), End: someBytes.Draw(t, "end")}
	})
	someRanges   = rapid.SliceOfN(someRange, 0, 4)
	someMutation = rapid.Custom(func(t *rapid.T) wire.Mutation {
		return wire.Mutation{
			Op: rapid.SampledFrom([]wire.Op{wire.Set, wire.Clear, wire.ClearRange, wire.Add}).Draw(t, "op"), Key: someBytes.Draw(t, "key"),
			Param: someBytes.Draw(t, "param"), NoConflict: rapid.Bool().Draw(t, "no conflict"),
		}
	})
	someLog  = rapid.SliceOfN(someMutation, 0, 4)
	someRead = rapid.Custom(func(t *rapid.T) wire.Read {
		return wire.Read{Version: someVersion.Draw(t, "version"), Options: someCodes.Draw(t, "options"), Snapshot: rapid.Bool().Draw(t, "snapshot"), Log: someLog.Draw(t, "log")}
	})
	someSelector = rapid.Custom(func(t *rapid.T) fdb.Selector {
		return fdb.Selector{Key: someBytes.Draw(t, "key"), OrEqual: rapid.Bool().Draw(t, "or equal"), Offset: rapid.Int().Draw(t, "offset")}
	})
	somePage = rapid.Custom(func(t *rapid.T) fdb.Range {
		return fdb.Range{
			Begin: someSelector.Draw(t, "begin"), End: someSelector.Draw(t, "end"), Limit: rapid.Int().Draw(t, "limit"), Reverse: rapid.Bool().Draw(t, "reverse"),
			Mode: fdb.StreamingMode(rapid.IntRange(-3, 5).Draw(t, "mode")), Iteration: rapid.Int().Draw(t, "iteration"),
		}
	})
	somePair = rapid.Custom(func(t *rapid.T) fdb.KeyValue {
		return fdb.KeyValue{Key: someBytes.Draw(t, "key"), Value: someBytes.Draw(t, "value")}
	})
	somePairs = rapid.SliceOfN(somePair, 0, 5)
	someRow   = rapid.Custom(func(t *rapid.T) fdb.MappedRow {
		return fdb.MappedRow{
			Key: someBytes.Draw(t, "key"), Value: someBytes.Draw(t, "value"), Begin: someBytes.Draw(t, "begin"), End: someBytes.Draw(t, "end"),
			Pairs: somePairs.Draw(t, "pairs"),
		}
	})
	someMessage = rapid.Custom(func(t *rapid.T) wire.Message {
		switch rapid.IntRange(0, 22).Draw(t, "kind") {
		case 0:
			return &wire.Hello{}
		case 1:
			return &wire.HelloReply{Instance: someBytes.Draw(t, "instance"), Latency: someVersion.Draw(t, "latency")}
		case 2:
			return &wire.ReadVersion{Options: someCodes.Draw(t, "options")}
		case 3:
			return &wire.ReadVersionReply{Version: someVersion.Draw(t, "version")}
		case 4:
			return &wire.Get{Read: someRead.Draw(t, "read"), Key: someBytes.Draw(t, "key")}
		case 5:
			v := fdb.Value{Present: rapid.Bool().Draw(t, "present")}
			if v.Present {
				v.Bytes = someBytes.Draw(t, "value")
			}
			return &wire.GetReply{Value: v, Conflicts: someRanges.Draw(t, "conflicts")}
		case 6:
			return &wire.GetKey{Read: someRead.Draw(t, "read"), Selector: someSelector.Draw(t, "selector")}
		case 7:
			return &wire.GetKeyReply{Key: someBytes.Draw(t, "key"), Conflicts: someRanges.Draw(t, "conflicts")}
		case 8:
			return &wire.GetRange{Read: someRead.Draw(t, "read"), Range: somePage.Draw(t, "range")}
		case 9:
			return &wire.GetRangeReply{Page: fdb.Page{Pairs: somePairs.Draw(t, "pairs"), More: rapid.Bool().Draw(t, "more")}, Conflicts: someRanges.Draw(t, "conflicts")}
		case 10:
			return &wire.GetMapped{Read: someRead.Draw(t, "read"), Range: somePage.Draw(t, "range"), Mapper: someBytes.Draw(t, "mapper")}
		case 11:
			rows := rapid.SliceOfN(someRow, 0, 4).Draw(t, "rows")
			return &wire.GetMappedReply{Page: fdb.MappedPage{Rows: rows, More: rapid.Bool().Draw(t, "more")}, Conflicts: someRanges.Draw(t, "conflicts")}
		case 12:
			return &wire.Commit{
				Version: someVersion.Draw(t, "version"), Options: someCodes.Draw(t, "options"), Log: someLog.Draw(t, "log"),
				ReadConflicts: someRanges.Draw(t, "read"), WriteConflicts: someRanges.Draw(t, "write"),
			}
		case 13:
			return &wire.CommitReply{Version: someVersion.Draw(t, "version")}
		case 14:
			return &wire.Boundaries{Begin: someBytes.Draw(t, "begin"), End: someBytes.Draw(t, "end")}
		case 15:
			return &wire.BoundariesReply{Keys: rapid.SliceOfN(someBytes, 0, 4).Draw(t, "keys")}
		case 16:
			return &wire.Addresses{Options: someCodes.Draw(t, "options"), Key: someBytes.Draw(t, "key")}
		case 17:
			return &wire.AddressesReply{Addresses: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "addresses")}
		case 18:
			return &wire.Status{}
		case 19:
			return &wire.StatusReply{Document: someBytes.Draw(t, "document")}
		case 20:
			return &wire.Counters{}
		case 21:
			n := rapid.Uint64()
			return &wire.CountersReply{
				ReadVersions: n.Draw(t, "1"), Gets: n.Draw(t, "2"), GetKeys: n.Draw(t, "3"), Ranges: n.Draw(t, "4"), MappedRanges: n.Draw(t, "5"), Commits: n.Draw(t, "6"),
				Locality: n.Draw(t, "7"), Failures: n.Draw(t, "8"), Rows: n.Draw(t, "9"), Loads: n.Draw(t, "10"), BytesIn: n.Draw(t, "11"), BytesOut: n.Draw(t, "12"),
				Connections: n.Draw(t, "13"), Broken: n.Draw(t, "14"),
			}
		}
		return &wire.Failed{Code: rapid.Int().Draw(t, "code"), Text: rapid.String().Draw(t, "text")}
	})
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, number := someMessage.Draw(t, "message"), rapid.Uint64().Draw(t, "id")
		data := wire.Append([]byte("before"), number, want)
		if !bytes.HasPrefix(data, []byte("before")) {
			t.Fatalf("%q", data)
		}
		data = data[6:]
		id, got, err := wire.Decode(data)
		if err != nil || id != number {
			t.Fatalf("% x: %d, %v", data, id, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// No part of a message is one, and no message with a byte too many.
func TestCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := wire.Append(nil, rapid.Uint64().Draw(t, "id"), someMessage.Draw(t, "message"))
		for n := range data {
			if _, m, err := wire.Decode(data[:n]); err == nil {
				t.Fatalf("% x: %d of %d bytes are %+v", data, n, len(data), m)
			}
		}
		if _, m, err := wire.Decode(append(data, 0)); err == nil {
			t.Fatalf("% x and a byte more are %+v", data, m)
		}
	})
}

// FuzzDecode: hostile bytes are an error or the only encoding of a message, and cost no more memory than they pay for.
func FuzzDecode(f *testing.F) {
	for i := range 200 {
		f.Add(wire.Append(nil, uint64(i), someMessage.Example(i)))
	}
	f.Add([]byte("\x01\x86\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Add(append([]byte("\x01\x88\x00\xe8\x07"), make([]byte, 1000)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		allocated, id, m, err := decodeCounting(data)
		if limit := uint64(30*len(data) + 4096); allocated > limit {
			t.Fatalf("%d bytes made %d bytes of garbage or message, more than %d", len(data), allocated, limit)
		}
		if err == nil && !bytes.Equal(wire.Append(nil, id, m), data) {
			t.Fatalf("% x was read as %d %+v, which is % x", data, id, m, wire.Append(nil, id, m))
		}
	})
}

// decodeCounting also returns how many bytes decoding allocated. Whatever else the process allocates meanwhile counts too, so
// that the least of three is taken.
func decodeCounting(data []byte) (least, id uint64, m wire.Message, err error) {
	least = math.MaxUint64
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		id, m, err = wire.Decode(data)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least, id, m, err
}
