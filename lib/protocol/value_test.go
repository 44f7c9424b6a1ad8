package protocol_test

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/phaselock/phaselock/lib/protocol"
)

func TestValueJSON(t *testing.T) {
	big1, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for _, tc := range []struct {
		name string
		v    protocol.Value
		want string
	}{
		{"None", protocol.Value{}, "null"},
		{"a bool", protocol.Bool(true), "true"},
		{"an integer", protocol.Int(-7), "-7"},
		{"a large integer", protocol.Value{V: big1}, "123456789012345678901234567890"},
		{"a whole float keeps its point", protocol.Float(3), "3.0"},
		{"a float", protocol.Float(0.1), "0.1"},
		{"a large float", protocol.Float(1e300), "1e+300"},
		{"a string without HTML escapes", protocol.Str("a<b&c"), `"a<b&c"`},
		{"a list", protocol.Value{V: protocol.List{protocol.Int(1), protocol.Str("x")}}, `[1,"x"]`},
		{"a tuple", protocol.Value{V: protocol.Tuple{protocol.Int(1)}}, `{"tuple":[1]}`},
		{
			"a dict keeps its order",
			protocol.Value{V: protocol.Dict{{protocol.Str("z"), protocol.Int(1)}, {protocol.Str("a"), protocol.Int(2)}}},
			`{"dict":[["z",1],["a",2]]}`,
		},
		{"a file", protocol.Value{V: protocol.FileRef("bin/x")}, `{"file":"bin/x"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := json.Marshal(tc.v)
			if err != nil {
				t.Fatal(err)
			}
			// json.Marshal escapes HTML in what a Marshaler returns; an Encoder that does not is what plans use.
			var plain any
			if err := json.Unmarshal(got, &plain); err != nil {
				t.Fatal(err)
			}
			var wantPlain any
			if err := json.Unmarshal([]byte(tc.want), &wantPlain); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(plain, wantPlain) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			var back protocol.Value
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back, tc.v) {
				t.Errorf("read back %#v, want %#v", back, tc.v)
			}
		})
	}
}

func TestValueRefusesWhatIsNotFinite(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := json.Marshal(protocol.Float(f)); err == nil {
			t.Errorf("%v was written", f)
		}
	}
}

func TestFloatsReadBackAsFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		if math.IsNaN(f) || math.IsInf(f, 0) {
			t.Skip()
		}
		data, err := json.Marshal(protocol.Float(f))
		if err != nil {
			t.Fatal(err)
		}
		var back protocol.Value
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if got, ok := back.V.(float64); !ok || got != f {
			t.Fatalf("%v became %s became %#v", f, data, back.V)
		}
	})
}

func TestPlaceJSON(t *testing.T) {
	for _, p := range []protocol.Place{{}, {File: "c2.star", Line: 31, Col: 12}, {File: "@std//go.star", Line: 1, Col: 1}} {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back protocol.Place
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("%v became %s became %v (%v)", p, data, back, err)
		}
	}
	var p protocol.Place
	if err := json.Unmarshal([]byte(`"c2.star"`), &p); err == nil {
		t.Error("a place without line was read")
	}
}

func TestCPUs(t *testing.T) {
	for _, tc := range []struct {
		spec, want string
	}{{"0", "0"}, {"2-4,7", "2-4,7"}, {"7,2-4", "2-4,7"}, {"1,2,3", "1-3"}, {"3,3", "3"}, {"0-1,2", "0-2"}} {
		cpus, err := protocol.ParseCPUs(tc.spec)
		if err != nil {
			t.Errorf("%q: %v", tc.spec, err)
			continue
		}
		if got := protocol.FormatCPUs(cpus); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.spec, got, tc.want)
		}
	}
	for _, spec := range []string{"", "a", "1-", "-1", "3-2", "1,,2", "0-99999999999", "70000", "0x1", "1 2"} {
		if _, err := protocol.ParseCPUs(spec); err == nil {
			t.Errorf("%q was read", spec)
		}
	}
}

func TestBuildLabelsTellRecipesApart(t *testing.T) {
	a := protocol.Build{Package: "./pkg/parse", Test: true}
	b := a
	b.Tags = []string{"x"}
	if a.Label() == b.Label() {
		t.Errorf("two recipes are both called %s", a.Label())
	}
	if got := a.Label()[:len("parse.test-")]; got != "parse.test-" {
		t.Errorf("label %s", a.Label())
	}
	if len(a.Label()) != len(b.Label()) {
		t.Errorf("labels %s and %s have two lengths", a.Label(), b.Label())
	}
}
